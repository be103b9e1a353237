// A C library whose objects know whether they are alive: using one that is not is counted, and never crashes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace forest {

constexpr std::uint32_t alive = 0x600DF00D, dead = 0xDEADBEEF;

struct counts {
    std::int64_t wrong = 0, documents = 0, cursors = 0, elements = 0, plugs = 0, hubs = 0, counted = 0;
};
inline counts &state() {
    static counts here;
    return here;
}

/// What ended is kept, so that a use of it is found out; `sweep` frees it, and counts anew.
struct object {
    std::uint32_t magic = alive;
    virtual ~object() = default;
};
inline std::vector<object *> &graveyard() {
    static std::vector<object *> here;
    return here;
}
inline void bury(object *gone) {
    gone->magic = dead;
    graveyard().push_back(gone);
}
inline void sweep() {
    for (object *each : graveyard()) delete each;
    graveyard().clear();
    state() = counts();
}
template <class T>
T *use(T *given) {
    if (given->magic != alive) ++state().wrong;
    return given;
}

// --- a document owns its nodes, and must have no open cursor when it goes -------------------------

struct node;
struct document : object {
    std::string title;
    node *root = nullptr;
    std::int64_t open_cursors = 0;
};
struct node : object {
    document *of = nullptr;
    std::string name;
    std::vector<node *> children;
};

inline document *doc_new(const std::string &title) {
    auto *made = new document;
    made->title = title;
    made->root = new node;
    made->root->of = made;
    made->root->name = title;
    ++state().documents;
    return made;
}
inline void bury_all(node *gone) {
    std::vector<node *> waiting = {gone};
    while (!waiting.empty()) {
        gone = waiting.back();
        waiting.pop_back();
        waiting.insert(waiting.end(), gone->children.begin(), gone->children.end());
        bury(gone);
    }
}
inline void doc_free(document *doc) {
    if (use(doc)->open_cursors != 0) ++state().wrong;
    bury_all(doc->root);
    bury(doc);
    --state().documents;
}
inline node *doc_root(document *doc) { return use(doc)->root; }
inline std::string doc_title(document *doc) { return use(doc)->title; }
inline node *node_add(node *parent, const std::string &name) {
    auto *made = new node;
    made->of = use(parent)->of;
    made->name = name;
    parent->children.push_back(made);
    return made;
}
inline node *node_find(node *parent, const std::string &name) {
    for (node *each : use(parent)->children)
        if (use(each)->name == name) return each;
    return nullptr;
}
inline std::string node_name(node *n) { return use(use(n)->of) != nullptr ? n->name : ""; }
inline std::vector<node *> node_children(node *n) { return use(n)->children; }

/// Ends all nodes, after which the document has a new root.
inline void doc_clear(document *doc) {
    if (use(doc)->open_cursors != 0) ++state().wrong;
    bury_all(doc->root);
    doc->root = new node;
    doc->root->of = doc;
    doc->root->name = doc->title;
}
/// Ends all nodes but this one, which becomes the root.
inline void node_alone(node *n) {
    document *doc = use(use(n)->of);
    if (doc->open_cursors != 0) ++state().wrong;
    std::vector<node *> waiting = {doc->root};
    while (!waiting.empty()) {
        node *each = waiting.back();
        waiting.pop_back();
        waiting.insert(waiting.end(), each->children.begin(), each->children.end());
        if (each != n) bury(each);
    }
    n->children.clear();
    doc->root = n;
}
/// Ends all nodes, and says what the one was called.
inline std::string doc_replace(document *doc, node *n) {
    std::string name = use(n)->name;
    doc_clear(doc);
    return name;
}

/// Whether a node is `above`, or below it.
inline bool node_within(node *n, node *above) {
    if (use(n) == use(above)) return true;
    for (node *each : above->children)
        if (node_within(n, each)) return true;
    return false;
}
/// Ends a child, and all nodes below that.
inline void node_remove(node *parent, node *child) {
    const auto found = std::find(use(parent)->children.begin(), parent->children.end(), child);
    if (found == parent->children.end()) throw std::invalid_argument("no child of this node");
    parent->children.erase(found);
    bury_all(child);
}
/// Ends all nodes of the top level with names of this length.
inline void doc_prune(document *doc, std::int64_t length) {
    std::vector<node *> kept;
    for (node *each : use(doc)->root->children) {
        if (std::int64_t(each->name.size()) == length) bury(each);
        else kept.push_back(each);
    }
    doc->root->children = kept;
}
inline bool is_pruned(node *n, std::int64_t length) {
    if (length < 0) throw std::invalid_argument("a length is not negative");
    return std::int64_t(use(n)->name.size()) == length;
}

