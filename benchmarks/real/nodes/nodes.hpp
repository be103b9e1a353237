// A tree of nodes with attributes that a document owns: what a library for XML or JSON looks like.
//
// A node is a value that points into its document, as pugixml's are. Removed nodes lie in the document until that is cleared.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace nodes {

enum class Kind { element, text, comment };

struct AttributeData {
    std::string name, value;
    AttributeData *next = nullptr, *previous = nullptr;
};

struct NodeData {
    Kind kind = Kind::element;
    std::string name, value;
    NodeData *parent = nullptr, *first = nullptr, *last = nullptr, *next = nullptr, *previous = nullptr;
    AttributeData *first_attribute = nullptr, *last_attribute = nullptr;
    class Document *document = nullptr;
};

/// A name and a value of a node.
class Attribute {
public:
    explicit Attribute(AttributeData *data) : data_(data) {}

    const char *name() const { return data_->name.c_str(); }
    void set_name(const char *name) { data_->name = name; }
    const char *value() const { return data_->value.c_str(); }
    void set_value(const char *value) { data_->value = value; }
    bool is_empty() const { return data_->value.empty(); }
    std::int64_t as_int(std::int64_t otherwise = 0) const { return data_->value.empty() ? otherwise : std::strtoll(value(), nullptr, 10); }
    double as_float(double otherwise = 0) const { return data_->value.empty() ? otherwise : std::strtod(value(), nullptr); }
    bool as_bool(bool otherwise = false) const { return data_->value.empty() ? otherwise : data_->value == "true" || data_->value == "1"; }
    void set_int(std::int64_t value) { data_->value = std::to_string(value); }
    void set_float(double value) { data_->value = std::to_string(value); }
    void set_bool(bool value) { data_->value = value ? "true" : "false"; }
    std::optional<Attribute> next() const { return of(data_->next); }
    std::optional<Attribute> previous() const { return of(data_->previous); }
    bool operator==(const Attribute &other) const { return data_ == other.data_; }
    std::size_t hash() const { return std::hash<const void *>()(data_); }

    static std::optional<Attribute> of(AttributeData *data) { return data == nullptr ? std::nullopt : std::optional<Attribute>(data); }
    AttributeData *data() const { return data_; }

private:
    AttributeData *data_;
};

template <class T>
class Cursor;
template <class T>
class Range;
class Node;

/// What goes through a tree; `enter` says whether what is below a node is visited.
class Walker {
public:
    virtual ~Walker() = default;
    virtual bool enter(Node node, int depth) = 0;
    virtual void leave(Node node, int depth);
};

/// Where a document is written to.
class Writer {
public:
    virtual ~Writer() = default;
    virtual void write(const std::string &piece) = 0;
    virtual void flush() {}
};

/// Part of a document.
class Node {
public:
    explicit Node(NodeData *data) : data_(data) {}

    const char *name() const { return data_->name.c_str(); }
    void set_name(const char *name) { data_->name = name; }
    const char *value() const { return data_->value.c_str(); }
    void set_value(const char *value) { data_->value = value; }
    Kind kind() const { return data_->kind; }
    bool is_element() const { return data_->kind == Kind::element; }

    std::optional<Node> parent() const { return of(data_->parent); }
    std::optional<Node> first_child() const { return of(data_->first); }
    std::optional<Node> last_child() const { return of(data_->last); }
    std::optional<Node> next_sibling() const { return of(data_->next); }
    std::optional<Node> previous_sibling() const { return of(data_->previous); }
    std::optional<Node> child(std::string_view name) const { return forward(data_->first, name); }
    std::optional<Node> child_at(std::int64_t index) const {
        NodeData *at = data_->first;
        while (at != nullptr && index-- > 0) at = at->next;
        return of(at);
    }
    std::optional<Node> next_named(std::string_view name) const { return forward(data_->next, name); }
    Node root() const {
        NodeData *at = data_;
        while (at->parent != nullptr) at = at->parent;
        return Node(at);
    }
    Range<Node> children() const;
    Range<Attribute> attributes() const;

    std::int64_t count() const {
        std::int64_t found = 0;
        for (NodeData *at = data_->first; at != nullptr; at = at->next) ++found;
        return found;
    }
    std::int64_t attribute_count() const {
        std::int64_t found = 0;
        for (AttributeData *at = data_->first_attribute; at != nullptr; at = at->next) ++found;
        return found;
    }
    std::int64_t depth() const {
        std::int64_t found = 0;
        for (NodeData *at = data_->parent; at != nullptr; at = at->parent) ++found;
        return found;
    }
    bool has_child(std::string_view name) const { return child(name).has_value(); }
    bool is_within(const Node &other) const {
        NodeData *at = data_;
        while (at != nullptr && at != other.data_) at = at->parent;
        return at != nullptr;
    }
    std::string path() const { return data_->parent == nullptr ? data_->name : Node(data_->parent).path() + "/" + data_->name; }
    std::string text() const {
        std::string found = data_->kind == Kind::text ? data_->value : std::string();
        for (NodeData *at = data_->first; at != nullptr; at = at->next) found += Node(at).text();
        return found;
    }

