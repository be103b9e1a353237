"""`python -m unified_gpu` prints what can be used here, why the rest cannot, and what is configured.

`python -m unified_gpu --build torch` compiles the package for torch, where a wheel left that to the machine.
"""

from __future__ import annotations

import argparse
import sys

from . import GpuError, create_context_from_config, diagnose, load_local_config, preferred_backend
from .backends import build_torch
from .errors import BackendUnavailable


def main() -> None:
    """Print the table of backends, what is configured, and which is preferred; or compile torch's package."""
    parser = argparse.ArgumentParser(prog="python -m unified_gpu", description="What unified_gpu can use here.")
    parser.add_argument("--build", choices=["torch"], help="compile the package for torch, where that is not done yet")
    if parser.parse_args().build:
        try:
            build_torch()
        except BackendUnavailable as error:
            sys.exit(f"unified_gpu: {error}")
    print(f"{'backend':<8}  {'device':<40}  what it is, or why it cannot be used")
    for report in diagnose():
        if not report.available:
            print(f"{report.backend:<8}  {'-':<40}  {report.reason}")
        for gpu in report.devices:
            print(f"{report.backend:<8}  {f'{gpu}  {gpu.name}':<40}  {report.versions}")
    print(_configured())
    try:
        print(f"preferred: {preferred_backend()}")
    except BackendUnavailable:
        print("none of them can be used here")


def _configured() -> str:
    """What `Context.default()` takes because it is configured, or why it fails; an empty line when nothing is."""
    try:
        config = load_local_config()
        if not config.origin:
            return ""
        with create_context_from_config(config) as ctx:
            device = f"{ctx.gpu}, {ctx.dtype}"
    except GpuError as error:
        return f"\nconfigured: {error}"
    said = (f"{place}: {key} {getattr(config, key)}" for key, place in config.origin.items())
    return f"\nconfigured: {device} ({', '.join(said)})"


if __name__ == "__main__":
    main()
