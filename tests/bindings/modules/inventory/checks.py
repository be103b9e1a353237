"""What the module does, whichever tool has made it: `m` is the module."""

from datetime import timedelta

import pytest


def test_items(m):
    item = m.Item("lamp", tags=["light"])
    assert (item.name, item.price, list(item.tags), item.shelf) == ("lamp", 1.5, ["light"], None)
    item.price, item.shelf, item.tags = 2.5, 3, ["a", "b"]
    assert item.price == 2.5 and item.shelf == 3 and list(item.tags) == ["a", "b"] and item.label == "lamp:2"
    item.cents = 999
    assert item.cents == 999 and str(item) == "<lamp>" and m.Item("x", 1) < m.Item("y", 2)
    with pytest.raises(AttributeError):
        item.label = "x"


def test_inventory(m):
    store = m.Inventory()
    lamp = store.add("lamp", 5)
    store.add("chair", 20).tags = ["wood"]
    lamp.price = 6
    assert store.find("lamp").price == 6 and store.find("table") is None and len(store) == 2
    assert store[1].name == "chair" and "lamp" in store and "table" not in store
    with pytest.raises(IndexError):
        store[2]
    assert store.prices() == {"lamp": 6, "chair": 20} and store.tags() == {"wood"} and store.range() == (6, 20)
    assert [each.name for each in store.cheaper(than=10)] == ["lamp"] and store.names() == ["lamp", "chair"]
    assert store.labels() == ["lamp!", "chair!"] and store.pairs() == [("lamp", 6), ("chair", 20)]
    assert store.rename("lamp", "light").rename("light", "sun") is store and store.find("sun") is lamp
    store.take("box", 1)
    assert store.span() == (3, 20) and store.names()[2] == "box"
    with pytest.raises(KeyError, match="no table"):
        store.remove("table")
    store.remove("sun")
    assert len(store) == 2


def test_callables(m):
    store = m.Inventory()
    store.add("a", 1)
    store.add("b", 2)
    seen = []
    assert store.each(lambda name, price: seen.append(name) or price > 1) == 1 and seen == ["a", "b"]
    assert m.compose(lambda x: x + 1, lambda x: x * 10) == 11
    with pytest.raises(ZeroDivisionError):
        store.each(lambda name, price: 1 / 0)


def test_listener(m):
    class Log(m.Listener):
        def __init__(self):
            super().__init__()
            self.seen = []

        def added(self, name, price):
            self.seen.append((name, price))

    log, store = Log(), m.Inventory()
    store.watch(log)
    store.add("lamp", 5)
    assert log.seen == [("lamp", 5)] and log.priority() == 0


def test_values(m):
    assert [m.kind(1), m.kind(1.5), m.kind("x")] == ["int", "float", "text"]
    assert m.parse("2.5") == 2.5 and m.parse("x") is None
    assert m.longer(timedelta(seconds=2)) == timedelta(seconds=4) and m.parts(3) == (3, "3", True)
    assert m.join(["a", "b"]) == "a, b" and m.join(words=["a", "b"], sign="-") == "a-b"
    assert m.describe() == "nothing" and m.describe(m.Item("x")) == "x" and m.raw("a") == b"a!"
    store = m.Inventory()
    assert store.timeout == timedelta(milliseconds=1500)
    store.timeout = timedelta(seconds=2)
    assert store.timeout == timedelta(seconds=2) and store.mode == 0


def test_errors(m):
    assert m.check(3) == 3
    for value, error in ((-1, ValueError), (10, KeyError), (5, TypeError)):
        with pytest.raises(error):
            m.check(value)


def test_lifetimes(m):
    store = m.Inventory()
    store.add("lamp", 5)
    view = m.View(store)
    del store
    assert view.count() == 1
    store = m.Inventory()
    item = store.add("lamp", 5)
    del store
    assert item.name == "lamp"
