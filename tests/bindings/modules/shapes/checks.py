"""What the module does, whichever tool has made it: `m` is the module."""

import pytest


def test_vectors(m):
    v = m.Vec(3, 4)
    assert (v.x, v.y, v.norm) == (3, 4, 5) and m.Vec(2).y == 0 and m.Vec().x == 0
    v.x = 6
    assert v.x == 6 and len(v) == 2 and v[1] == 4 and repr(v) == "Vec(6, 4)"
    with pytest.raises(IndexError, match="two coordinates"):
        v[2]
    assert m.Vec.unit(0) == m.Vec(1, 0)


def test_operators(m):
    a, b = m.Vec(1, 2), m.Vec(3, 4)
    assert a + b == m.Vec(4, 6) and b - a == m.Vec(2, 2) and -a == m.Vec(-1, -2) and a != b
    assert a * 2.0 == m.Vec(2, 4) and 2.0 * a == m.Vec(2, 4) and a * b == 11
    a += b
    assert a == m.Vec(4, 6)


def test_enums(m):
    assert m.Color.Blue == m.Color(4) and int(m.Color.Green) == 2 and m.Color.Red.name == "Red"
    assert m.Dotted == m.Style.Dotted and m.text_of(m.Color.Red) == "red"


def test_classes(m):
    circle = m.Circle(2)
    assert circle.area() == 12 and circle.name == "circle" and isinstance(circle, m.Shape)
    circle.name = "disc"
    assert circle.describe() == "disc of 12.0" and circle.describe(digits=2) == "disc of 12"
    circle.scale(2)
    circle.scale("twice")
    assert circle.radius == 8 and circle.color == m.Color.Red
    circle.color = m.Color.Blue
    assert circle.color == m.Color.Blue
    circle.center.x = 5
    assert circle.center.x == 5
    with pytest.raises(AttributeError):
        circle.radius = 1
    with pytest.raises(ValueError, match="a name is needed"):
        circle.name = ""


def test_overriding(m):
    class Triangle(m.Shape):
        def __init__(self, base):
            super().__init__("triangle", m.Color.Green)
            self.base = base

        def area(self):
            return self.base / 2

    triangle = Triangle(10)
    assert triangle.describe() == "triangle of 5.00" and triangle.color == m.Color.Green
    assert m.total([triangle, m.Square(3), m.Circle(1)]) == 17
    assert m.largest(m.Square(2), m.Circle(1)).name == "square"
    assert m.largest(triangle, m.Circle(1)).name == "triangle"


def test_errors(m):
    with pytest.raises(m.GeometryError, match="not negative"):
        m.Circle(-1)
    assert issubclass(m.GeometryError, ValueError)


def test_module(m):
    assert m.tools.twice(4) == 8 and m.twice("ab") == "abab"
    assert m.tools.clamp(3.0) == 1 and m.tools.clamp(3.0, high=2) == 2
    with pytest.raises(TypeError):
        m.tools.clamp(3.0, 0, 2)
    assert m.VERSION == "1.2" and m.LIMIT == 64 and "plane" in m.__doc__ and "Twice" in m.tools.twice.__doc__
