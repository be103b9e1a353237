"""Operations on arrays as kernels written in Python, for devices that have none of their own."""

from __future__ import annotations

from .operations import PythonOperations

__all__ = ["PythonOperations"]
