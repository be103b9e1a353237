"""A context in seven steps: choose, open, upload, compute, order, reuse, close.

python examples/context_basic.py [--backend cuda|torch|vulkan|cpu]

Without --backend it takes what DL_BACKEND or a dl.config.sdn names, else the best that the machine has.
"""

from __future__ import annotations

import argparse

from unified_gpu import ClosedError, Context, diagnose


def main() -> None:
    parser = argparse.ArgumentParser(description="A context in seven steps.")
    parser.add_argument("--backend", help="cuda, torch, vulkan or cpu")
    options = parser.parse_args()

    print("1. What this machine has")
    for report in diagnose():
        devices = ", ".join(f"{gpu} ({gpu.name})" for gpu in report.devices)
        print(f"   {report.backend:7} {devices or 'not usable: ' + report.reason.splitlines()[0]}")

    print("2. Open a context")
    ctx = Context(options.backend) if options.backend else Context.default()
    free, total = ctx.memory_info()
    print(
        f"   {ctx.backend_name}:{ctx.device_id}, {ctx.device_name}, {free / 2**30:.1f} of {total / 2**30:.1f} GiB free"
    )

    print("3. Upload data")
    a = ctx.alloc_upload([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    b = ctx.alloc_upload([10.0, 20.0, 30.0])
    print(f"   {a!r}\n   {b!r}")

    print("4. Compute: nothing waits until the result is asked for")
    c = (a + b) * 2.0
    product = a @ a.T
    print(f"   (a + b) * 2 = {c.tolist()}")
    print(f"   a @ a.T     = {product.tolist()}")

    print("5. Order work of two streams by an event")
    copies, work = ctx.create_stream(), ctx.create_stream()
    pinned = ctx.alloc_pinned(1_000_000, "f32")
    pinned[0] = 7.0
    start = copies.record()
    big = ctx.alloc(1_000_000, stream=copies).upload(pinned, stream=copies, non_blocking=True)
    uploaded = copies.record()
    work.wait_event(uploaded)
    with work:
        first = big[:1] + 1.0
        done = work.record()
    done.synchronize()
    print(f"   uploaded in {start.elapsed_time(uploaded):.2f} ms, then computed: {first.item()}")

    print("6. Memory is kept for the next array")
    before = ctx.memory_statistics().device_allocations
    for _ in range(1000):
        ctx.alloc((1000, 1000))
    after = ctx.memory_statistics()
    print(f"   1000 arrays asked the device {after.device_allocations - before} times; {ctx.trim()} bytes given back")

    print("7. Close: everything of the context is released")
    ctx.close()
    try:
        a.download()
    except ClosedError as error:
        print(f"   {type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
