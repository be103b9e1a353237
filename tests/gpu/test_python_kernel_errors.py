# ruff: noqa: RET503, F722, F821, F841, UP037
"""Kernels that cannot be: each is an error with the file, the line, a caret below the place, and what to do."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

import numpy as np
import pytest

import unified_gpu
from unified_gpu import (
    Array,
    Context,
    Kernel,
    KernelSourceError,
    MixedContextsError,
    atomic_add,
    barrier,
    block_any,
    block_sum,
    device,
    f32,
    f64,
    global_id,
    i32,
    i64,
    kernel,
    lane_id,
    local,
    local_id,
    shared,
    subgroup_all,
    subgroup_any,
    subgroup_shuffle,
    subgroup_sum,
    u64,
)

HERE = Path(__file__).name
LIMIT = 3
numbers = np.zeros(3)


def host_function(x):
    return x


@device
def endless(x):
    return endless(x - 1)


@device
def first_of(x: Array[f32, 1]):
    return x[0]


@device
def a_row(x):
    return x[1]


@device
def waits(x):
    barrier()
    return x


@device
def falls_through(x):
    if x > 0:
        return x


@device
def doubled(x):
    return x, x


@device
def stores(x):
    x[0] = 1


@device
def nests(x):
    return x, (x, x)


@device
def where_am_i(x):
    return global_id(0) + x


@device
def adds_up(x):
    return subgroup_sum(x)


MANY = tuple(range(300))


@device
def clamped(x, low=0, high=1):
    return min(max(x, low), high)


class Wrong:
    """Kernels with an error; behind each `#!` stands what the message has, and where the caret begins."""

    def undefined(x: Array[f32, 1], factor: f32):
        x[0] = factr * 2.0  #! factr is not defined @ factr #! is it factor?

    def changes_type(x: Array[i32, 1]):
        k = x[0]
        k = k * 0.5  #! k is i32, and cannot become f64 @ k = #! or use another name

    def no_fraction(x: Array[i32, 1]):
        x[0] = x[0] / 2  #! this is f64, where i32 is needed @ x[0] / 2 #! i32(…)

    def does_not_fit(x: Array[f32, 1]):
        y = x[0] > 0.5
        x[0] = i32(3000000000)  #! 3000000000 does not fit in i32 @ i32(3

    def a_list(x: Array[f32, 1]):
        y = [v * 2 for v in range(3)]  #! a kernel cannot have a list @ [v

    def order_in_a_while(x: Array[i32, 1]):
        while atomic_add(x, 0, 1) < x[0]:  #! atomics, or calls that write, in @ while #! assign them to variables
            pass

    def order_in_one_side(x: Array[i32, 1]):
        if x[1] and atomic_add(x, 0, 1) - atomic_add(x, 0, 1):  #! atomics, or calls that write, in @ if #! assign
            x[2] = 1

    def divergent(x: Array[f32, 1]):
        tile = shared(f32, 64)
        if global_id(0) < x.shape[0]:
            barrier()  #! not every thread of the block reaches this barrier @ barrier() #! move the barrier out
        x[0] = tile[0]

    def divergent_return(x: Array[f32, 1]):
        i = global_id(0)
        if i >= x.shape[0]:
            return
        barrier()  #! not every thread of the block reaches this barrier @ barrier()
        x[i] = 0

    def divergent_loop(x: Array[f32, 1]):
        for _ in range(local_id(0)):
            barrier()  #! not every thread of the block reaches this barrier @ barrier()

    def divergent_sum(x: Array[f32, 1]):
        if x[0] > 0:
            x[1] = 2 * subgroup_sum(x[0])  #! reaches this subgroup_sum @ subgroup_sum #! move the subgroup_sum out

    def divergent_by_a_vote(x: Array[i32, 1]):
        while True:
            turn = subgroup_any(x[local_id(0)] > 0)  #! reaches this subgroup_any @ subgroup_any #! out of the branch
            if not turn:
                break
            x[local_id(0)] -= 1

    def vote_in_a_while(x: Array[i32, 1]):
        while not subgroup_all(x[0] > 0):  #! subgroup_all stands in the condition of a `while` @ subgroup_all #! before
            x[0] = 1

    def sum_in_one_side(x: Array[f32, 1]):
        x[0] = x[1] if x[2] > 0 else subgroup_sum(x[0])  #! that is not always computed @ subgroup_sum #! variable first

    def sum_behind_an_and(x: Array[i32, 1]):
        if x[0] > 0 and subgroup_sum(x[0]) > 0:  #! subgroup_sum stands in a part that is not @ subgroup_sum #! first
            x[0] = 1

    def sum_in_a_function(x: Array[f32, 1]):
        x[0] = adds_up(x[0])  #! subgroup_sum can be called only in a kernel #! pass it as an argument

    def sum_of_flags(x: Array[f32, 1]):
        x[0] = subgroup_sum(x[0] > 0)  #! subgroup_sum is not for a bool @ x[0] > 0 #! or use subgroup_any

    def sum_of_an_axis(x: Array[f32, 1]):
        x[0] = subgroup_sum(x, 0)  #! subgroup_sum takes 1 argument, not 2 @ subgroup_sum

    def sum_of_elements(x: Array[f32, 1]):
        x[0] = subgroup_sum(x)  #! x is an array, and a number is needed @ x) #! index it

    def lane_of_an_axis(x: Array[f32, 1]):
        x[0] = lane_id(0)  #! lane_id takes 0 arguments, not 1 @ lane_id

    def lane_not_called(x: Array[f32, 1]):
        x[lane_id] = 1  #! lane_id is an Intrinsic, which a kernel cannot use @ lane_id #! call it: lane_id()

    def lane_with_a_fraction(x: Array[f32, 1]):
        x[0] = subgroup_shuffle(x[0], 0.5)  #! a whole number is needed here @ 0.5

    def wide_lane(x: Array[i64, 1]):
        x[0] = subgroup_shuffle(x[0], x[1])  #! this is i64, where i32 is needed @ x[1]) #! i32(…)

    def sum_that_is_not_used(x: Array[f32, 1]):
        subgroup_sum(x[0])  #! the result of this is not used @ subgroup_sum

    def recursion(x: Array[i32, 1]):
        x[0] = endless(x[0])  #! endless calls itself, and a kernel cannot recurse #! write a loop

    def waiting_function(x: Array[i32, 1]):
        x[0] = waits(x[0])  #! a device function cannot have a barrier #! put it in the kernel

    def no_result(x: Array[i32, 1]):
        x[0] = falls_through(x[0])  #! falls_through can end without returning its i32

    def ids_in_a_function(x: Array[i32, 1]):
        x[0] = where_am_i(x[0])  #! global_id can be called only in a kernel #! pass it as an argument

    def some_way(x: Array[f32, 1]):
        if x[0] > 0.0:
            y = 1.0 + x[0]
        x[0] = y  #! y has no value on some way to here @ y #! before the branch

    def axes(x: Array[i32, 2]):
        x[0] = 1  #! x[0] is an array, and a number is needed @ x[0] #! index it: x[0][i]

    def too_many_axes(x: Array[i32, 2]):
        row = x[1]
        row[0, 2] = 1  #! row has 1 axis, and is indexed by 2 numbers @ row[0, 2]

    def row_as_number(x: Array[f32, 2]):
        row = x[1]
        x[0, 0] = row * 2  #! row is an array, and a number is needed @ row #! index it: row[i]

    def rows_of_two(x: Array[f32, 2], y: Array[f32, 2]):
        row = x[1]
        if row[0] > 0:
            row = y[1]  #! row is a part of y, Array[f32, 1], here, and something else elsewhere @ row #! use two names
        x[0, 0] = row[0]

    def row_and_number(x: Array[f32, 2]):
        row = x[1]
        row[0] = 1
        row = x[1, 1]  #! row is a number here, and a part of x, Array[f32, 1], elsewhere @ row #! use two names

    def row_before_the_first(x: Array[f32, 2]):
        x[1][-1] = 0  #! -1 is before the first element @ -1 #! write x[1].shape[0] - 1

    def row_of_a_tile(x: Array[f32, 2]):
        tile = shared(f32, (4, 8))
        row = tile[4]  #! tile has 4 elements along axis 0 @ 4

    def row_method(x: Array[f32, 2]):
        x[0, 0] = x[1].sum()  #! x[1].sum(): arrays have no reductions in a kernel @ x[1].sum

    def whole_for_a_row(x: Array[f32, 2]):
        x[0, 0] = first_of(x)  #! this is Array[f32, 2], and first_of takes x as Array[f32, 1] @ x) #! pass x[i]

    def row_of_another_dtype(x: Array[i32, 2]):
        x[0, 0] = first_of(x[0])  #! this is Array[i32, 1], and first_of takes x as Array[f32, 1] @ x[0])

    def row_given_back(x: Array[f32, 2]):
        x[0, 0] = a_row(x)  #! a device function returns numbers, not arrays

    def atomic_on_a_row(x: Array[i32, 2]):
        atomic_add(x, 0, 1)  #! x has more axes than this has numbers @ 0, 1 #! write atomic_add(array, (i, j), …)

    def fraction_index(x: Array[f32, 1]):
        x[x[0]] = 1  #! a whole number is needed here, and this is f32 @ x[0]] #! i32(…)

    def before_the_first(x: Array[f32, 1]):
        x[-1] = 1  #! -1 is before the first element @ -1] #! write x.shape[0] - 1

    def beyond_shared(x: Array[f32, 1]):
        tile = shared(f32, 8)
        x[0] = tile[8]  #! tile has 8 elements along axis 0 @ 8]

    def host_call(x: Array[f32, 1]):
        x[0] = host_function(x[0])  #! a kernel cannot call host_function @ host #! decorate it with @device

    def array_outside(x: Array[f32, 1]):
        x[0] = numbers[0]  #! numbers is an array of the surroundings @ numbers #! pass it as an argument

    def a_text(x: Array[f32, 1]):
        x[0] = "text"  #! a text, which a kernel cannot use @ "text"

    def returns_something(x: Array[f32, 1]):
        return x[0]  #! a kernel returns nothing @ x[0] #! store the result in an array

    def not_a_range(x: Array[f32, 1]):
        for v in x:  #! a loop of a kernel goes over a range @ x: #! for i in range(n)
            x[0] = v

    def step_with_a_fraction(x: Array[f32, 1]):
        for k in range(0, 9, x[0]):  #! a whole number is needed here, and this is f32 @ x[0])
            x[0] = k

    def shared_unknown(x: Array[i32, 1]):
        tile = shared(f32, x.shape[0])  #! the shape of shared memory is known when compiling @ x.shape

    def too_much_shared(x: Array[i32, 1]):
        tile = shared(f32, 20000)  #! the shared memory of a block is 80000 bytes, and 49152 are the most

    def atomics_of_halves(x: Array[f32, 1]):
        atomic_add(x[0], 1)  #! takes 3 arguments, not 2 @ atomic_add

    def no_slices(x: Array[f32, 1]):
        x[0] = x[1:3]  #! a kernel takes single elements, not slices @ 1:3

    def unused(x: Array[f32, 1]):
        x[0] + 1  #! a kernel cannot have an expression that is not used @ x[0] + 1

    def with_block(x: Array[f32, 1]):
        with x:  #! a kernel cannot have `with` @ with
            pass

    def is_not(x: Array[f32, 1]):
        if x is None:  #! x is an array, and a number is needed @ x is
            x[0] = 1

    def both_sides(x: Array[i32, 1]):
        x[0] = x[1] or 3  #! `or` gives one of its sides in Python @ x[1] or

    def wrong_type(x: Array[f32, 1], y: LIMIT):  #! LIMIT is no type of a kernel's parameter @ LIMIT #! write f32
        x[0] = y

    def defaults(x: Array[f32, 1], y: f32 = None):  #! a parameter of a kernel has a number as its default @ None
        x[0] = y

    def default_of_an_array(x: Array[f32, 1] = 0):  #! x is an array, which has no default @ x:
        x[0] = 1

    def no_such_name(x: Array[f32, 1]):
        x[0] = clamped(x[0], high=2, hi=3)  #! clamped has no parameter hi @ 3)

    def given_twice(x: Array[f32, 1]):
        x[0] = clamped(x[0], 1, low=2)  #! clamped has already low @ 2)

    def not_given(x: Array[f32, 1]):
        x[0] = clamped(low=2)  #! clamped takes x, too @ clamped

    def too_few_given(x: Array[f32, 1]):
        x[0] = clamped()  #! clamped takes 1 to 3 arguments, not 0 @ clamped

    def named_for_mathematics(x: Array[f32, 1]):
        x[0] = max(x[0], x[1], default=3)  #! arguments of this are passed by their place @ 3)

    def too_many_turns(x: Array[f32, 1]):
        for v in MANY:  #! a loop over 300 items, of which each turn is compiled: 256 are the most @ MANY #! in an array
            x[0] = v

    def break_of_a_thread(x: Array[f32, 1]):
        for v in (1, 2):
            if x[0] > v:
                break  #! `break` under a condition of the kernel, in a loop over a tuple @ break #! under an `if`

    def items_of_other_kinds(x: Array[f32, 1]):
        for a, b in ((1, 2), (3, 4, 5)):  #! 2 names for 3 values @ a, b
            x[0] = a + b

    def behind_its_loop(x: Array[f32, 1]):
        for v in (1, 2):
            x[v] = v
        x[0] = v  #! v has no value on some way to here @ v #! assign to it before the branch or the loop

    def strict_zip(x: Array[f32, 1]):
        for a, b in zip((1, 2), (3, 4, 5), strict=True):  #! zip of 2 and 3 items, and strict @ zip
            x[0] = a + b

    def local_unknown(x: Array[i32, 1]):
        mine = local(f32, x.shape[0])  #! the shape of a thread's array is known when compiling @ x.shape

    def too_much_local(x: Array[i32, 1]):
        mine = local(f64, 200)  #! the arrays of a thread are 1600 bytes, and 1024 are the most @ mine

    def local_in_an_expression(x: Array[f32, 1]):
        x[0] = local(f32, 4)[0]  #! an array of local() has a name @ local #! write `tile = local(f32, 256)`

    def two_names_of_a_local(x: Array[f32, 1]):
        a = b = local(f32, 4)  #! an array of local() has one name @ a = #! write `tile = local(f32, 256)`

    def beyond_local(x: Array[f32, 1]):
        mine = local(f32, 8)
        x[0] = mine[8]  #! mine has 8 elements along axis 0 @ 8]

    def atomics_on_a_local(x: Array[f32, 1]):
        mine = local(f32, 8)
        atomic_add(mine, 0, 1)  #! mine is an array of this thread alone @ mine, 0 #! write mine[i] += …

    def barrier_by_a_local(x: Array[f32, 1]):
        mine = local(f32, 8)
        if mine[0] > 0:
            barrier()  #! not every thread of the block reaches this barrier @ barrier() #! by uniform(…) of it

    def block_sum_of_some(x: Array[f32, 1]):
        if x[global_id(0)] > 0:
            x[0] = block_sum(x[0])  #! not every thread of the block reaches this block_sum @ block_sum

    def block_sum_of_bools(x: Array[f32, 1]):
        x[0] = f32(block_sum(x[0] > 0))  #! block_sum is not for a bool @ x[0] > 0 #! or use block_any

    def block_any_behind_and(x: Array[f32, 1]):
        if x[0] > 0 and block_any(x[1] > 0):  #! block_any stands in a part that is not always computed @ block_any
            x[0] = 1

    def blocks_of_no_room(x: Array[f64, 1]):
        tile = shared(f32, 11000)
        x[0] = block_sum(x[0])  #! the shared memory of a block is 52192 bytes, and 49152 are the most @ block_sum

    def block_sum_not_called(x: Array[f32, 1]):
        x[0] = block_sum  #! block_sum is an Intrinsic @ block_sum #! call it: block_sum(value)

    def several(x: Array[f32, 1], *rest):  #! a kernel has no `*` and no keyword parameters @ rest
        x[0] = 1

    def division_by_zero(x: Array[i32, 1]):
        x[0] = 1 // 0  #! by zero @ 1 // 0

    def bool_arithmetic(x: Array[i32, 1]):
        x[0] = (x[0] > 0) - (x[0] < 0)  #! - is not for two bools @ (x[0] > 0) - #! i32(…)

    def step_of_nothing(x: Array[f32, 1]):
        for k in range(0, 9, 0):  #! the step of a range is not 0 @ 0):
            x[k] = 1

    def step_of_another_sign(x: Array[f32, 1], n: u64, step: i64):
        for k in range(u64(0), n, step):  #! u64 and a signed number have no common range @ range #! convert one
            x[k] = 1

    def our_sqrt(x: Array[f32, 1]):
        x[0] = unified_gpu.sqrt(4.0)  #! a kernel cannot call unified_gpu.sqrt @ unified #! hint: write math.sqrt(…)

    def our_maximum(x: Array[f32, 1]):
        x[0] = unified_gpu.maximum(x[0], 1)  #! a kernel cannot call @ unified_gpu #! hint: write max(…, …)

    def our_sum(x: Array[f32, 1]):
        x[0] = unified_gpu.sum(x)  #! a kernel cannot call unified_gpu.sum @ unified_gpu #! arrays have no reductions

    def sine_of_numpy(x: Array[f32, 1]):
        x[0] = np.sin(x[0])  #! a kernel cannot call np.sin @ np.sin #! hint: write math.sin(…)

    def arcsine_of_numpy(x: Array[f32, 1]):
        x[0] = np.arcsin(x[0])  #! a kernel cannot call np.arcsin @ np.arc #! hint: write math.asin(…)

    def choice_of_numpy(x: Array[f32, 1]):
        x[0] = np.where(x[0] > 0, 1, 2)  #! a kernel cannot call np.where @ np.where #! `a if condition else b`

    def number_of_numpy(x: Array[f32, 1]):
        x[0] = np.float32(2)  #! a kernel cannot call np.float32 @ np.float32 #! hint: write f32(…)

    def helper_without_device(x: Array[f32, 1]):
        x[0] = host_function(x[0])  #! a kernel cannot call host_function @ host_ #! hint: decorate it with @device

    def module_not_imported(x: Array[f32, 1]):
        x[0] = math.sin(1.0)  #! math.sin is not defined @ math.sin #! hint: write `import math` at the top of the file

    def function_not_imported(x: Array[f32, 1]):
        x[0] = cos(x[0])  #! cos is not defined @ cos #! hint: write math.cos(…), with `import math` at the top

    def id_not_imported(x: Array[f32, 1]):
        x[group_id(0)] = 1  #! group_id is not defined @ group_id #! hint: write `from unified_gpu import group_id`

    def sum_of_an_array(x: Array[f32, 1]):
        x[0] = x.sum()  #! x.sum(): arrays have no reductions in a kernel @ x.sum #! what x.sum() gives outside

    def method_of_an_array(x: Array[f32, 1]):
        x[0] = x.cast("i32")  #! x.cast(): arrays have no methods in a kernel @ x.cast #! x has shape, ndim and dtype

    def id_not_called(x: Array[f32, 1]):
        x[global_id] = 1  #! global_id is an Intrinsic, which a kernel cannot use @ global_id #! call it: global_id(0)

    def device_function_not_called(x: Array[f32, 1]):
        x[0] = endless  #! endless is a DeviceFunction @ endless #! call it: endless(…)

    def no_matrix_product(x: Array[f32, 1], y: f32):
        y @= x[0]  #! a kernel has no operator `@` @ y @= #! write a loop

    def complex_number(x: Array[f32, 1]):
        x[0] = (-8) ** 0.5  #! the result is a complex number @ (-8)

    def extreme_of_pairs(x: Array[f32, 1]):
        x[0] = max(doubled(x[0]), x[1])  #! a tuple cannot be used as a number @ doubled

    def pair_as_index(x: Array[f32, 1]):
        x[doubled(x[0])] = 1  #! an index is a whole number @ doubled

    def pair_as_condition(x: Array[f32, 1]):
        while not doubled(x[0]):  #! a tuple cannot be used as a number @ doubled
            x[0] = 1

    def pair_as_argument(x: Array[f32, 1]):
        x[0] = doubled(doubled(x[0]))  #! a tuple cannot be passed to a device function @ doubled(x[0]))

    def nothing_as_number(x: Array[f32, 1]):
        x[0] = stores(x) + 1  #! stores(x) gives nothing, and a number is needed @ stores

    def nothing_as_element(x: Array[f32, 1]):
        x[0] = stores(x)  #! an element of x is one f32 @ x[0]

    def tuples_of_tuples(x: Array[f32, 1]):
        x[0] = nests(x[0])  #! a device function returns numbers, not arrays or tuples of tuples

    def computed_shared_size(x: Array[f32, 1], n: i32):
        tile = shared(f32, n**2)  #! the shape of shared memory is known when compiling @ n**2

    def nested_shared_size(x: Array[f32, 1]):
        tile = shared(f32, ((2, 3), 4))  #! the shape of shared memory is known when compiling @ ((2

    def computed_axis(x: Array[f32, 1], n: i32):
        x[0] = global_id(n**2)  #! the axis of global_id is 0, 1 or 2 @ global_id #! write global_id(0)

    def only_in_a_branch(x: Array[f32, 1]):
        if x[0] > 1:
            y = 2
        x[0] = y  #! y has no value on some way to here @ y #! assign to it before the branch or the loop

    def only_in_a_loop(x: Array[f32, 1]):
        for _ in range(3):
            y = 2.0, 1.0
        x[0] = y[0]  #! y has no value on some way to here @ y[0] #! assign to it before the branch or the loop

    def bits_of_no_common_type(x: Array[u64, 1], n: i32):
        x[0] = u64(1) << n  #! << is not for u64 and i32, which meet in f64 @ u64 #! convert one of them

    def unknown_annotation(x: ndarray):  #! the annotation cannot be evaluated: name 'ndarray' is not #! Array[f32, 1]
        x[0] = 1

    def unknown_text(x: "ndarray"):  #! the annotation cannot be evaluated: name 'ndarray' is not @ "nd #! Array[f32, 1]
        x[0] = 1

    def no_expression(x: "an array"):  #! the annotation is no expression @ "an #! write f32 or Array[f32, 1]
        x[0] = 1

    def another_type(x: np.ndarray):  #! np.ndarray is no type of a kernel's parameter @ np.nd #! Array[f32, 1]
        x[0] = 1


CASES = [name for name in vars(Wrong) if not name.startswith("__")]


@pytest.mark.parametrize("name", CASES)
def test_says_where_and_what_to_do(name: str) -> None:
    made = kernel(getattr(Wrong, name))
    with pytest.raises(KernelSourceError) as caught:
        made.ir()
    shown = str(caught.value).splitlines()
    text = Path(__file__).read_text(encoding="utf-8")
    body = text[text.index(f"def {name}(") :].partition("\n\n")[0]
    (expected,) = [line for line in body.splitlines() if "#!" in line]
    what, *hints = expected.split("#!")[1:]
    message, _, place = what.partition(" @ ")
    place = place.strip()
    assert message.strip() in shown[0], shown[0]
    assert re.match(rf".*{HERE}:\d+: ", shown[0])
    if place:
        line = text.splitlines()[int(re.search(r":(\d+):", shown[0])[1]) - 1]
        assert line.strip() == expected.strip()
        assert shown[2].index("^") == shown[1].partition("#!")[0].index(place), "\n".join(shown)
    assert [hint.strip() in shown[-1] for hint in hints] == [True] * len(hints), shown


@kernel
def scale(x: Array[f32, 1], factor: f32):
    x[global_id(0)] *= factor


@kernel
def counted(x, n: i32):
    x[global_id(0)] = n


@kernel
def loose(x, factor):
    x[global_id(0)] *= factor


def test_arguments_that_do_not_fit(cpu: Context) -> None:
    x = cpu.alloc(4)

    def refused(error: type[Exception], message: str, *args: object, made: object = scale, size: object = 4) -> None:
        with pytest.raises(error, match=message):
            cpu.launch(made, size, args)

    refused(TypeError, r"scale takes 2 arguments \(x, factor\), not 1", x)
    refused(TypeError, "scale takes 2 arguments", x, 1, 2)
    refused(TypeError, "`x` of scale is an array, and a float was given", 1.0, 1.0)
    refused(TypeError, "`factor` of scale is a number, and an array was given", x, x)
    refused(
        TypeError,
        r"`x` of scale takes f32, and the array is f64; convert it: array.cast\('f32'\)",
        cpu.alloc(4, "f64"),
        1,
    )
    refused(ValueError, r"`x` of scale has 1 axis, and the shape of the array is \[2, 2\]", cpu.alloc((2, 2)), 1)
    refused(TypeError, "`x` of scale is an array of this library, and a ndarray was given", np.zeros(4, "f4"), 1)
    refused(TypeError, "`factor` of scale: 'a' is no number; give an int, a float or a bool", x, "a")
    refused(OverflowError, "`factor` of scale", x, 1e300)
    for wrong, told in (("a", "'a'"), (None, "None"), ([1], "a list"), (1j, "1j"), (b"x", "a bytes")):
        refused(TypeError, f"`n` of counted: {told} is no number; give an int", x, wrong, made=counted)
    refused(TypeError, r"`n` of counted: .*2\.5\)? is no whole number, which i32 is", x, np.float32(2.5), made=counted)
    refused(TypeError, "`n` of counted: inf is no whole number", x, float("inf"), made=counted)
    for right in (2, 2.0, np.float32(2), np.int8(2)):
        cpu.launch(counted, 1, [x.fill(0), right])
        assert x[0].item() == 2
    refused(TypeError, "`factor` of loose is an array or a number, not a str", x, "a", made=loose)
    refused(OverflowError, "`factor` of loose: 5000000000 does not fit in i32", x, 5000000000, made=loose)
    refused(TypeError, "cannot compute with bf16", cpu.alloc(4, "bf16"), 1, made=loose)
    refused(ValueError, "at least one thread", x, 1.0, size=0)
    refused(ValueError, "at most 2146435072 threads", x, 1.0, size=2**31)
    refused(TypeError, "is a whole number", x, 1.0, size=2.5)
    with pytest.raises(ValueError, match="names its shared memory itself"):
        cpu.launch(scale, 4, [x, 1.0], shared_bytes=8)
    with Context("cpu") as other, pytest.raises(MixedContextsError, match="`x` of scale"):
        other.launch(scale, 4, [x, 1.0])
    with pytest.raises(TypeError, match=r"args is a list of what scale takes, not a GpuArray; write args=\[x\]"):
        cpu.launch(scale, 4, x)
    with pytest.raises(TypeError, match=r"args is a list of what scale takes, not a ndarray; write args=\[x\]"):
        scale.reference(4, np.ones(2, "f4"))
    with pytest.raises(TypeError, match=r"args is a list of what scale takes, not an int$"):
        cpu.launch(scale, 4, 3)
    with pytest.raises(TypeError, match=r"scale is a kernel: launch it, ctx.launch\(scale, global_size, args\)"):
        scale[1, 64](x, 1.0)
    with pytest.raises(TypeError, match="scale is a kernel: launch it"):
        scale(x, 1.0)
    with pytest.raises(TypeError, match=r"global_id\(\) can be called only in a kernel"):
        global_id(0)
    with pytest.raises(TypeError, match="the type of x is open"):
        loose.source("cuda")


def test_tracebacks_end_at_the_launch(ctx: Context) -> None:
    x = ctx.alloc(4)
    of_c = Kernel.from_source('extern "C" __global__ void of_c(float *x, int n) { x[0] = n; }', "of_c")
    wrong: list[tuple[object, object, object]] = [
        (counted, 4, [x, "a"]),
        (counted, 4, [x, 2**40]),
        (counted, 4, [x]),
        (counted, 0, [x, 1]),
        (loose, 4, [x, object()]),
        (print, 4, [x, 1]),
    ]
    if ctx.backend_name not in ("vulkan", "cuda"):  # the one has no such kernels, the other compiles for a second
        wrong += [(of_c, 4, [x, "a"]), (of_c, 4, [x, 2**40]), (of_c, 4, [1.0, 1]), (of_c, 4, 5)]
    for made, size, args in wrong:
        try:
            ctx.launch(made, size, args)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError) as error:
            files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
            assert [Path(file).name for file in files] == [Path(__file__).name, "context.py"], error
            assert error.__cause__ is None
            assert error.__suppress_context__
        else:
            pytest.fail(f"{made} takes {args}")


def test_a_value_that_changed_is_an_error(cpu: Context) -> None:
    global LIMIT

    @kernel
    def limited(x: Array[f32, 1]):
        x[global_id(0)] = LIMIT

    x = cpu.alloc(4)
    cpu.launch(limited, 4, [x])
    LIMIT = 4
    try:
        with pytest.raises(KernelSourceError, match="LIMIT was 3 when limited was compiled, and is 4 now"):
            cpu.launch(limited, 4, [x])
    finally:
        LIMIT = 3
    cpu.launch(limited, 4, [x])
    assert x.tolist() == [3.0] * 4


def test_source_that_is_not_there() -> None:
    names = {"kernel": kernel, "global_id": global_id}
    exec("@kernel\ndef unseen(x):\n    x[0] = 1\n", names)
    with pytest.raises(KernelSourceError, match="the source of unseen is not available") as caught:
        names["unseen"].ir(Array[f32, 1])
    assert "write the kernel in a file" in str(caught.value)
    with pytest.raises(KernelSourceError, match="a lambda cannot be a kernel"):
        kernel(lambda x: x).ir(Array[f32, 1])


def test_a_file_that_was_edited_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "edited.py"
    text = "from unified_gpu import kernel\n\n@kernel\ndef edited(x):\n    x[0] = 1\n"
    file.write_text(text, encoding="utf-8")
    names = {"__name__": "edited"}
    exec(compile(text, str(file), "exec"), names)
    file.write_text(text.replace("= 1", "= 2"), encoding="utf-8")
    with pytest.raises(KernelSourceError, match=r"edited.py:3: the file has changed since edited was defined"):
        names["edited"].ir(Array[f32, 1])
    file.write_text(text, encoding="utf-8")
    assert "x[i32(0)] = f32(1.0)" in names["edited"].ir(Array[f32, 1])


@pytest.mark.parametrize(
    "text",
    [
        "@kernel\ndef laid(\n    x,\n):\n    x[0] = 1\n",
        "@kernel\ndef laid(x,\ny):\n    x[0] = 1\n",
        '@kernel\ndef laid(x):\n    """Text\nto the left."""\n    x[0] = 1\n',
        "@kernel\ndef laid(x):\n    y = (1\n+ 1)\n    x[0] = y\n",
        "@kernel\ndef laid(x):\n    y = 2\n# To the left.\n\n    x[0] = y\n# After it.\nlimit = 3\n",
        "if True:\n    @kernel\n    def laid(x):\n        x[0] = 1\n# After it.\n    limit = 3\n",
        "@kernel(\n    math='fast',\n)\ndef laid(x):\n    x[0] = 1\n\n\n\ndef next(): pass\n",
        "@kernel\ndef laid(x): x[0] = 1\nlimit = 3\n",
        "@kernel\ndef laid(x):\n\tx[0] = 1\n\nlimit = 3",
        "@kernel\r\ndef laid(x):\r\n    x[0] = 1\r\n\r\nlimit = 3\r\n",
    ],
)
def test_a_kernel_is_found_however_it_is_laid_out(tmp_path: Path, text: str) -> None:
    file = tmp_path / "layout.py"
    file.write_bytes(f"from unified_gpu import kernel\n\n{text}".encode())
    names = {"__name__": "layout"}
    exec(compile(file.read_bytes(), str(file), "exec"), names)
    made = names["laid"]
    assert "x[i32(0)] = f32(" in made.ir(*[Array[f32, 1]] * len(made.annotations))


def test_many_arguments(cpu: Context, tmp_path: Path) -> None:
    def taking(count: int) -> object:
        names = ", ".join(f"a{n}" for n in range(count))
        text = f"from unified_gpu import kernel\n\n@kernel\ndef taking({names}):\n    a0[0] = a0[0] + a{count - 1}[0]\n"
        file = tmp_path / f"taking{count}.py"
        file.write_text(text, encoding="utf-8")
        found = {"__name__": "taking"}
        exec(compile(text, str(file), "exec"), found)
        return found["taking"]

    x = cpu.alloc(3).fill(2)
    cpu.launch(taking(200), 1, [x] * 200)
    assert x.tolist() == [4, 2, 2]
    with pytest.raises(TypeError, match="the arguments of taking take 4800 bytes, and 4096 are the most"):
        cpu.launch(taking(300), 1, [x] * 300)


def test_values_of_modules_and_classes_are_looked_at_too(cpu: Context) -> None:
    class Settings:
        size = 5

    @kernel
    def configured(x: Array[f32, 1]):
        x[global_id(0)] = Settings.size

    x = cpu.alloc(2)
    cpu.launch(configured, 2, [x])
    Settings.size = 6
    with pytest.raises(KernelSourceError, match=r"Settings.size was 5 when configured was compiled, and is 6 now"):
        cpu.launch(configured, 2, [x])


def test_arrays_of_five_axes_and_empty_ones(cpu: Context) -> None:
    @kernel
    def deep(x, y):
        i = global_id(0)
        x[0, i, 0, 1, 0] = y.shape[0] + len(x.shape)

    x = cpu.alloc_zeros((1, 2, 1, 2, 1))
    cpu.launch(deep, 2, [x, cpu.alloc((0, 3))])
    assert x.reshape(4).tolist() == [0, 5, 0, 5]


def test_the_checked_mode_names_the_line(cpu: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    @kernel
    def beyond(x: Array[f32, 2], by: i32):
        i, j = global_id(0), global_id(1)
        x[i, j + by] = 1 // by

    line = beyond.python.__code__.co_firstlineno + 3
    monkeypatch.setenv("DL_CHECK", "1")
    with Context("cpu") as ctx:
        x = ctx.alloc_zeros((3, 4))
        with pytest.raises(RuntimeError, match=rf"{HERE}:{line}: index 4 of axis 1 of x, which has 4 elements"):
            ctx.launch(beyond, (3, 4), [x, 1])
            ctx.sync()
        with pytest.raises(RuntimeError, match=rf"{HERE}:{line}: a division by 0"):
            ctx.launch(beyond, (3, 4), [x, 0])
            ctx.sync()
        ctx.launch(scale, 4, [x[1], 2.0])
        ctx.sync()
    with pytest.raises(IndexError, match="index 4 of axis 1 of x, which has 4 elements"):
        beyond.reference((3, 4), [np.zeros((3, 4), "f4"), 1])
