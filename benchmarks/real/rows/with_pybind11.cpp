// The database of rows, bound with pybind11 in two forms: as most authors write it, and with what keeps a database alive for its rows (KEPT).
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "wrapped.hpp"

namespace py = pybind11;

#ifdef SAFE
#define KEPT , py::keep_alive<0, 1>()
#define FIND(name)                                                                            \
    [](py::handle self, const py::function &wanted) {                                         \
        return py::cast<Database &>(self).name([self, &wanted](Row row) {                     \
            py::object given = py::cast(row);                                                 \
            py::detail::keep_alive_impl(given, self);                        \
            return py::cast<bool>(wanted(given));                                             \
        });                                                                                   \
    }
#else
#define KEPT
#define FIND(name) &Database::name
#endif

PYBIND11_MODULE(MODULE, m) {
    const auto &failed = py::register_local_exception<Failed>(m, "RowsError");
    py::register_local_exception<Missing>(m, "NoSuchRow", failed);
    py::class_<Database>(m, "Database", py::module_local())
        .def(py::init<const char *>(), py::arg("name"))
        .def_property_readonly("name", &Database::name)
        .def("count", &Database::count)
        .def("insert", &Database::insert, py::arg("id"), py::arg("name"), py::arg("score"))
        .def("remove", &Database::remove, py::arg("id"))
        .def("score", &Database::score, py::arg("id"))
        .def("find", &Database::find, py::arg("id") KEPT)
        .def("first", &Database::first KEPT)
        .def("match", FIND(match), py::arg("wanted") KEPT)
        .def("select", &Database::select, py::arg("least") KEPT)
        .def(
            "__iter__",
            [](const Database &db) { return py::make_iterator<py::return_value_policy::copy>(db.begin(), db.end() KEPT); },
            py::keep_alive<0, 1>());
    py::class_<Row>(m, "Row", py::module_local())
        .def_property_readonly("id", &Row::id)
        .def_property_readonly("name", &Row::name)
        .def_property("score", &Row::score, &Row::set_score)
        .def("next", &Row::next KEPT);
    py::class_<Query>(m, "Query", py::module_local())
        .def_property_readonly("id", &Query::id)
        .def_property_readonly("name", &Query::name)
        .def_property_readonly("score", &Query::score)
        .def("step", &Query::step);
}
