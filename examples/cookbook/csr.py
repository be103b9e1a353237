"""A sparse matrix by a vector: the rows lie one behind the other (CSR), and each thread has one of any length."""

import argparse

import numpy as np

from unified_gpu import Array, Context, f32, global_id, i32, kernel


@kernel
def multiply(begin: Array[i32, 1], column: Array[i32, 1], value: Array[f32, 1], x: Array[f32, 1], y: Array[f32, 1]):
    row, total = global_id(0), f32(0)
    for at in range(begin[row], begin[row + 1]):
        total += value[at] * x[column[at]]
    y[row] = total


def csr(ctx, matrix, x):
    rows, columns = np.nonzero(matrix)
    begin = np.searchsorted(rows, np.arange(len(matrix) + 1)).astype("i4")
    parts = [ctx.alloc_upload(each) for each in (begin, columns.astype("i4"), matrix[rows, columns], x)]
    y = ctx.empty(len(matrix))
    ctx.launch(multiply, len(y), [*parts, y])
    return y


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", help="cpu, vulkan, cuda or torch")
    with Context.default(parser.parse_args().backend) as ctx:
        rng = np.random.default_rng(1)
        matrix = (rng.random((500, 400)) * (rng.random((500, 400)) < 0.02)).astype("f4")
        print(csr(ctx, matrix, np.ones(400, "f4")))
