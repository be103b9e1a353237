"""One step of what the threads of a block find together: each second one takes what lies at a distance.

The steps are a tree over the numbers of the threads, so that sums of fractions have the same bits on every device.
"""

from __future__ import annotations

from unified_gpu.kernels.language import device


@device
def fold_sum(part, thread, distance, threads):
    if thread & (2 * distance - 1) == 0 and thread + distance < threads:
        part[thread] += part[thread + distance]


@device
def fold_min(part, thread, distance, threads):
    if thread & (2 * distance - 1) == 0 and thread + distance < threads:
        part[thread] = min(part[thread], part[thread + distance])


@device
def fold_max(part, thread, distance, threads):
    if thread & (2 * distance - 1) == 0 and thread + distance < threads:
        part[thread] = max(part[thread], part[thread + distance])
