// A C library whose functions have what a written call can have, and a class of C++.
#ifndef NOTES_H
#define NOTES_H

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct notes_store {
    long count;
    std::string path;
    int mode;
};
struct notes_note {
    notes_store *of;
    std::string text;
};
struct notes_point {
    double x, y;
};
struct notes_mark {
    long at;
};

inline void notes_move(notes_mark *mark, short by) { mark->at += by; }
inline int notes_swap(notes_mark *mark, notes_mark *other, notes_mark *was) {
    *was = *mark;
    std::swap(mark->at, other->at);
    return 3;
}
inline long notes_gap(const notes_mark *from, const notes_mark *to) { return to ? to->at - from->at : -1; }

inline int &notes_stores() {
    static int alive = 0;
    return alive;
}
inline int notes_alive() { return notes_stores(); }

inline int notes_open(const char *path, notes_store **store, int mode) {
    if (mode < 0) return 7;
    ++notes_stores();
    *store = new notes_store{0, path, mode};
    return 0;
}
inline void notes_close(notes_store *store) {
    --notes_stores();
    delete store;
}
inline int notes_add(notes_store *store, const char *text, size_t size, int flags, notes_note **note) {
    if (flags != 4) return 2;
    ++store->count;
    *note = new notes_note{store, std::string(text, size)};
    return 0;
}
inline void notes_note_free(notes_note *note) { delete note; }
inline const char *notes_text(const notes_note *note) { return note->text.c_str(); }
inline int notes_same(const notes_note *a, const notes_store *store, const notes_note *b) { return a == b && store->count > 0; }
inline long notes_count(const notes_store *store) { return store->count; }
inline int notes_usage(const notes_store *store, long *used, long *unused, double *rate) {
    *used = store->count;
    *unused = 100 - store->count;
    *rate = -1;
    return store->count > 2;
}
inline int notes_step(notes_store *store, int *at, unsigned char *wrapped) {
    *wrapped = *at >= store->count;
    *at = *wrapped ? 0 : *at + 1;
    return 0;
}
inline long notes_grow(long value, long *by) { return value + (*by *= 2); }

inline int notes_set(notes_store *store, int option, ...) {
    va_list more;
    va_start(more, option);
    if (option == 1) store->count = va_arg(more, long);
    if (option == 2) {
        const char *text = va_arg(more, const char *);
        store->path = text == nullptr ? "none" : text;
    }
    va_end(more);
    return 0;
}
inline int notes_get(notes_store *store, int option, ...) {
    va_list more;
    va_start(more, option);
    if (option == 1) *va_arg(more, long *) = store->count;
    if (option == 2) *va_arg(more, const char **) = store->path.c_str();
    if (option == 3) *va_arg(more, int *) = store->mode, *va_arg(more, long *) = -1;
    va_end(more);
    return option > 3;
}

inline int notes_load(notes_store *store, const void *data, unsigned char size) {
    store->count = size == 0 ? 0 : static_cast<const unsigned char *>(data)[size - 1];
    return 0;
}
inline double notes_mean(const double *values, size_t pairs) {
    double sum = 0;
    for (size_t i = 0; i < 2 * pairs; ++i) sum += values[i];
    return pairs == 0 ? 0 : sum / double(2 * pairs);
}
inline double notes_dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}
inline long notes_samples(const char *all, const unsigned *sizes, unsigned count) {
    long found = 0;
    for (unsigned i = 0; i < count; all += sizes[i++]) found = found * 10 + (sizes[i] == 0 ? 0 : all[0] - '0') + long(sizes[i]);
    return found;
}
inline long notes_words(const char *const *words) {
    long count = 0;
    while (words[count] != nullptr) ++count;
    return count;
}
inline int notes_read(notes_store *store, char *out, unsigned size) {
    std::memset(out, 'n', size);
    return store->count < 0 ? -1 : int(size / 2);
}
inline int notes_pack(notes_store *store, char *out, unsigned *size) {
    if (*size < 3) return 3;
    std::memcpy(out, "abc", 3);
    *size = store->count == 0 ? 2 : 3;
    return 0;
}
inline char *notes_dump(const notes_store *store, size_t *length) {
    char *made = static_cast<char *>(std::malloc(4));
    std::memcpy(made, "d\0p", 4);
    *length = store->count == 0 ? 1 : 3;
    return made;
}
inline int notes_save(const notes_store *store, char **out, size_t *length) {
    *out = notes_dump(store, length);
    return store->count < 0;
}
inline int notes_sync(notes_store *store, int level, char **error) {
    if (level <= store->mode) return 0;
    *error = static_cast<char *>(std::malloc(16));
    std::snprintf(*error, 16, "level %d", level);
    return 5;
}

typedef int (*notes_visitor)(void *data, long at);
inline long notes_walk(const notes_store *store, notes_visitor visit, void *data, long from) {
    long seen = 0;
    for (long i = from; i < store->count; ++i) seen += visit(data, i);
    return seen;
}
struct notes_hook {
    notes_visitor visit;
    void *data;
    void (*destroy)(void *);
};
inline notes_hook &notes_hooked() {
    static notes_hook hook = {nullptr, nullptr, nullptr};
    return hook;
}
inline void notes_keep(notes_store *, notes_visitor visit, void *data, void (*destroy)(void *)) {
    notes_hook old = notes_hooked();
    notes_hooked() = {visit, data, destroy};
    if (old.destroy != nullptr) old.destroy(old.data);
}
inline long notes_fire(long at) { return notes_hooked().visit == nullptr ? -1 : notes_hooked().visit(notes_hooked().data, at); }

inline double notes_length(const notes_point *point) { return point->x * point->x + point->y * point->y; }
inline void notes_turned(const notes_point *point, notes_point *out) { *out = {-point->y, point->x}; }
inline notes_point notes_moved(int by, notes_point point, const char *name) { return {point.x + by, name == nullptr ? 0.0 : *name}; }

namespace plane {
class Path {
public:
    Path(std::string name, long size) : name_(std::move(name)), size_(size) {}
    long size() const { return size_; }
    long scaled(double by, long offset) const { return long(double(size_) * by) + offset; }
    const std::string &name() const { return name_; }
    void bounds(long *low, long *high) const { *low = -size_, *high = size_; }
    bool starts(std::string_view text) const { return name_.compare(0, text.size(), text) == 0; }

private:
    std::string name_;
    long size_;
};
inline long size(const Path &path) { return path.size() * 100; }
inline bool longer(const Path &a, const Path *b) { return b != nullptr && a.size() > b->size(); }
}  // namespace plane
inline long weight_of(const plane::Path &of) { return of.size() * 2; }

#endif  // NOTES_H
