#include <pybind11/pybind11.h>

#include "waiting.hpp"

namespace py = pybind11;

PYBIND11_MODULE(waiting_pybind11, m) {
    m.def("add", &waiting::add, py::arg("a"), py::arg("b"));
    m.def("wait", &waiting::wait, py::arg("microseconds"), py::call_guard<py::gil_scoped_release>());
}
