// The index of vectors, bound with nanobind in two forms: as most authors write it, and with what keeps an index alive for what uses it (SAFE).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>

#include "vectors.hpp"

namespace nb = nanobind;
using vectors::Hit;
using vectors::Index;
using vectors::Named;

namespace {
using One = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Several = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Distances = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using View = nb::ndarray<nb::numpy, const float, nb::ndim<1>>;

std::int64_t size(std::size_t of) { return static_cast<std::int64_t>(of); }

View vector(const Index &index, std::int64_t id) {
    const std::size_t shape[] = {static_cast<std::size_t>(index.dimension())};
    return View(const_cast<float *>(index.vector(id)), 1, shape, nb::handle());
}
void search(const Index &index, const Several &to, const Distances &distances, const Labels &labels) {
    if (labels.shape(0) != to.shape(0) || distances.shape(0) != to.shape(0) || distances.shape(1) != labels.shape(1)) throw nb::value_error("shapes differ");
    index.search(to.data(), size(to.shape(0)), size(to.shape(1)), size(labels.shape(1)), distances.data(), labels.data());
}
}  // namespace

#ifdef SAFE
#define KEPT(...) , nb::keep_alive<__VA_ARGS__>()
#define VIEW nb::rv_policy::reference_internal
#else
#define KEPT(...)
#define VIEW nb::rv_policy::reference
#endif

NB_MODULE(MODULE, m) {
    nb::class_<Hit>(m, "Hit").def_ro("id", &Hit::id).def_ro("distance", &Hit::distance);
    nb::class_<Index>(m, "Index")
        .def(nb::init<std::int64_t>(), nb::arg("dimension"))
        .def_prop_ro("dimension", &Index::dimension)
        .def_prop_rw("scale", &Index::scale, &Index::set_scale)
        .def("size", &Index::size)
        .def("add", [](Index &i, const Several &all) { i.add(all.data(), size(all.shape(0)), size(all.shape(1))); }, nb::arg("vectors"))
        .def("vector", &vector, nb::arg("id"), VIEW)
        .def("nearest", [](const Index &i, const One &to) { return i.nearest(to.data(), size(to.shape(0))); }, nb::arg("to"))
        .def(
            "nearest_if",
            [](const Index &i, const One &to, const std::function<bool(std::int64_t)> &wanted) { return i.nearest_if(to.data(), size(to.shape(0)), wanted); },
            nb::arg("to"), nb::arg("wanted"))
        .def("search", &search, nb::arg("to"), nb::arg("distances"), nb::arg("labels"));
    nb::class_<Named>(m, "Named")
        .def(nb::init<Index &>(), nb::arg("of") KEPT(1, 2))
        .def_prop_rw("first", &Named::first, &Named::set_first)
        .def("size", &Named::size)
        .def("nearest", [](const Named &n, const One &to) { return n.nearest(to.data(), size(to.shape(0))); }, nb::arg("to"));
}
