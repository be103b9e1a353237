// The library of nodes, bound with pybind11 in two forms: as most authors write it, and with what keeps a document alive for its nodes (KEPT).
#include <pybind11/functional.h>
#include <pybind11/operators.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "nodes.hpp"

namespace py = pybind11;
using nodes::Attribute;
using nodes::Document;
using nodes::Kind;
using nodes::Node;
using nodes::Walker;
using nodes::Writer;

#ifdef SAFE
#define KEPT , py::keep_alive<0, 1>()
#else
#define KEPT
#endif

namespace {
struct PyWalker : Walker {
    bool enter(Node node, int depth) override { PYBIND11_OVERRIDE_PURE(bool, Walker, enter, node, depth); }
    void leave(Node node, int depth) override { PYBIND11_OVERRIDE(void, Walker, leave, node, depth); }
};

struct PyWriter : Writer {
    void write(const std::string &piece) override { PYBIND11_OVERRIDE_PURE(void, Writer, write, piece); }
    void flush() override { PYBIND11_OVERRIDE(void, Writer, flush); }
};

/// What calls a predicate of Python with a node or an attribute of what `self` is.
#ifdef SAFE
using Wanted = py::function;
template <class T>
std::function<bool(T)> predicate(py::handle self, const py::function &wanted) {
    return [self, &wanted](T each) {
        py::object given = py::cast(each);
        py::detail::keep_alive_impl(given, self);
        return py::cast<bool>(wanted(given));
    };
}
#define FIND(type, T, name) [](py::handle self, const Wanted &wanted) { return py::cast<type &>(self).name(predicate<T>(self, wanted)); }
#else
#define FIND(type, T, name) &type::name
#endif

template <class R>
auto iterator(const R &range) {
    return py::make_iterator<py::return_value_policy::copy>(range.begin(), range.end() KEPT);
}
}  // namespace

PYBIND11_MODULE(MODULE, m) {
    py::enum_<Kind>(m, "Kind", py::module_local()).value("element", Kind::element).value("text", Kind::text).value("comment", Kind::comment);
    py::class_<Walker, PyWalker>(m, "Walker", py::module_local()).def(py::init<>()).def("enter", &Walker::enter, py::arg("node"), py::arg("depth")).def("leave", &Walker::leave, py::arg("node"), py::arg("depth"));
    py::class_<Writer, PyWriter>(m, "Writer", py::module_local()).def(py::init<>()).def("write", &Writer::write, py::arg("piece")).def("flush", &Writer::flush);
    py::class_<Document>(m, "Document", py::module_local())
        .def(py::init<>())
        .def(py::init<const char *>(), py::arg("name"))
        .def_property("title", &Document::title, &Document::set_title)
        .def_property_readonly("size", &Document::size)
        .def("root", &Document::root KEPT)
        .def("clear", &Document::clear)
        .def("fill", &Document::fill, py::arg("count"))
        .def("find", FIND(Document, Node, find), py::arg("wanted") KEPT)
        .def("saved", &Document::saved)
        .def("save", &Document::save, py::arg("writer"))
        .def("__len__", &Document::size);
    py::class_<Node>(m, "Node", py::module_local())
        .def_property("name", &Node::name, &Node::set_name)
        .def_property("value", &Node::value, &Node::set_value)
        .def_property_readonly("kind", &Node::kind)
        .def_property_readonly("is_element", &Node::is_element)
        .def("parent", &Node::parent KEPT)
        .def("first_child", &Node::first_child KEPT)
        .def("last_child", &Node::last_child KEPT)
        .def("next_sibling", &Node::next_sibling KEPT)
        .def("previous_sibling", &Node::previous_sibling KEPT)
        .def("child", &Node::child, py::arg("name") KEPT)
        .def("child_at", &Node::child_at, py::arg("index") KEPT)
        .def("next_named", &Node::next_named, py::arg("name") KEPT)
        .def("root", &Node::root KEPT)
        .def("__iter__", [](const Node &n) { return iterator(n.children()); }, py::keep_alive<0, 1>())
        .def("children", [](const Node &n) { return iterator(n.children()); }, py::keep_alive<0, 1>())
        .def("attributes", [](const Node &n) { return iterator(n.attributes()); }, py::keep_alive<0, 1>())
        .def("count", &Node::count)
        .def("attribute_count", &Node::attribute_count)
        .def("depth", &Node::depth)
        .def("has_child", &Node::has_child, py::arg("name"))
        .def("is_within", &Node::is_within, py::arg("other"))
        .def("path", &Node::path)
        .def("text", &Node::text)
        .def("first_attribute", &Node::first_attribute KEPT)
        .def("last_attribute", &Node::last_attribute KEPT)
        .def("attribute", &Node::attribute, py::arg("name") KEPT)
        .def("has_attribute", &Node::has_attribute, py::arg("name"))
        .def("get", &Node::get, py::arg("name"), py::arg("otherwise") = "")
        .def("find", FIND(Node, Node, find), py::arg("wanted") KEPT)
        .def("find_below", FIND(Node, Node, find_below), py::arg("wanted") KEPT)
        .def("find_attribute", FIND(Node, Attribute, find_attribute), py::arg("wanted") KEPT)
        .def("count_if", FIND(Node, Node, count_if), py::arg("wanted"))
        .def("walk", &Node::walk, py::arg("walker"), py::arg("depth") = 0)
        .def("append_child", &Node::append_child, py::arg("name") KEPT)
        .def("prepend_child", &Node::prepend_child, py::arg("name") KEPT)
        .def("insert_before", &Node::insert_before, py::arg("name"), py::arg("child") KEPT)
        .def("append_text", &Node::append_text, py::arg("value") KEPT)
        .def("append_comment", &Node::append_comment, py::arg("value") KEPT)
        .def("append_copy", &Node::append_copy, py::arg("other") KEPT)
        .def("append_attribute", &Node::append_attribute, py::arg("name"), py::arg("value") KEPT)
        .def("set_attribute", &Node::set_attribute, py::arg("name"), py::arg("value") KEPT)
        .def("remove_child", &Node::remove_child, py::arg("child"))
        .def("remove_attribute", &Node::remove_attribute, py::arg("name"))
        .def("remove_children", &Node::remove_children)
        .def("write", &Node::write, py::arg("writer"))
        .def(py::self == py::self)
        .def(py::self < py::self)
        .def("__hash__", &Node::hash)
        .def("__len__", &Node::count)
        .def("__contains__", &Node::has_child, py::arg("name"));
    py::class_<Attribute>(m, "Attribute", py::module_local())
        .def_property("name", &Attribute::name, &Attribute::set_name)
        .def_property("value", &Attribute::value, &Attribute::set_value)
        .def_property_readonly("is_empty", &Attribute::is_empty)
        .def("as_int", &Attribute::as_int, py::arg("otherwise") = 0)
        .def("as_float", &Attribute::as_float, py::arg("otherwise") = 0.0)
        .def("as_bool", &Attribute::as_bool, py::arg("otherwise") = false)
        .def("set_int", &Attribute::set_int, py::arg("value"))
        .def("set_float", &Attribute::set_float, py::arg("value"))
        .def("set_bool", &Attribute::set_bool, py::arg("value"))
        .def("next", &Attribute::next KEPT)
        .def("previous", &Attribute::previous KEPT)
        .def(py::self == py::self)
        .def("__hash__", &Attribute::hash);
}
