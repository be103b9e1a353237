// C++ classes whose objects know whether they are alive, as those of library.h do.
#pragma once

#include <memory>

#include "library.h"

namespace forest {

struct plant : object {
    explicit plant(std::int64_t tall) : height(tall) {}
    std::int64_t height;
};
struct tree : plant {
    tree(std::int64_t tall, std::int64_t old) : plant(tall), rings(old) {}
    std::int64_t rings;
};

/// Looks at plants; whoever keeps one uses it until it is told otherwise.
class walker {
public:
    walker() { ++walkers(); }
    walker(const walker &) = delete;
    walker &operator=(const walker &) = delete;
    virtual ~walker() {
        magic = dead;
        --walkers();
    }
    virtual bool visit(plant *seen) = 0;
    virtual std::int64_t weight(std::int64_t height) { return height; }
    static std::int64_t &walkers() {
        static std::int64_t here = 0;
        return here;
    }
    std::uint32_t magic = alive;
};

struct bed;
/// The plants of a bed, for one who goes over them while none comes or goes.
struct plants {
    struct iterator {
        bed *of;
        std::size_t at;
        std::int64_t changes;
        plant *operator*() const;
        iterator &operator++() { return ++at, *this; }
        bool operator!=(const iterator &other) const { return at != other.at; }
    };
    bed *of;
    iterator begin() const;
    iterator end() const;
};
struct bed : object {
    std::vector<plant *> in;
    std::int64_t changes = 0;
    plants all{this};
    walker *kept = nullptr;
    std::vector<bed *> beside;
};
inline plant *plants::iterator::operator*() const {
    if (use(of)->changes != changes) ++state().wrong;
    return use(of->in.at(at));
}
inline plants::iterator plants::begin() const { return {of, 0, use(of)->changes}; }
inline plants::iterator plants::end() const { return {of, use(of)->in.size(), of->changes}; }

inline std::int64_t &beds() {
    static std::int64_t here = 0;
    return here;
}
inline plant *bed_add(bed *b, plant *made) {
    ++use(b)->changes;
    b->in.push_back(made);
    return made;
}
inline plant *bed_plant(bed *b, std::int64_t height) { return bed_add(b, new plant(height)); }
inline tree *bed_tree(bed *b, std::int64_t height, std::int64_t rings) {
    auto *made = new tree(height, rings);
    bed_add(b, made);
    return made;
}
inline bed *bed_new(std::int64_t size) {
    if (size < 0) throw std::invalid_argument("a bed is not that small");
    ++beds();
    auto *made = new bed;
    for (std::int64_t i = 0; i < size; ++i) bed_plant(made, i);
    return made;
}
inline void bed_clear(bed *b) {
    ++use(b)->changes;
    for (plant *each : b->in) bury(use(each));
    b->in.clear();
}
inline void bed_free(bed *b) {
    if (use(b)->kept != nullptr && b->kept->magic != alive) ++state().wrong;
    bed_clear(b);
    bury(b);
    --beds();
}
inline void bed_cut(bed *b, plant *gone) {
    const auto found = std::find(use(b)->in.begin(), b->in.end(), use(gone));
    if (found == b->in.end()) throw std::invalid_argument("not a plant of this bed");
    ++b->changes;
    b->in.erase(found);
    bury(gone);
}
/// The walker that the bed keeps looks at it first.
inline void bed_fell(bed *b, plant *gone, bool is_late) {
    if (use(b)->kept != nullptr && use(gone)) b->kept->visit(gone);
    bed_cut(b, gone);
    if (is_late) throw std::invalid_argument("it is too late");
}
inline void bed_beside(bed *b, bed *other) { use(b)->beside.push_back(use(other)); }
inline std::int64_t bed_around(bed *b) {
    std::int64_t plants = 0;
    for (bed *each : use(b)->beside) plants += static_cast<std::int64_t>(use(each)->in.size());
    return plants;
}
inline plant *bed_at(bed *b, std::int64_t index) { return use(use(b)->in.at(static_cast<std::size_t>(index))); }
inline plants *bed_plants(bed *b) { return &use(b)->all; }
inline std::int64_t bed_walk(bed *b, walker *looks) {
    std::int64_t weight = 0;
    for (std::size_t i = 0; i < use(b)->in.size(); ++i) {
        if (looks->magic != alive) ++state().wrong;
        if (!looks->visit(use(b->in[i]))) break;
        weight += looks->weight(b->in[i]->height);
    }
    return weight;
}
inline void bed_keep(bed *b, walker *looks) { use(b)->kept = looks; }
inline std::int64_t bed_walk_kept(bed *b) { return use(b)->kept == nullptr ? -1 : bed_walk(b, b->kept); }
inline std::int64_t tallest(const std::vector<plant *> &all) {
    std::int64_t height = -1;
    for (plant *each : all) height = std::max(height, use(each)->height);
    return height;
}

}  // namespace forest
