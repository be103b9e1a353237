// The database of rows, bound with nanobind in two forms: as most authors write it, and with what keeps a database alive for its rows (KEPT).
#include <nanobind/make_iterator.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>

#include "wrapped.hpp"

namespace nb = nanobind;

#ifdef SAFE
#define KEPT , nb::keep_alive<0, 1>()
#define FIND(name)                                                                            \
    [](nb::handle self, const nb::callable &wanted) {                                         \
        return nb::cast<Database &>(self).name([self, &wanted](Row row) {                     \
            nb::object given = nb::cast(row);                                                 \
            NB_CALL(keep_alive_py)(NB_CTX, given.ptr(), self.ptr());                                  \
            return nb::cast<bool>(wanted(given));                                             \
        });                                                                                   \
    }
#else
#define KEPT
#define FIND(name) &Database::name
#endif

NB_MODULE(MODULE, m) {
    nb::exception<Failed> failed(m, "RowsError");
    nb::exception<Missing>(m, "NoSuchRow", failed);
    nb::class_<Database>(m, "Database")
        .def(nb::init<const char *>(), nb::arg("name"))
        .def_prop_ro("name", &Database::name)
        .def("count", &Database::count)
        .def("insert", &Database::insert, nb::arg("id"), nb::arg("name"), nb::arg("score"))
        .def("remove", &Database::remove, nb::arg("id"))
        .def("score", &Database::score, nb::arg("id"))
        .def("find", &Database::find, nb::arg("id") KEPT)
        .def("first", &Database::first KEPT)
        .def("match", FIND(match), nb::arg("wanted") KEPT)
        .def("select", &Database::select, nb::arg("least") KEPT)
        .def(
            "__iter__",
            [](const Database &db) { return nb::make_iterator<nb::rv_policy::copy>(nb::type<Database>(), "RowIterator", db.begin(), db.end() KEPT); },
            nb::keep_alive<0, 1>());
    nb::class_<Row>(m, "Row")
        .def_prop_ro("id", &Row::id)
        .def_prop_ro("name", &Row::name)
        .def_prop_rw("score", &Row::score, &Row::set_score)
        .def("next", &Row::next KEPT);
    nb::class_<Query>(m, "Query")
        .def_prop_ro("id", &Query::id)
        .def_prop_ro("name", &Query::name)
        .def_prop_ro("score", &Query::score)
        .def("step", &Query::step);
}
