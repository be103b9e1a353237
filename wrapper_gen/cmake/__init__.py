"""The folder of the CMake module, which scikit-build-core finds by the entry point `cmake.module`."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent
