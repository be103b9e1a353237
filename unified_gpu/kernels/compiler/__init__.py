"""The compiler of kernels written in Python: from a function's `ast` through a typed form to CUDA C, C++ and Python."""
