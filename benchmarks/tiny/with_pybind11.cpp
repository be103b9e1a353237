#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "tiny.hpp"

namespace py = pybind11;
using Array = py::array_t<double, py::array::c_style>;

PYBIND11_MODULE(with_pybind11, m) {
    m.def("add", &tiny::add, py::arg("a"), py::arg("b"));
    m.def("pick", py::overload_cast<std::int64_t>(&tiny::pick), py::arg("value"));
    m.def("pick", py::overload_cast<const std::string &>(&tiny::pick), py::arg("value"));
    m.def("pick", py::overload_cast<double>(&tiny::pick), py::arg("value"));
    m.def("scale", &tiny::scale, py::arg("x"), py::arg("factor"));
    m.def("total", [](const Array &values) { return tiny::total(values.data(), static_cast<std::size_t>(values.size())); },
          py::arg("values").noconvert());
    m.def("total_of_list", [](const std::vector<double> &values) { return tiny::total(values.data(), values.size()); },
          py::arg("values"));
    m.def("upper", &tiny::upper, py::arg("text"));
    m.def("alive", &tiny::alive);
    py::class_<tiny::Counter>(m, "Counter")
        .def(py::init<std::int64_t>(), py::arg("start"))
        .def("get", &tiny::Counter::get)
        .def_property_readonly("value", &tiny::Counter::get)
        .def_property("level", &tiny::Counter::get, &tiny::Counter::set)
        .def("add", &tiny::Counter::add, py::arg("step"))
        .def("positive", &tiny::Counter::positive)
        .def("clone", &tiny::Counter::clone)
        .def("need", &tiny::Counter::need, py::arg("least"));
}
