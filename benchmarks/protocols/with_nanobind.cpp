// The library of operators, bound with nanobind.
#include <nanobind/make_iterator.h>
#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/trampoline.h>

#include "protocols.hpp"

namespace nb = nanobind;
using protocols::Node;
using protocols::Numbers;
using protocols::Place;
using protocols::Tree;
using protocols::Vector;

namespace {
std::size_t position(const Numbers &numbers, std::int64_t index) {
    const auto size = static_cast<std::int64_t>(numbers.size());
    if (index < 0) index += size;
    if (index < 0 || index >= size) throw nb::index_error("index out of range");
    return static_cast<std::size_t>(index);
}

struct PyShape : protocols::Shape {
    NB_TRAMPOLINE(protocols::Shape, 1);
    double area(double scale) const override { NB_OVERRIDE_PURE(area, scale); }
};
}  // namespace

NB_MODULE(with_nanobind, m) {
    nb::class_<Vector>(m, "Vector")
        .def(nb::init<double, double>(), nb::arg("x"), nb::arg("y"))
        .def(nb::self + nb::self)
        .def(nb::self * double())
        .def(nb::self += nb::self, nb::rv_policy::none)
        .def(-nb::self)
        .def(nb::self == nb::self)
        .def(nb::self < nb::self)
        .def("__bool__", [](const Vector &v) { return static_cast<bool>(v); })
        .def("__call__", &Vector::operator(), nb::arg("t"))
        .def("__hash__", &Vector::hash);
    nb::class_<Place>(m, "Place")
        .def_ro("x", &Place::x)
        .def_ro("y", &Place::y)
        .def_ro("name", &Place::name)
        .def("reach", &Place::reach, nb::arg("by"));
    m.def("place", &protocols::place, nb::arg("name"));
    nb::class_<Numbers>(m, "Numbers")
        .def(nb::init<std::size_t>(), nb::arg("size"))
        .def("__len__", &Numbers::size)
        .def("__getitem__", [](const Numbers &n, std::int64_t i) { return n.at(position(n, i)); })
        .def("__setitem__", [](Numbers &n, std::int64_t i, double value) { n.at(position(n, i)) = value; })
        .def("__contains__", &Numbers::contains);
    nb::class_<Node>(m, "Node")
        .def("value", &Node::value)
        .def("first_child", &Node::first_child, nb::rv_policy::reference_internal)
        .def("next", &Node::next, nb::rv_policy::reference_internal);
    nb::class_<Tree>(m, "Tree")
        .def(nb::init<std::size_t>(), nb::arg("size"))
        .def("root", &Tree::root, nb::rv_policy::reference_internal)
        .def(
            "children",
            [](const Tree &tree) {
                const auto &all = tree.children();
                return nb::make_iterator<nb::rv_policy::reference_internal>(nb::type<Tree>(), "Children", all.begin(), all.end());
            },
            nb::keep_alive<0, 1>())
        .def("clear", &Tree::clear);
    nb::class_<protocols::Shape, PyShape>(m, "Shape").def(nb::init<>()).def("area", &protocols::Shape::area, nb::arg("scale"));
    m.def("total", &protocols::total, nb::arg("shape"), nb::arg("times"));
}
