"""What every package carries, the same in each: the C++ and the Python that its generated files stand on."""
