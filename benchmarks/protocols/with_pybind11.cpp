// The library of operators, bound with pybind11.
#include <pybind11/pybind11.h>
#include <pybind11/operators.h>

#include "protocols.hpp"

namespace py = pybind11;
using protocols::Node;
using protocols::Numbers;
using protocols::Place;
using protocols::Tree;
using protocols::Vector;

namespace {
std::size_t position(const Numbers &numbers, std::int64_t index) {
    const auto size = static_cast<std::int64_t>(numbers.size());
    if (index < 0) index += size;
    if (index < 0 || index >= size) throw py::index_error("index out of range");
    return static_cast<std::size_t>(index);
}

struct PyShape : protocols::Shape {
    double area(double scale) const override { PYBIND11_OVERRIDE_PURE(double, protocols::Shape, area, scale); }
};
}  // namespace

PYBIND11_MODULE(with_pybind11, m) {
    py::class_<Vector>(m, "Vector")
        .def(py::init<double, double>(), py::arg("x"), py::arg("y"))
        .def(py::self + py::self)
        .def(py::self * double())
        .def(py::self += py::self)
        .def(-py::self)
        .def(py::self == py::self)
        .def(py::self < py::self)
        .def("__bool__", [](const Vector &v) { return static_cast<bool>(v); })
        .def("__call__", &Vector::operator(), py::arg("t"))
        .def("__hash__", &Vector::hash);
    py::class_<Place>(m, "Place")
        .def_readonly("x", &Place::x)
        .def_readonly("y", &Place::y)
        .def_readonly("name", &Place::name)
        .def("reach", &Place::reach, py::arg("by"));
    m.def("place", &protocols::place, py::arg("name"));
    py::class_<Numbers>(m, "Numbers")
        .def(py::init<std::size_t>(), py::arg("size"))
        .def("__len__", &Numbers::size)
        .def("__getitem__", [](const Numbers &n, std::int64_t i) { return n.at(position(n, i)); })
        .def("__setitem__", [](Numbers &n, std::int64_t i, double value) { n.at(position(n, i)) = value; })
        .def("__contains__", &Numbers::contains);
    py::class_<Node>(m, "Node")
        .def("value", &Node::value)
        .def("first_child", &Node::first_child, py::return_value_policy::reference_internal)
        .def("next", &Node::next, py::return_value_policy::reference_internal);
    py::class_<Tree>(m, "Tree")
        .def(py::init<std::size_t>(), py::arg("size"))
        .def("root", &Tree::root, py::return_value_policy::reference_internal)
        .def(
            "children",
            [](const Tree &tree) {
                const auto &all = tree.children();
                return py::make_iterator<py::return_value_policy::reference_internal>(all.begin(), all.end());
            },
            py::keep_alive<0, 1>())
        .def("clear", &Tree::clear);
    py::class_<protocols::Shape, PyShape>(m, "Shape").def(py::init<>()).def("area", &protocols::Shape::area, py::arg("scale"));
    m.def("total", &protocols::total, py::arg("shape"), py::arg("times"));
}
