// A module of nanobind over a library's header: shared objects, templates, iterators, submodules and helper functions.
#include <nanobind/make_iterator.h>
#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/bind_map.h>
#include <nanobind/stl/bind_vector.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "graphs.hpp"

NB_MAKE_OPAQUE(std::vector<double>)

namespace nb = nanobind;
using namespace graphs;

namespace {

std::string shown(const Graph &graph) {
    std::string out;
    for (const auto &each : graph.nodes()) out += each->name + " ";
    return out;
}

using Depths = std::map<std::string, int>;

Depths depths(const Graph &graph) {
    Depths out;
    for (const auto &each : graph.nodes()) out[each->name] = static_cast<int>(each->next.size());
    return out;
}

double sum(const std::vector<double> &weights) {
    double out = 0;
    for (double each : weights) out += each;
    return out;
}

std::variant<int, std::string> number_or_text(const std::string &text) {
    if (!text.empty() && isdigit(text[0])) return std::stoi(text);
    return text;
}

template <typename T>
void bind_box(nb::module_ &m, const char *name) {
    nb::class_<Box<T>>(m, name)
        .def(nb::init<T>(), nb::arg("value"))
        .def("get", &Box<T>::get)
        .def("set", &Box<T>::set, nb::arg("to"))
        .def_rw("value", &Box<T>::value)
        .def("__eq__", [](const Box<T> &a, const Box<T> &b) { return a.value == b.value; });
}

}  // namespace

static void bind_nodes(nb::module_ &m) {
    nb::class_<Node>(m, "Node", "A node of a graph.")
        .def(nb::init<std::string>(), nb::arg("name"))
        .def_rw("name", &Node::name)
        .def_rw("next", &Node::next)
        .def_prop_ro("kind", &Node::kind)
        .def("link", [](Node &self, std::shared_ptr<Node> to) { self.next.push_back(std::move(to)); }, nb::arg("to"));
    nb::class_<Leaf, Node>(m, "Leaf").def(nb::init<std::string, Weight>(), nb::arg("name"), nb::arg("weight") = 1.0).def_ro("weight", &Leaf::weight);
}

NB_MODULE(graphs, m) {
    bind_nodes(m);

    nb::class_<Edge>(m, "Edge")
        .def("__init__", [](Edge *self, std::size_t from, std::size_t to) { new (self) Edge{from, to}; }, nb::arg("start"), nb::arg("end"))
        .def_ro("start", &Edge::from)
        .def_ro("end", &Edge::to)
        .def(nb::self == nb::self)
        .def(nb::self < nb::self)
        .def("__hash__", [](const Edge &self) { return self.from * 31 + self.to; })
        .def("__bool__", [](const Edge &self) { return self.from != self.to; });

    nb::class_<Path>(m, "Path")
        .def(nb::init<>())
        .def("add", &Path::add, nb::arg("edge"))
        .def("__len__", &Path::size)
        .def("__getitem__", [](const Path &self, size_t i) {
            if (i >= self.size()) throw nb::index_error();
            return self[i];
        })
        .def("__iter__", [](const Path &self) { return nb::make_iterator(nb::type<Path>(), "iterator", self.begin(), self.end()); }, nb::keep_alive<0, 1>());

    nb::class_<Graph>(m, "Graph")
        .def(nb::init<>())
        .def_static("chain", &Graph::chain, nb::arg("length"))
        .def("add", &Graph::add, nb::arg("node"))
        .def("find", &Graph::find, nb::arg("name"), nb::sig("def find(self, name: str) -> Node | None"))
        .def("__getitem__", &Graph::operator[])
        .def("__len__", &Graph::size)
        .def("__str__", &shown)
        .def_prop_ro("nodes", &Graph::nodes)
        .def("path", &Graph::path)
        .def("length", &Graph::length, nb::arg("path"), nb::arg("scale") = 1.0)
        .def_prop_ro_static("limit", [](nb::handle) { return 5; });

    nb::bind_vector<std::vector<double>>(m, "Weights");
    nb::bind_map<Depths>(m, "Depths");
    m.def("depths", &depths, nb::arg("graph"));
    m.def("sum", &sum, nb::arg("weights"));

    bind_box<int>(m, "IntBox");
    bind_box<std::string>(m, "TextBox");

    auto text = m.def_submodule("text");
    text.def("number_or_text", &number_or_text, nb::arg("text"));
    text.def("longest", [](const std::vector<std::string> &words) -> std::string {
        std::string out;
        for (const auto &each : words)
            if (each.size() > out.size()) out = each;
        return out;
    }, nb::arg("words"));
}
