"""The Mandelbrot set: each thread iterates its point until it escapes, some few times, some all."""

import argparse

from unified_gpu import Array, Context, f32, global_id, i32, kernel


@kernel
def escape(counts: Array[i32, 2], left: f32, top: f32, step: f32, most: i32):
    i, j = global_id(0), global_id(1)
    cx, cy = left + step * f32(j), top - step * f32(i)
    x, y, count = f32(0), f32(0), 0
    while count < most and x * x + y * y <= 4:
        x, y = x * x - y * y + cx, 2 * x * y + cy
        count += 1
    counts[i, j] = count


def mandelbrot(ctx, shape, most=100):
    counts = ctx.empty(shape, "i32")
    ctx.launch(escape, shape, [counts, -2.2, 1.2, 2.4 / shape[0], most])
    return counts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", help="cpu, vulkan, cuda or torch")
    with Context.default(parser.parse_args().backend) as ctx:
        for row in mandelbrot(ctx, (24, 32)).tolist():
            print("".join(" .:-=+*#%@"[count // 11] for count in row for _ in "xx"))
