// The library of nodes, bound with nanobind in two forms: as most authors write it, and with what keeps a document alive for its nodes (KEPT).
#include <nanobind/make_iterator.h>
#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/trampoline.h>

#include "nodes.hpp"

namespace nb = nanobind;
using nodes::Attribute;
using nodes::Document;
using nodes::Kind;
using nodes::Node;
using nodes::Walker;
using nodes::Writer;

#ifdef SAFE
#define KEPT , nb::keep_alive<0, 1>()
#else
#define KEPT
#endif

namespace {
struct PyWalker : Walker {
    NB_TRAMPOLINE(Walker, 2);
    bool enter(Node node, int depth) override { NB_OVERRIDE_PURE(enter, node, depth); }
    void leave(Node node, int depth) override { NB_OVERRIDE(leave, node, depth); }
};

struct PyWriter : Writer {
    NB_TRAMPOLINE(Writer, 2);
    void write(const std::string &piece) override { NB_OVERRIDE_PURE(write, piece); }
    void flush() override { NB_OVERRIDE(flush); }
};

/// What calls a predicate of Python with a node or an attribute of what `self` is.
#ifdef SAFE
using Wanted = nb::callable;
template <class T>
std::function<bool(T)> predicate(nb::handle self, const nb::callable &wanted) {
    return [self, &wanted](T each) {
        nb::object given = nb::cast(each);
        NB_CALL(keep_alive_py)(NB_CTX, given.ptr(), self.ptr());
        return nb::cast<bool>(wanted(given));
    };
}
#define FIND(type, T, name) [](nb::handle self, const Wanted &wanted) { return nb::cast<type &>(self).name(predicate<T>(self, wanted)); }
#else
#define FIND(type, T, name) &type::name
#endif

template <class R>
auto iterator(const char *name, const R &range) {
    return nb::make_iterator<nb::rv_policy::copy>(nb::type<Node>(), name, range.begin(), range.end() KEPT);
}
}  // namespace

NB_MODULE(MODULE, m) {
    nb::enum_<Kind>(m, "Kind").value("element", Kind::element).value("text", Kind::text).value("comment", Kind::comment);
    nb::class_<Walker, PyWalker>(m, "Walker").def(nb::init<>()).def("enter", &Walker::enter, nb::arg("node"), nb::arg("depth")).def("leave", &Walker::leave, nb::arg("node"), nb::arg("depth"));
    nb::class_<Writer, PyWriter>(m, "Writer").def(nb::init<>()).def("write", &Writer::write, nb::arg("piece")).def("flush", &Writer::flush);
    nb::class_<Document>(m, "Document")
        .def(nb::init<>())
        .def(nb::init<const char *>(), nb::arg("name"))
        .def_prop_rw("title", &Document::title, &Document::set_title)
        .def_prop_ro("size", &Document::size)
        .def("root", &Document::root KEPT)
        .def("clear", &Document::clear)
        .def("fill", &Document::fill, nb::arg("count"))
        .def("find", FIND(Document, Node, find), nb::arg("wanted") KEPT)
        .def("saved", &Document::saved)
        .def("save", &Document::save, nb::arg("writer"))
        .def("__len__", &Document::size);
    nb::class_<Node>(m, "Node")
        .def_prop_rw("name", &Node::name, &Node::set_name)
        .def_prop_rw("value", &Node::value, &Node::set_value)
        .def_prop_ro("kind", &Node::kind)
        .def_prop_ro("is_element", &Node::is_element)
        .def("parent", &Node::parent KEPT)
        .def("first_child", &Node::first_child KEPT)
        .def("last_child", &Node::last_child KEPT)
        .def("next_sibling", &Node::next_sibling KEPT)
        .def("previous_sibling", &Node::previous_sibling KEPT)
        .def("child", &Node::child, nb::arg("name") KEPT)
        .def("child_at", &Node::child_at, nb::arg("index") KEPT)
        .def("next_named", &Node::next_named, nb::arg("name") KEPT)
        .def("root", &Node::root KEPT)
        .def("__iter__", [](const Node &n) { return iterator("NodeIterator", n.children()); }, nb::keep_alive<0, 1>())
        .def("children", [](const Node &n) { return iterator("NodeIterator", n.children()); }, nb::keep_alive<0, 1>())
        .def("attributes", [](const Node &n) { return iterator("AttributeIterator", n.attributes()); }, nb::keep_alive<0, 1>())
        .def("count", &Node::count)
        .def("attribute_count", &Node::attribute_count)
        .def("depth", &Node::depth)
        .def("has_child", &Node::has_child, nb::arg("name"))
        .def("is_within", &Node::is_within, nb::arg("other"))
        .def("path", &Node::path)
        .def("text", &Node::text)
        .def("first_attribute", &Node::first_attribute KEPT)
        .def("last_attribute", &Node::last_attribute KEPT)
        .def("attribute", &Node::attribute, nb::arg("name") KEPT)
        .def("has_attribute", &Node::has_attribute, nb::arg("name"))
        .def("get", &Node::get, nb::arg("name"), nb::arg("otherwise") = "")
        .def("find", FIND(Node, Node, find), nb::arg("wanted") KEPT)
        .def("find_below", FIND(Node, Node, find_below), nb::arg("wanted") KEPT)
        .def("find_attribute", FIND(Node, Attribute, find_attribute), nb::arg("wanted") KEPT)
        .def("count_if", FIND(Node, Node, count_if), nb::arg("wanted"))
        .def("walk", &Node::walk, nb::arg("walker"), nb::arg("depth") = 0)
        .def("append_child", &Node::append_child, nb::arg("name") KEPT)
        .def("prepend_child", &Node::prepend_child, nb::arg("name") KEPT)
        .def("insert_before", &Node::insert_before, nb::arg("name"), nb::arg("child") KEPT)
        .def("append_text", &Node::append_text, nb::arg("value") KEPT)
        .def("append_comment", &Node::append_comment, nb::arg("value") KEPT)
        .def("append_copy", &Node::append_copy, nb::arg("other") KEPT)
        .def("append_attribute", &Node::append_attribute, nb::arg("name"), nb::arg("value") KEPT)
        .def("set_attribute", &Node::set_attribute, nb::arg("name"), nb::arg("value") KEPT)
        .def("remove_child", &Node::remove_child, nb::arg("child"))
        .def("remove_attribute", &Node::remove_attribute, nb::arg("name"))
        .def("remove_children", &Node::remove_children)
        .def("write", &Node::write, nb::arg("writer"))
        .def(nb::self == nb::self)
        .def(nb::self < nb::self)
        .def("__hash__", &Node::hash)
        .def("__len__", &Node::count)
        .def("__contains__", &Node::has_child, nb::arg("name"));
    nb::class_<Attribute>(m, "Attribute")
        .def_prop_rw("name", &Attribute::name, &Attribute::set_name)
        .def_prop_rw("value", &Attribute::value, &Attribute::set_value)
        .def_prop_ro("is_empty", &Attribute::is_empty)
        .def("as_int", &Attribute::as_int, nb::arg("otherwise") = 0)
        .def("as_float", &Attribute::as_float, nb::arg("otherwise") = 0.0)
        .def("as_bool", &Attribute::as_bool, nb::arg("otherwise") = false)
        .def("set_int", &Attribute::set_int, nb::arg("value"))
        .def("set_float", &Attribute::set_float, nb::arg("value"))
        .def("set_bool", &Attribute::set_bool, nb::arg("value"))
        .def("next", &Attribute::next KEPT)
        .def("previous", &Attribute::previous KEPT)
        .def(nb::self == nb::self)
        .def("__hash__", &Attribute::hash);
}