    std::optional<Attribute> first_attribute() const { return Attribute::of(data_->first_attribute); }
    std::optional<Attribute> last_attribute() const { return Attribute::of(data_->last_attribute); }
    std::optional<Attribute> attribute(std::string_view name) const {
        AttributeData *at = data_->first_attribute;
        while (at != nullptr && at->name != name) at = at->next;
        return Attribute::of(at);
    }
    bool has_attribute(std::string_view name) const { return attribute(name).has_value(); }
    std::string get(std::string_view name, const std::string &otherwise) const {
        const std::optional<Attribute> found = attribute(name);
        return found ? found->value() : otherwise;
    }

    std::optional<Node> find(const std::function<bool(Node)> &wanted) const {
        for (NodeData *at = data_->first; at != nullptr; at = at->next)
            if (wanted(Node(at))) return Node(at);
        return std::nullopt;
    }
    std::optional<Node> find_below(const std::function<bool(Node)> &wanted) const {
        for (NodeData *at = data_->first; at != nullptr; at = at->next) {
            if (wanted(Node(at))) return Node(at);
            if (const std::optional<Node> below = Node(at).find_below(wanted)) return below;
        }
        return std::nullopt;
    }
    std::optional<Attribute> find_attribute(const std::function<bool(Attribute)> &wanted) const {
        for (AttributeData *at = data_->first_attribute; at != nullptr; at = at->next)
            if (wanted(Attribute(at))) return Attribute(at);
        return std::nullopt;
    }
    std::int64_t count_if(const std::function<bool(Node)> &wanted) const {
        std::int64_t found = 0;
        for (NodeData *at = data_->first; at != nullptr; at = at->next) found += wanted(Node(at)) ? 1 : 0;
        return found;
    }
    void walk(Walker &walker, int depth = 0) const {
        if (walker.enter(*this, depth))
            for (NodeData *at = data_->first; at != nullptr; at = at->next) Node(at).walk(walker, depth + 1);
        walker.leave(*this, depth);
    }

    Node append_child(const char *name) { return Node(linked(made(Kind::element, name, ""), nullptr)); }
    Node prepend_child(const char *name) { return Node(linked(made(Kind::element, name, ""), data_->first)); }
    Node insert_before(const char *name, const Node &child) { return Node(linked(made(Kind::element, name, ""), own(child))); }
    Node append_text(const char *value) { return Node(linked(made(Kind::text, "", value), nullptr)); }
    Node append_comment(const char *value) { return Node(linked(made(Kind::comment, "", value), nullptr)); }
    Node append_copy(const Node &other) {
        Node made_here(linked(made(other.data_->kind, other.name(), other.value()), nullptr));
        for (AttributeData *at = other.data_->first_attribute; at != nullptr; at = at->next) made_here.append_attribute(at->name.c_str(), at->value.c_str());
        for (NodeData *at = other.data_->first, *last = other.data_->last; at != nullptr; at = at == last ? nullptr : at->next) made_here.append_copy(Node(at));
        return made_here;
    }
    Attribute append_attribute(const char *name, const char *value);
    Attribute set_attribute(const char *name, const char *value) {
        std::optional<Attribute> found = attribute(name);
        if (!found) return append_attribute(name, value);
        found->set_value(value);
        return *found;
    }
    void remove_child(const Node &child) {
        NodeData *gone = own(child);
        (gone->previous != nullptr ? gone->previous->next : data_->first) = gone->next;
        (gone->next != nullptr ? gone->next->previous : data_->last) = gone->previous;
        gone->parent = gone->next = gone->previous = nullptr;
    }
    bool remove_attribute(std::string_view name) {
        const std::optional<Attribute> found = attribute(name);
        if (!found) return false;
        AttributeData *gone = found->data();
        (gone->previous != nullptr ? gone->previous->next : data_->first_attribute) = gone->next;
        (gone->next != nullptr ? gone->next->previous : data_->last_attribute) = gone->previous;
        gone->next = gone->previous = nullptr;
        return true;
    }
    void remove_children() {
        while (data_->first != nullptr) remove_child(Node(data_->first));
    }
    void write(Writer &writer) const;

    bool operator==(const Node &other) const { return data_ == other.data_; }
    bool operator<(const Node &other) const { return data_ < other.data_; }
    std::size_t hash() const { return std::hash<const void *>()(data_); }

