"""Kernels in CUDA C."""
