"""Functions of mathematics written as device functions of kernels, for devices that have none of their own."""
