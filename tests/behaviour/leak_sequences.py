"""What iterators and arrays do, for test_leaks_classes.py."""

from __future__ import annotations

from tests.behaviour.leak_groups import Group

ITERATORS = Group(
    {"i": "iterators/iterators", "cu": "iterators/cursors"},
    """
def raises(at): raise ZeroDivisionError
def changed():
    over = gone.numbers()
    next(over)
    gone.fill(2)
    return over
def stopped():
    over = shelf.until_fill()
    shelf.set_first(0)
    return over
def shut():
    made = i.shelf()
    made.fill(2)
    over = made.numbers()
    made.close()
    return over
def half(over):
    next(over)
    return over
shelf, gone, tree, store, nodes, box = i.shelf(), i.shelf(), i.tree(), cu.Store(), cu.Nodes(), cu.Box([1, 2])
failing = cu.Store()
for at in range(3):
    shelf.put(str(at), at)
    gone.put(str(at), at)
    store.put(str(at), "x")
    failing.put(str(at), "x")
    nodes.add(at)
failing.fail_at(1)
root = i.root(tree)
root.add("a")
root.add("b")
""",
    (
        *(f"list(shelf.{name}())" for name in ("numbers", "names", "items", "flags", "few", "plain", "copied", "until_fill")),
        *(f"half(shelf.{name}())" for name in ("numbers", "names", "items", "flags", "few", "plain", "copied", "until_fill")),
        "shelf.numbers()", "list(shelf.between('0', '1'))", "list(shelf.both(gone))", "half(shelf.both(gone))", "list(shelf.numbers_property)",
        "i.upto(3)", "list(i.upto(3))", "half(i.upto(3))", "list(i.lasting(1))", "list(i.in_place('x'))", "list(i.count())", "half(i.count())",
        "list(i.shared())", "half(i.shared())", "list(i.texts([b'a', b'b']))", "list(i.views())", "list(i.points())", "half(i.points())",
        "list(i.lists())", "list(i.maybe())", "list(i.colours())", "list(i.triples())", "list(i.shelves(2))", "half(i.shelves(2))",
        "list(i.all_of([shelf]))", "list(i.called(lambda at: at))", "half(i.called(lambda at: at))", "list(root.children())", "half(root.children())",
        "[each.name for each in root.children()]", "operator.length_hint(shelf.numbers())", "over = i.upto(0); list(over); list(over)",
        "stopped()", "shut()",
        "list(store.scan())", "half(store.scan())", "store.scan()", "list(store.keys())", "half(store.keys())", "list(store)", "list(reversed(store))",
        "half(iter(store))", "list(nodes)", "half(iter(nodes))", "list(nodes.names())", "half(nodes.items())", "[each.size for each in nodes]",
        "list(box)", "list(reversed(box))", "half(reversed(box))", "list(cu.Query(2))", "half(cu.Query(2))", "list(cu.countdown(2))",
        "cu.Box([1, 2])",
    ),
    (
        "next(changed())", "next(stopped())", "next(shut())", "list(i.count(2))", "i.fails()", "i.is_null()", "list(i.narrow())", "i.upto('x')",
        "list(i.called(raises))", "list(i.called(lambda at: 'x'))", "next(i.upto(0))", "shelf.both(1)", "i.all_of([])", "i.all_of([1])",
        "len(shelf.numbers())", "shelf.numbers()[0]", "iter(shelf)", "copy.copy(shelf.numbers())", "pickle.dumps(shelf.numbers())",
        "list(cu.Query(9))", "list(failing.scan())", "list(failing.keys())", "store.none()", "list(cu.Box([1, 'x']))", "cu.countdown('x')",
        "cu.countdown(1)[1]",
    ),
)  # fmt: skip