    static std::optional<Node> of(NodeData *data) { return data == nullptr ? std::nullopt : std::optional<Node>(data); }
    NodeData *data() const { return data_; }

private:
    static std::optional<Node> forward(NodeData *at, std::string_view name) {
        while (at != nullptr && at->name != name) at = at->next;
        return of(at);
    }
    NodeData *own(const Node &child) const {
        if (child.data_->parent != data_) throw std::invalid_argument("this node is no child of that one");
        return child.data_;
    }
    NodeData *made(Kind kind, const char *name, const char *value);
    NodeData *linked(NodeData *child, NodeData *before) {
        child->parent = data_;
        child->next = before;
        child->previous = before != nullptr ? before->previous : data_->last;
        (child->previous != nullptr ? child->previous->next : data_->first) = child;
        (before != nullptr ? before->previous : data_->last) = child;
        return child;
    }

    NodeData *data_;
};

/// Where a loop is, over what hangs together by `next`.
template <class T>
class Cursor {
public:
    using Data = decltype(std::declval<T>().data());
    using iterator_category = std::input_iterator_tag;
    using difference_type = std::ptrdiff_t;
    using value_type = T;
    using pointer = const T *;
    using reference = T;

    explicit Cursor(Data at) : at_(at) {}
    T operator*() const { return T(at_); }
    Cursor &operator++() {
        at_ = at_->next;
        return *this;
    }
    bool operator==(const Cursor &other) const { return at_ == other.at_; }
    bool operator!=(const Cursor &other) const { return at_ != other.at_; }

private:
    Data at_;
};

template <class T>
class Range {
public:
    explicit Range(typename Cursor<T>::Data first) : first_(first) {}
    Cursor<T> begin() const { return Cursor<T>(first_); }
    Cursor<T> end() const { return Cursor<T>(nullptr); }

private:
    typename Cursor<T>::Data first_;
};

inline void Walker::leave(Node, int) {}

inline Range<Node> Node::children() const { return Range<Node>(data_->first); }
inline Range<Attribute> Node::attributes() const { return Range<Attribute>(data_->first_attribute); }

/// Owns all of its nodes and attributes.
class Document {
public:
    Document() { clear(); }
    explicit Document(const char *name) {
        clear();
        root_->name = name;
    }
    Document(const Document &) = delete;
    Document &operator=(const Document &) = delete;

    Node root() { return Node(root_); }
    std::int64_t size() const { return static_cast<std::int64_t>(nodes_.size()); }
    const char *title() const { return title_.c_str(); }
    void set_title(const char *title) { title_ = title; }
    void clear() {
        attributes_.clear();
        nodes_.clear();
        root_ = make(Kind::element, "root", "");
    }
    /// So many children of the root, each with two attributes and a text.
    void fill(std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) {
            Node child = root().append_child("item");
            child.append_attribute("id", std::to_string(i).c_str());
            child.append_attribute("long", "0123456789012345678901234567890123456789");
            child.append_text("some text");
        }
    }
    std::optional<Node> find(const std::function<bool(Node)> &wanted) { return root().find_below(wanted); }
    std::string saved() {
        struct Text : Writer {
            std::string all;
            void write(const std::string &piece) override { all += piece; }
        } text;
        save(text);
        return text.all;
    }
    void save(Writer &writer) {
        root().write(writer);
        writer.flush();
    }

    NodeData *make(Kind kind, const char *name, const char *value) {
        NodeData &made = nodes_.emplace_back();
        made.kind = kind;
        made.name = name;
        made.value = value;
        made.document = this;
        return &made;
    }
    AttributeData *make_attribute(const char *name, const char *value) {
        AttributeData &made = attributes_.emplace_back();
        made.name = name;
        made.value = value;
        return &made;
    }

private:
    std::deque<NodeData> nodes_;
    std::deque<AttributeData> attributes_;
    NodeData *root_ = nullptr;
    std::string title_;
};

inline NodeData *Node::made(Kind kind, const char *name, const char *value) { return data_->document->make(kind, name, value); }

inline Attribute Node::append_attribute(const char *name, const char *value) {
    AttributeData *made = data_->document->make_attribute(name, value);
    made->previous = data_->last_attribute;
    (made->previous != nullptr ? made->previous->next : data_->first_attribute) = made;
    data_->last_attribute = made;
    return Attribute(made);
}

inline void Node::write(Writer &writer) const {
    if (data_->kind == Kind::text) return writer.write(data_->value);
    if (data_->kind == Kind::comment) return writer.write("<!--" + data_->value + "-->");
    writer.write("<" + data_->name);
    for (AttributeData *at = data_->first_attribute; at != nullptr; at = at->next) writer.write(" " + at->name + "=\"" + at->value + "\"");
    writer.write(">");
    for (NodeData *at = data_->first; at != nullptr; at = at->next) Node(at).write(writer);
    writer.write("</" + data_->name + ">");
}

}  // namespace nodes
