"""Keys of Python's protocols: those that are no positions, that do not fit, and positions in several dimensions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviour import packages

KEYS = """
wrapper_lib: {name: keyed, cpp_include: [map, set, unordered_set, vector], std: 17}
cpp_prelude: |
  struct table {
    std::map<int, double> rows;
    double &at(int key) { return rows.at(key); }
    double &operator[](int key) { return rows[key]; }
    std::size_t size() const { return rows.size(); }
    std::size_t erase(int key) { return rows.erase(key); }
    bool contains(int key) const { return rows.count(key) != 0; }
  };
  struct loose { template <class K> bool contains(const K &key) const { return key == 5; } };
  struct rectangle {  // its operator takes whatever it is given, and checks nothing
    std::vector<double> cells = {0, 1, 2, 3, 4, 5};
    static int size() { return 2; }
    static long columns() { return 3; }
    double sum(std::size_t row) const { return cells[3 * row] + cells[3 * row + 1] + cells[3 * row + 2]; }
    template <class R, class C> decltype(auto) operator()(R row, C column) {
      if constexpr (std::is_class_v<R>) return std::vector<double>();
      else return (cells[static_cast<std::size_t>(row * 3 + column)]);
    }
  };
  struct numbers : std::vector<unsigned char> {};
  struct ring {
    double items[3] = {1, 2, 3};
    std::size_t size() const { return 3; }
    double &at(int index) {
      if (index > 2) throw std::out_of_range("beyond the ring");
      return items[(index % 3 + 3) % 3];
    }
    double end(const std::string &which) { return which == "last" ? items[2] : at(3); }
  };
  enum class removed { yes, not_there, locked };
  struct store {
    std::set<std::string> names = {"a", "b"};
    bool is_locked = false;
    removed remove(const std::string &name) {
      return is_locked ? removed::locked : names.erase(name) != 0 ? removed::yes : removed::not_there;
    }
  };
  inline removed store_forget(store &of, int flags, const std::string &name) {
    return flags ? removed::locked : of.remove(name);
  }
errors:
  - {cpp_type: removed, ok: ["removed::yes"], none: ["removed::not_there"], name: LockedError}
handle_types:
  - name: Store
    cpp_type: store
    methods:
      - {def: "Store()"}
      - {def: "__delitem__(name: text)", cpp: remove, raises: LockedError}
      - {def: "lock()", cpp_body: h.inner.is_locked = true;}
  - name: FlaggedStore
    cpp_type: store
    methods:
      - {def: "FlaggedStore()"}
      - {def: "__delitem__(name: text)", cpp: "store_forget(self, 0, name)", raises: LockedError}
      - {def: "lock()", cpp_body: h.inner.is_locked = true;}
  - name: Ints
    cpp_type: "std::set<int>"
    methods:
      - {def: "Ints()"}
      - {def: "add(key: i64)", cpp_body: "h.inner.insert(static_cast<int>(key));"}
      - {def: "__len__() -> usize"}
      - {def: "__contains__(key: i64) -> bool"}
      - {def: "__delitem__(key: key)"}
  - name: Small
    cpp_type: "std::unordered_set<signed char>"
    methods:
      - {def: "Small()"}
      - {def: "add(key: i8)", cpp_body: "h.inner.insert(key);"}
      - {def: "__contains__(key: u64) -> bool"}
      - {def: "__delitem__(key: position[...])"}
  - name: Table
    cpp_type: "::table"
    methods:
      - {def: "Table()"}
      - {def: "__contains__(key: i64) -> bool"}
      - {def: "__getitem__(key: key) -> f64"}
      - {def: "__setitem__(key: key, value: f64)"}
      - {def: "__delitem__(key: key)"}
  - name: Sized
    cpp_type: "std::map<int, double>"
    methods:
      - {def: "Sized()"}
      - {def: "__len__() -> usize"}
      - {def: "__contains__(key: i64) -> bool"}
      - {def: "__getitem__(key: key) -> f64"}
      - {def: "__setitem__(key: key, value: f64)"}
      - {def: "__delitem__(key: key)"}
  - name: Ring
    cpp_type: "::ring"
    methods:
      - {def: "Ring()"}
      - {def: "__len__() -> usize"}
      - {def: "__getitem__(index: position[...]) -> f64"}
      - {def: "__getitem__(end: text) -> f64", cpp: .end}
      - {def: "__setitem__(index: position[...], value: f64)"}
  - {name: Loose, cpp_type: "::loose", methods: [{def: "Loose()"}, {def: "__contains__(key: i64) -> bool"}]}
  - name: Rectangle
    cpp_type: "::rectangle"
    methods:
      - {def: "Rectangle()"}
      - {def: "__len__() -> usize"}
      - {def: "__getitem__(row: position, column: position[3 * 1]) -> f64"}
      - {def: "__setitem__(row: position[self.size()], column: position[self.columns()], value: f64)"}
      - {def: "sum(row: position) -> f64"}
      - def: "__call__(column: position[self.columns()], *, row: position = -1) -> f64"
        cpp_body: return h.inner(row, column);
  - name: Numbers
    cpp_type: "::numbers"
    methods:
      - {def: "Numbers()"}
      - {def: "add(value: u8)", cpp: push_back}
      - {def: "__contains__(value: i64) -> bool"}
      - {def: "__setitem__(index: position[...], value: u8)"}
      - {def: "__delitem__(index: position[...])"}
