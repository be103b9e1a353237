"""Arrays in the memory of a device, and what is computed with them."""
