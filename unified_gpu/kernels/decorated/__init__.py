"""`@kernel`: kernels in Python as objects, their arguments and launches, and the reference that runs them in Python."""