"""


@pytest.fixture(scope="module")
def keyed(engine: str) -> Any:
    return packages.build_text(KEYS, name="keyed").load(engine)


TOO_LARGE = 2**32 + 5


def test_positions_that_cpp_checks(keyed: Any) -> None:
    ring = keyed.Ring()
    ring[-4] = 5
    assert (ring[-1], ring[-100], ring["last"], list(ring)) == (5.0, 5.0, 5.0, [1.0, 2.0, 5.0])
    with pytest.raises(IndexError, match="beyond the ring"):
        ring[3]
    with pytest.raises(KeyError, match="first"):
        ring["first"]
    with pytest.raises(IndexError, match="beyond the ring"):
        ring[3] = 1
    with pytest.raises(IndexError, match="out of range"):
        ring[2**32]


@pytest.mark.parametrize("name", ["Store", "FlaggedStore"])
def test_a_status_tells_of_a_key_that_cannot_be_deleted(keyed: Any, name: str) -> None:
    store = getattr(keyed, name)()
    del store["a"]
    with pytest.raises(KeyError, match=r"^'a'$"):
        del store["a"]
    store.lock()
    with pytest.raises(keyed.LockedError, match="the call failed with a removed"):
        del store["b"]


def test_keys_that_do_not_fit_are_not_there(keyed: Any) -> None:
    ints, small, sized, numbers = keyed.Ints(), keyed.Small(), keyed.Sized(), keyed.Numbers()
    ints.add(5)
    small.add(-1)
    sized[5] = 1.0
    numbers.add(5)
    for each in (ints, sized, numbers):
        assert 5 in each and TOO_LARGE not in each and 5 - 2**32 not in each
    assert 256 + 5 not in numbers and 2**64 - 1 not in small and 255 not in small
    assert 5 in keyed.Loose() and TOO_LARGE not in keyed.Loose()
    for each in (ints, sized):
        for key in (TOO_LARGE, 6):
            with pytest.raises(KeyError) as caught:
                del each[key]
            assert caught.value.args == (key,)
        assert len(each) == 1
        del each[5]
        assert len(each) == 0
    for key in (255, 1):
        with pytest.raises(IndexError):
            del small[key]
    with pytest.raises(OverflowError, match="does not fit i64"):
        del small[2**64 - 1]


def test_positions_in_several_dimensions(keyed: Any) -> None:
    rectangle = keyed.Rectangle()
    assert [rectangle[i, j] for i in range(2) for j in range(3)] == [0, 1, 2, 3, 4, 5]
    assert (rectangle[-1, -1], rectangle[-2, 0], rectangle[0, -3]) == (5, 0, 0)
    rectangle[-1, 1] = 9.0
    assert rectangle[1, 1] == 9
    for key, name in (
        ((2, 0), "row"),
        ((-3, 0), "row"),
        ((0, 3), "column"),
        ((0, -4), "column"),
        ((1 << 40, 0), "row"),
    ):
        with pytest.raises(IndexError, match=f"Rectangle: {name} index out of range"):
            rectangle[key]
        with pytest.raises(IndexError, match=f"Rectangle: {name} index out of range"):
            rectangle[key] = 1.0


def test_positions_of_methods_that_have_names(keyed: Any) -> None:
    rectangle = keyed.Rectangle()
    assert [rectangle.sum(row) for row in (0, 1, -1, -2)] == [3, 12, 12, 3]
    assert (rectangle(0), rectangle(-1), rectangle(-3, row=0)) == (3, 5, 0)
    for call, name in (
        (lambda: rectangle.sum(2), "row"),
        (lambda: rectangle.sum(row=-3), "row"),
        (lambda: rectangle(3), "column"),
        (lambda: rectangle(-300), "column"),
        (lambda: rectangle(0, row=2), "row"),
    ):
        with pytest.raises(IndexError, match=f"^Rectangle: {name} index out of range$"):
            call()
    with pytest.raises(TypeError, match=r"^row: an int is wanted, not float$"):
        rectangle.sum(1.0)


def test_a_map_adds_integer_keys(keyed: Any) -> None:
    for each in (keyed.Table(), keyed.Sized()):
        each[6] = 2.0
        each[-7] = 3.0
        each[6] = 4.0
        assert (each[6], each[-7]) == (4.0, 3.0)
        with pytest.raises(LookupError):
            each[TOO_LARGE] = 1.0
        assert 5 not in each and TOO_LARGE not in each
        del each[6]
        assert 6 not in each


def test_positions_without_a_length_are_checked_by_cpp(keyed: Any) -> None:
    numbers = keyed.Numbers()
    for value in (1, 2):
        numbers.add(value)
    numbers[1] = 7
    for index in (2, -1, 2**62):
        with pytest.raises(IndexError):
            numbers[index] = 0
        with pytest.raises(IndexError):
            del numbers[index]
    del numbers[0]
    assert 7 in numbers and 1 not in numbers
