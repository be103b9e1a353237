"""Prints a kernel as CUDA C: for NVRTC, and for the checked mode of the CPU."""

from __future__ import annotations

from math import prod

from unified_gpu import dtypes
from unified_gpu.kernels.compiler.ir import Barrier, Exchange, Function, Stmt, walk

from .c_printer import CPrinter, c_name, c_type, entry_name
from .helpers import helpers

_IDS = {
    "local_id": "((int)threadIdx.{})", "group_id": "((int)blockIdx.{})", "local_size": "((int)blockDim.{})",
    "group_count": "((int)gridDim.{})", "global_size": "global_size_{axis}",
    "global_id": "((int)(blockIdx.{0} * blockDim.{0} + threadIdx.{0}))",
    "subgroup_size": "32", "lane_id": "k_lane()", "subgroup_id": "(k_linear() >> 5)",
    "subgroup_count": "((int)(blockDim.x * blockDim.y * blockDim.z + 31) >> 5)",
}  # fmt: skip


class CudaPrinter(CPrinter):
    """CUDA C. The last axis of the launch is x, along which neighbouring threads lie."""

    ids = _IDS

    def text(self) -> str:
        f = self.f
        if uses_halves(f):
            self.out("#include <cuda_fp16.h>")
        self.lines += [helpers("cuda"), helpers("arithmetic")]
        self.lines += [helpers("checked")] if self.check else []
        said = [s for s in walk(f.body) if self.check and isinstance(s, Exchange) and not s.of_subgroup]
        self.lines += [helpers("checked_uniform")] if said else []
        self.lines += [helpers("cuda_subgroups")] if f.uses_subgroups else []
        self.flush = "fflush(stdout)" if self.check else ""
        self.functions()
        linkage = "static inline __attribute__((always_inline))" if self.check else 'extern "C"'  # checked: in the loop
        self.out(f"{linkage} __global__ void {entry_name(f.name)}({', '.join(map(self.parameter, f.fields()))}) {{")
        self.depth = 1
        for s in said:
            self.out(f"__shared__ {c_type(f.variables[s.name])} {c_name(f'{s.name}.first')};")
        self.declare_arrays(f.shared, "__shared__ ")
        if self.finds_races:
            self.start_finding_races()
        if f.is_free:
            outside = [f"{self.id('global_id', axis)} >= {self.id('global_size', axis)}" for axis in range(f.rank)]
            self.out(f"if ({' || '.join(outside)}) return;")
        self.plain_body()
        return "\n".join([*self.lines, "}", ""])

    # --- races on shared memory, in the checked mode

    @property
    def finds_races(self) -> bool:
        return self.check and self.f.is_kernel and bool(self.f.shared)

    def start_finding_races(self) -> None:
        """What is known of each element: who used it last, and after how many barriers."""
        self.out("int k_barriers = 1;")
        self.out("const int k_thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);")
        for name, array in self.f.shared.items():
            uses = c_name(f"{name}.used_by")
            self.out(f"__shared__ k_uses {uses}[{prod(array.shape or ())}];")
            self.out(f"if (k_thread == 0) for (k_uses& each : {uses}) each = k_uses();")
        self.out("__syncthreads();")

    def statement(self, s: Stmt) -> None:
        super().statement(s)
        if self.check and isinstance(s, Exchange) and not s.of_subgroup:
            self.out(f"k_same({c_name(s.name)}, {c_name(f'{s.name}.first')}, {self.where});")
        if self.finds_races and isinstance(s, Barrier):
            self.out("++k_barriers;")

    def used(self, name: str, offset: str, use: str) -> str:
        if not self.finds_races or name not in self.f.shared:
            return offset
        uses = c_name(f"{name}.used_by")
        return f'k_{use}({uses}, {offset}, k_user{{k_thread, k_barriers, {self.where}, "{name}"}})'


def uses_halves(f: Function) -> bool:
    """Whether f16 occurs in a kernel or what it calls."""
    found = {e.type for e in f.reached} | {a.dtype for each in (*f.calls, f) for a in each.arrays.values()}
    return dtypes.f16 in found or dtypes.f16 in f.params.values()
