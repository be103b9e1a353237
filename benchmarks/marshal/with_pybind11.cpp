// The library of plain values, bound with pybind11.
#include <pybind11/pybind11.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "marshal.hpp"

namespace py = pybind11;
using namespace py::literals;

PYBIND11_MODULE(with_pybind11, m) {
    py::class_<marshal::Point>(m, "Point")
        .def(py::init<double, double, std::int64_t>(), "x"_a, "y"_a, "id"_a)
        .def_readonly("x", &marshal::Point::x)
        .def_readonly("y", &marshal::Point::y)
        .def_readonly("id", &marshal::Point::id);
    py::class_<marshal::Grid>(m, "Grid")
        .def(py::init<>())
        .def("first", &marshal::Grid::first)
        .def("cells", [](py::object self) {
            auto &grid = self.cast<marshal::Grid &>();
            return py::array_t<double>({grid.rows(), grid.columns()}, grid.data(), self);
        });
    m.def("corners", [](const py::array_t<double, py::array::c_style> &cells) {
        if (cells.ndim() != 2) throw py::type_error("two dimensions are wanted");
        return marshal::corners(cells.data(), static_cast<std::size_t>(cells.shape(0)), static_cast<std::size_t>(cells.shape(1)));
    }, py::arg("cells").noconvert());
    m.def("each_number", [](std::int64_t size) { const auto &all = marshal::numbers(size); return py::make_iterator(all.begin(), all.end()); }, "size"_a);
    m.def("each_word", [](std::int64_t size) { const auto &all = marshal::words(size); return py::make_iterator(all.begin(), all.end()); }, "size"_a);
    m.def("each_pair", [](std::int64_t size) { const auto &all = marshal::sizes(size); return py::make_iterator(all.begin(), all.end()); }, "size"_a);
    m.def("take_texts", &marshal::take_texts, "value"_a);
    m.def("give_texts", &marshal::give_texts, "size"_a);
    m.def("take_rows", &marshal::take_rows, "value"_a);
    m.def("give_rows", &marshal::give_rows, "size"_a);
    m.def("take_counts", &marshal::take_counts, "value"_a);
    m.def("give_counts", &marshal::give_counts, "size"_a);
    m.def("take_pair", &marshal::take_pair, "value"_a);
    m.def("give_pair", &marshal::give_pair);
    m.def("take_pairs", &marshal::take_pairs, "value"_a);
    m.def("give_pairs", &marshal::give_pairs, "size"_a);
    m.def("take_either", &marshal::take_either, "value"_a);
    m.def("give_either", &marshal::give_either);
    m.def("take_eithers", &marshal::take_eithers, "value"_a);
    m.def("give_eithers", &marshal::give_eithers, "size"_a);
    m.def("take_point", &marshal::take_point, "value"_a);
    m.def("give_point", &marshal::give_point);
    m.def("take_points", &marshal::take_points, "value"_a);
    m.def("give_points", &marshal::give_points, "size"_a);
    m.def("half", [](std::int64_t value) {
        std::int64_t low;
        return marshal::half(value, &low), low;
    }, "value"_a);
    m.def("halves", [](std::int64_t value) {
        std::int64_t low, high;
        return marshal::halves(value, &low, &high), std::make_pair(low, high);
    }, "value"_a);
    m.def("fill", [](std::size_t size) {
        auto made = py::reinterpret_steal<py::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
        marshal::fill(PyBytes_AS_STRING(made.ptr()), size);
        return made;
    }, "size"_a);
    m.def("call_with_number", &marshal::call_with_number, "count"_a, "callback"_a);
    m.def("call_with_point", &marshal::call_with_point, "count"_a, "callback"_a);
}
