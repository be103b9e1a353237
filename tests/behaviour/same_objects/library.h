// A C library that gives pointers back which it was given, in all the shapes of results, and says how many objects live.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace net {

inline std::atomic<std::int64_t> easies_there{0};
inline std::int64_t easies() { return easies_there; }
inline std::atomic<std::int64_t> multis_there{0};
inline std::int64_t multis() { return multis_there; }

// --- transfers, and what runs them ------------------------------------------------------------------

struct easy {
    std::int64_t id;
    explicit easy(std::int64_t i) : id(i) { ++easies_there; }
    ~easy() {
        id = -1;
        --easies_there;
    }
};
struct multi {
    std::vector<easy *> all;
    std::function<void(multi *, easy *)> heard;
    multi() { ++multis_there; }
    ~multi() { --multis_there; }
};

// Objects that are freed are used again at once: what is new has the address of what has gone last.
inline std::vector<void *> &spare() {
    static std::vector<void *> here;
    return here;
}
inline easy *easy_new(std::int64_t id) {
    if (spare().empty()) return new (::operator new(sizeof(easy))) easy(id);
    void *room = spare().back();
    spare().pop_back();
    return new (room) easy(id);
}
inline void easy_free(easy *e) {
    e->~easy();
    spare().push_back(e);
}
inline multi *multi_new() { return new multi; }
inline void multi_free(multi *m) { delete m; }
inline void multi_add(multi *m, easy *e) { m->all.push_back(e); }
inline void multi_remove(multi *m, easy *e) { m->all.erase(std::remove(m->all.begin(), m->all.end(), e), m->all.end()); }
inline easy *multi_at(multi *m, std::int64_t i) { return m->all.at(static_cast<std::size_t>(i)); }
inline easy *multi_find(multi *m, std::int64_t id) {
    for (easy *each : m->all)
        if (each->id == id) return each;
    return nullptr;
}
inline void multi_run(multi *m) {
    const std::vector<easy *> all = m->all;
    for (easy *each : all) m->heard(m, each);
}

// --- a tree, whose nodes know what they are -----------------------------------------------------------

struct tree;
struct node {
    tree *of = nullptr;
    node *above = nullptr;
    std::vector<node *> below;
    std::string name;
    virtual ~node() {
        for (node *each : below) delete each;
    }
};
struct leaf : node {};
struct tree {
    node root;
    explicit tree(const std::string &name) {
        root.of = this;
        root.name = name;
    }
};
inline node *grow(node *of, const std::string &name, bool is_leaf) {
    node *made = is_leaf ? new leaf : new node;
    made->of = of->of;
    made->above = of;
    made->name = name;
    of->below.push_back(made);
    return made;
}
inline void prune(node *of) {
    for (node *each : of->below) delete each;
    of->below.clear();
}

// --- counted objects ---------------------------------------------------------------------------------

struct part {
    std::int64_t number;
};
using shared_part = std::shared_ptr<part>;
inline std::vector<shared_part> &parts() {
    static std::vector<shared_part> here;
    return here;
}

}  // namespace net