/// A row of a cursor is there until its next step.
struct row : object {
    std::int64_t number = 0;
};
struct cursor : object {
    document *over = nullptr;
    std::int64_t steps = 0;
    row *at = nullptr;
};
inline cursor *cursor_open(document *doc) {
    auto *made = new cursor;
    made->over = use(doc);
    ++doc->open_cursors;
    ++state().cursors;
    return made;
}
inline void cursor_rewind(cursor *c) {
    if (use(c)->at != nullptr) bury(c->at);
    c->at = nullptr;
}
inline std::int64_t cursor_step(cursor *c) {
    if (use(use(c)->over) == nullptr) return 0;
    cursor_rewind(c);
    return ++c->steps;
}
inline row *cursor_row(cursor *c) {
    if (use(c)->at == nullptr) c->at = new row;
    c->at->number = c->steps;
    return c->at;
}
inline std::int64_t row_number(row *r) { return use(r)->number; }
inline const char *row_data(row *r) { return use(r) != nullptr ? "0123456789" : nullptr; }
inline std::size_t row_size(row *r) { return static_cast<std::size_t>(use(r)->number % 9); }
inline void cursor_close(document *doc, cursor *c) {
    if (use(c)->over != use(doc)) ++state().wrong;
    --doc->open_cursors;
    cursor_rewind(c);
    bury(c);
    --state().cursors;
}

// --- an element owns those below it ----------------------------------------------------------------

struct element : object {
    element *above = nullptr;
    std::vector<element *> below;
};
inline element *element_new() {
    ++state().elements;
    return new element;
}
inline element *element_add(element *above) {
    auto *made = element_new();
    made->above = use(above);
    above->below.push_back(made);
    return made;
}
inline element *element_above(element *e) { return use(e)->above; }
inline std::int64_t element_count(element *e) {
    std::int64_t found = 1;
    for (element *each : use(e)->below) found += element_count(each);
    return found;
}
inline void element_free(element *e) {
    for (element *each : use(e)->below) element_free(each);
    bury(e);
    --state().elements;
}

inline bool element_within(element *e, element *top) {
    for (; e != nullptr; e = use(e)->above)
        if (e == top) return true;
    return false;
}
/// Ends an element below another one, with all that are below it.
inline void element_remove(element *e, element *below) {
    const auto found = std::find(use(e)->below.begin(), e->below.end(), below);
    if (found == e->below.end()) throw std::invalid_argument("not below this element");
    e->below.erase(found);
    element_free(below);
}

// --- a hub uses its plugs for as long as they are in it, and one lamp ------------------------------

struct plug : object {
    std::int64_t volts = 0;
};
struct hub : object {
    std::vector<plug *> in;
    plug *lamp = nullptr;
};
inline plug *plug_new(std::int64_t volts) {
    ++state().plugs;
    auto *made = new plug;
    made->volts = volts;
    return made;
}
inline void plug_free(plug *p) {
    bury(use(p));
    --state().plugs;
}
inline hub *hub_new() {
    ++state().hubs;
    return new hub;
}
inline void hub_free(hub *h) {
    for (plug *each : use(h)->in) use(each);
    if (h->lamp != nullptr) use(h->lamp);
    bury(h);
    --state().hubs;
}
inline bool hub_add(hub *h, plug *p) {
    if (use(p)->volts < 0) return false;
    use(h)->in.push_back(p);
    return true;
}
inline void hub_add_all(hub *h, const std::vector<plug *> &all) {
    for (plug *each : all) hub_add(h, each);
}
inline bool hub_remove(hub *h, plug *p) {
    if (use(h)->lamp == p) h->lamp = nullptr;
    for (std::size_t i = 0; i < use(h)->in.size(); ++i)
        if (h->in[i] == p) return h->in.erase(h->in.begin() + static_cast<std::ptrdiff_t>(i)), true;
    return false;
}
inline void hub_clear(hub *h) {
    use(h)->in.clear();
    h->lamp = nullptr;
}
inline void hub_light(hub *h, plug *p) { use(h)->lamp = p == nullptr ? nullptr : use(p); }
inline std::int64_t hub_sum(hub *h) {
    std::int64_t sum = use(h)->lamp == nullptr ? 0 : use(h->lamp)->volts;
    for (plug *each : h->in) sum += use(each)->volts;
    return sum;
}

// --- a counted object, of which the library may keep a reference ------------------------------------

struct counted : object {
    std::int64_t references = 1, number = 0;
};
inline counted *counted_new(std::int64_t number) {
    ++state().counted;
    auto *made = new counted;
    made->number = number;
    return made;
}
inline void counted_release(counted *c) {
    if (--use(c)->references != 0) return;
    bury(c);
    --state().counted;
}
inline counted *&kept_one() {
    static counted *here = nullptr;
    return here;
}
inline void counted_forget() {
    if (kept_one() != nullptr) counted_release(kept_one());
    kept_one() = nullptr;
}
inline void counted_keep(counted *c) {
    ++use(c)->references;
    counted_forget();
    kept_one() = c;
}
inline std::int64_t counted_number(counted *c) { return use(c)->number; }
inline counted *counted_default() {
    static counted here;
    return &here;
}

}  // namespace forest
