"""Printers that write text: CUDA C, C++ for whole blocks on the CPU, and the typed form for people."""
