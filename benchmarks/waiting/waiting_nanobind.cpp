#include <nanobind/nanobind.h>

#include "waiting.hpp"

namespace nb = nanobind;

NB_MODULE(waiting_nanobind, m) {
    m.def("add", &waiting::add, nb::arg("a"), nb::arg("b"));
    m.def("wait", &waiting::wait, nb::arg("microseconds"), nb::call_guard<nb::gil_scoped_release>());
}