ARRAYS = Group(
    {"a": "arrays/arrays"},
    """
import numpy
class Tensor:
    def __dlpack__(self, **given): return square.__dlpack__(**given)
    def __dlpack_device__(self): return square.__dlpack_device__()
class Refuses:
    def __dlpack__(self, **given): raise BufferError("not now")
    def __dlpack_device__(self): return 1, 0
class Elsewhere(Refuses):
    def __dlpack_device__(self): return 2, 0
square, wide, tall = numpy.ones((2, 2)), numpy.ones((2, 3)), numpy.ones((3, 2))
columns, out, line, empty = numpy.asfortranarray(wide), numpy.zeros((2, 2)), numpy.ones(4), numpy.ones((0, 2))
image, bools, ints = numpy.zeros((2, 2, 3), "f"), numpy.zeros((2, 2), "?"), numpy.ones((2, 2), "i4")
locked, backwards = numpy.ones(4), numpy.ones(4)[::-1]
locked.flags.writeable = False
misaligned = numpy.frombuffer(bytes(33), "u1")[1:].view("f8").reshape(2, 2)
matrix, board, picture, series, keys, shared, tensor = a.matrix(2, 3), a.Board(2, 3), a.Picture(2, 2), a.Series([1.0, 2.0, 3.0]), a.Keys(), a.Shared([1.0]), Tensor()
refuses, elsewhere, closed = Refuses(), Elsewhere(), a.matrix(1, 1)
closed.close()
view = memoryview(matrix.view())
can_export = a.ENGINE == "cpython" or sys.version_info >= (3, 12)
held = a.matrix(2, 2)
held_view = held.view()
""",
    (
        "a.total(square)", "a.shape_of(wide)", "a.layout(wide[::-1, ::-1])", "a.layout(columns)", "a.at(tall, 1, 1)", "a.line(backwards)",
        "a.fortran(columns)", "a.paint(image, 1.0)", "a.product(wide, tall, out)", "a.first(line, 4)", "a.trace(square)",
        "a.trace_f(square.T)", "a.sum_c(wide)", "a.sum_int(wide)", "a.sum_square(square)", "a.scale_c(wide, 1.0)", "a.any_true(bools)", "a.maybe(square)",
        "a.maybe(square, square)", "a.sum_i32(ints)", "a.view_total(line)", "a.by_index(line, 1)", "a.total(empty)", "a.total(tensor)",
        "a.total(view)", "a.identity(2)", "a.twice(wide)", "numpy.asarray(a.twice(wide))", "numpy.from_dlpack(a.identity(2))",
        "memoryview(a.identity(2))", "bytes(a.identity(2))", "a.identity(2).tolist()", "a.identity(2)[1, 1]",
        "made = a.identity(2); made.shape, made.strides, made.format, made.nbytes, made.readonly, len(made)", "a.identity(2).__dlpack__()",
        "a.identity(2).__dlpack__(max_version=(1, 1))", "a.grid_of(2, 2)", "a.known(2, 2)", "a.columns(2, 2)", "a.every_other(2)", "a.fixed()",
        "a.integers(2)", "a.letters()", "a.total(a.identity(2))", "matrix.view()", "memoryview(matrix.view())", "numpy.asarray(matrix.view())[0]",
        "numpy.from_dlpack(matrix.view())", "matrix.frozen()", "matrix.row(1)", "matrix.column(1)", "matrix.whole", "a.total(matrix.view())",
        "a.matrix(2, 2).view()", "board.cells()", "board.copied()", "board.by_pointer()", "board.transposed()", "board.flat()",
        "board.patch(1, 1)", "board.row(0).sum()", "board.row(0).cells()", "board.lasting()", "board.fixed()",
        "made = a.Board(2, 2); made.row(0); made.resize(1, 1)",
        "series[0:2]", "series[::-1]", "series[-1]", "del series[3::2]", "len(series)", "keys[0, 1:, ..., None]", "keys[1:2:3]", "keys[0] = 1",
        "slice(1) in keys", "a.same_slice(slice(1, 2))", "a.keys_within([slice(1)], {'x': 3, 'y': None})", "a.positions(slice(1), 3)",
        "a.width(slice(1, 3))", "a.which(slice(1))", "a.which(1)", "a.which('x')", "a.may_be()", "a.overloaded((1, 2))", "a.overloaded(1)",
        "can_export and memoryview(picture)", "can_export and bytes(picture)", "can_export and numpy.asarray(picture)[0]", "can_export and a.total(picture)",
        "a.Picture(2, 2)", "a.Poster(2)", "2.0 * picture", "picture.sum()",
        "shared.__dlpack__()", "shared.__dlpack__(max_version=(1, 0))", "numpy.from_dlpack(shared)", "shared.__dlpack_device__()", "a.plain([1.0])",
    ),
    (
        "a.total(ints)", "a.total(line)", "a.total(columns)", "a.fortran(wide)", "a.total(misaligned)", "a.total(backwards)", "a.line(locked)",
        "a.product(wide, wide, out)", "a.product(wide, tall, image)", "a.paint(image[:, :, :2], 1.0)", "a.first(line, 3)", "a.first(line)", "board.swapped()", "a.trace(wide)", "a.total(5)",
        "a.total([[1.0]])", "a.total(None)", "a.total(refuses)", "a.total(elsewhere)", "a.sum_c(wide[:, ::2])", "a.too_few(9)", "a.negative(-1)",
        "a.huge(1 << 40)", "a.null()", "a.fails(1)", "a.identity('x')", "a.identity(2)[5, 5]", "a.identity(2)['x']", "a.fixed()[0, 0] = 1.0",
        "a.identity(2)[0, 0] = 'x'", "a.identity(2).__dlpack__(stream=3)", "matrix.row(9)", "matrix.column(9)", "held.close()", "closed.view()",
        "a.total(closed)", "copy.copy(matrix)", "pickle.dumps(a.identity(2))", "memoryview(matrix.frozen())[0, 0] = 1.0", "memoryview(a.Broken())",
        "numpy.sin(picture) + None", "series['x']", "series[9]", "series[::0]", "series[:'end']", "keys[True]", "keys['x']", "keys[0, 'x']",
        "a.same_slice(3)", "a.overloaded(1.5)", "shared.__dlpack__(stream=3)", "shared.__dlpack__(copy=False)", "shared.__dlpack__(1)", "a.no_memory()",
        "a.no_export()", "a.plain(['x'])", "board.patch('x', 1)",
    ),
)  # fmt: skip
