"""Fields in a list, of which each may stand once for each row of a `for`, over both engines."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: counted}
cpp_prelude: |
  struct counters { long reads = 1, writes = 2; double load = 3; };
  struct corner { int a, b; double c; };
structs:
  - name: Corner
    cpp_type: corner
    fields:
      - {for: {N: [a, b]}, name: $N, type: i32 = 3, doc: about $N}
      - {name: c, type: f64 = 2}
handle_types:
  - name: Counters
    cpp_type: counters
    fields:
      - {for: {N: [reads, writes]}, name: all_$N, type: i64, cpp: self.$N}
      - {name: load, type: mut f64}
      - for: {M: [1, 2]}
        entries:
          - {name: load_$M, type: f64, cpp: self.load * $M}
    methods: [{def: "Counters()"}]
  - name: Counters
    fields: [{name: both, type: i64, cpp: self.reads + self.writes}]
functions: [{def: "same(one: Corner) -> Corner", cpp: one}]
"""


@pytest.fixture(scope="module", params=packages.ENGINES)
def counted(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build_text(SPEC, name="counted").load(request.param)


def test_of_classes(counted: ModuleType) -> None:
    counters = counted.Counters()
    counters.load = 4
    assert (counters.all_reads, counters.all_writes, counters.load_1, counters.load_2) == (1, 2, 4, 8)
    assert counters.both == 3


def test_of_records(counted: ModuleType) -> None:
    assert counted.same(counted.Corner(b=5)) == counted.Corner(3, 5, 2.0)
