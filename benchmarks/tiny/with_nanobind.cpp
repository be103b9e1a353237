#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tiny.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using Array = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Where there is no GIL, one call at a time on a counter, if that is asked for.
#ifdef TINY_LOCKS
#define LOCKS , nb::lock_self()
#else
#define LOCKS
#endif

NB_MODULE(with_nanobind, m) {
    m.def("add", &tiny::add, "a"_a, "b"_a);
    m.def("pick", nb::overload_cast<std::int64_t>(&tiny::pick), "value"_a);
    m.def("pick", nb::overload_cast<const std::string &>(&tiny::pick), "value"_a);
    m.def("pick", nb::overload_cast<double>(&tiny::pick), "value"_a);
    m.def("scale", &tiny::scale, "x"_a, "factor"_a);
    m.def("total", [](const Array &values) { return tiny::total(values.data(), values.size()); }, "values"_a);
    m.def("total_of_list", [](const std::vector<double> &values) { return tiny::total(values.data(), values.size()); }, "values"_a);
    m.def("upper", &tiny::upper, "text"_a);
    m.def("alive", &tiny::alive);
    nb::class_<tiny::Counter>(m, "Counter")
        .def(nb::init<std::int64_t>(), "start"_a)
        .def("get", &tiny::Counter::get LOCKS)
        .def_prop_ro("value", &tiny::Counter::get LOCKS)
        .def_prop_rw("level", &tiny::Counter::get, &tiny::Counter::set LOCKS)
        .def("add", &tiny::Counter::add, "step"_a LOCKS)
        .def("positive", &tiny::Counter::positive LOCKS)
        .def("clone", &tiny::Counter::clone LOCKS)
        .def("need", &tiny::Counter::need, "least"_a LOCKS);
}
