"""Operations on arrays as kernels written in Python, for devices that have none of their own."""
