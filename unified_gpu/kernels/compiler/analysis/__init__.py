"""What printers ask of a typed kernel: what differs between threads, how large numbers are, what guards leave out."""
