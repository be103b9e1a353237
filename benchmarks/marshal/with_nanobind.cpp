// The library of plain values, bound with nanobind.
#include <nanobind/nanobind.h>
#include <nanobind/make_iterator.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "marshal.hpp"

namespace nb = nanobind;
using namespace nb::literals;

NB_MODULE(with_nanobind, m) {
    nb::class_<marshal::Point>(m, "Point")
        .def(nb::init<double, double, std::int64_t>(), "x"_a, "y"_a, "id"_a)
        .def_ro("x", &marshal::Point::x)
        .def_ro("y", &marshal::Point::y)
        .def_ro("id", &marshal::Point::id);
    nb::class_<marshal::Grid>(m, "Grid")
        .def(nb::init<>())
        .def("first", &marshal::Grid::first)
        .def("cells", [](marshal::Grid &grid) {
            return nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig>(grid.data(), {grid.rows(), grid.columns()});
        }, nb::rv_policy::reference_internal);
    m.def("corners", [](const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> &cells) {
        return marshal::corners(cells.data(), cells.shape(0), cells.shape(1));
    }, nb::arg("cells").noconvert());
    m.def("each_number", [](std::int64_t size) { const auto &all = marshal::numbers(size); return nb::make_iterator(nb::type<marshal::Point>(), "NumberIterator", all.begin(), all.end()); }, "size"_a);
    m.def("each_word", [](std::int64_t size) { const auto &all = marshal::words(size); return nb::make_iterator(nb::type<marshal::Point>(), "WordIterator", all.begin(), all.end()); }, "size"_a);
    m.def("each_pair", [](std::int64_t size) { const auto &all = marshal::sizes(size); return nb::make_iterator(nb::type<marshal::Point>(), "PairIterator", all.begin(), all.end()); }, "size"_a);
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
        auto made = nb::steal<nb::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
        marshal::fill(PyBytes_AS_STRING(made.ptr()), size);
        return made;
    }, "size"_a);
    m.def("call_with_number", &marshal::call_with_number, "count"_a, "callback"_a);
    m.def("call_with_point", &marshal::call_with_point, "count"_a, "callback"_a);
}
