// The index of vectors, bound with pybind11 in two forms: as most authors write it, and with what keeps an index alive for what uses it (SAFE).
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "vectors.hpp"

namespace py = pybind11;
using vectors::Hit;
using vectors::Index;
using vectors::Named;

namespace {
using Floats = py::array_t<float, py::array::c_style>;
using Labels = py::array_t<std::int64_t, py::array::c_style>;

/// The memory of one vector, or of several.
const float *floats(const Floats &of, py::ssize_t dimensions) {
    if (of.ndim() != dimensions) throw py::value_error("another number of dimensions");
    return of.data();
}
Floats vector(const Index &index, std::int64_t id, py::handle owner) { return Floats({index.dimension()}, {sizeof(float)}, index.vector(id), owner); }
void search(const Index &index, const Floats &to, Floats &distances, Labels &labels) {
    const float *from = floats(to, 2);
    if (labels.ndim() != 2 || distances.ndim() != 2 || labels.shape(0) != to.shape(0) || distances.shape(0) != to.shape(0) || distances.shape(1) != labels.shape(1)) throw py::value_error("shapes differ");
    index.search(from, to.shape(0), to.shape(1), labels.shape(1), distances.mutable_data(), labels.mutable_data());
}
}  // namespace

#ifdef SAFE
#define KEPT(...) , py::keep_alive<__VA_ARGS__>()
#define VIEW [](py::object self, std::int64_t id) { return vector(self.cast<const Index &>(), id, self); }
#else
#define KEPT(...)
// A capsule that owns nothing: without an owner the memory would be copied.
#define VIEW [](const Index &index, std::int64_t id) { return vector(index, id, py::capsule(&index, [](void *) {})); }
#endif

PYBIND11_MODULE(MODULE, m) {
    py::class_<Hit>(m, "Hit", py::module_local()).def_readonly("id", &Hit::id).def_readonly("distance", &Hit::distance);
    py::class_<Index>(m, "Index", py::module_local())
        .def(py::init<std::int64_t>(), py::arg("dimension"))
        .def_property_readonly("dimension", &Index::dimension)
        .def_property("scale", &Index::scale, &Index::set_scale)
        .def("size", &Index::size)
        .def("add", [](Index &i, const Floats &all) { i.add(floats(all, 2), all.shape(0), all.shape(1)); }, py::arg("vectors").noconvert())
        .def("vector", VIEW, py::arg("id"))
        .def("nearest", [](const Index &i, const Floats &to) { return i.nearest(floats(to, 1), to.shape(0)); }, py::arg("to").noconvert())
        .def(
            "nearest_if",
            [](const Index &i, const Floats &to, const std::function<bool(std::int64_t)> &wanted) { return i.nearest_if(floats(to, 1), to.shape(0), wanted); },
            py::arg("to").noconvert(), py::arg("wanted"))
        .def("search", &search, py::arg("to").noconvert(), py::arg("distances").noconvert(), py::arg("labels").noconvert());
    py::class_<Named>(m, "Named", py::module_local())
        .def(py::init<Index &>(), py::arg("of") KEPT(1, 2))
        .def_property("first", &Named::first, &Named::set_first)
        .def("size", &Named::size)
        .def("nearest", [](const Named &n, const Floats &to) { return n.nearest(floats(to, 1), to.shape(0)); }, py::arg("to").noconvert());
}
