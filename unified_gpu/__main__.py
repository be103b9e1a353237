"""`python -m unified_gpu` prints what can be used here, and why the rest cannot."""

from __future__ import annotations

from . import diagnose, preferred_backend
from .errors import BackendUnavailable


def main() -> None:
    """Print the table of backends, and which is preferred."""
    print(f"{'backend':<8}  {'device':<40}  what it is, or why it cannot be used")
    for report in diagnose():
        if not report.available:
            print(f"{report.backend:<8}  {'-':<40}  {report.reason}")
        for gpu in report.devices:
            print(f"{report.backend:<8}  {f'{gpu}  {gpu.name}':<40}  {report.versions}")
    try:
        print(f"\npreferred: {preferred_backend()}")
    except BackendUnavailable:
        print("\nnone of them can be used here")


if __name__ == "__main__":
    main()
