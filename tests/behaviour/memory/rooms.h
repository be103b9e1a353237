// A C library that fills the caller's memory, hands over its own, or keeps it.
#ifndef ROOMS_H
#define ROOMS_H

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <algorithm>
#include <string>
#include <vector>

enum { MEM_OK = 0, MEM_BAD = 1, MEM_SMALL = 2 };

struct mem {
    char data[64];
    std::size_t size;
    int calls;
};

inline int mem_live = 0;

inline mem *mem_open(const char *data, std::size_t size) {
    mem *made = new mem();
    std::memcpy(made->data, data, size < 64 ? size : 64);
    made->size = size < 64 ? size : 64;
    return made;
}
inline void mem_close(mem *m) { delete m; }
inline void mem_free(void *memory) {
    mem_live -= memory != nullptr;
    std::free(memory);
}
inline char *mem_copy(const char *data, std::size_t size) {
    char *made = static_cast<char *>(std::malloc(size + 1));
    std::memcpy(made, data, size);
    made[size] = '\0';
    ++mem_live;
    return made;
}
inline int mem_live_count() { return mem_live; }
inline int mem_calls(const mem *m) { return m->calls; }
inline std::size_t mem_size(const mem *m) { return m->size; }

// --- the caller's buffer ---

inline std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }

/// Fills all of it, or as much as there is, and does not say how much.
inline void mem_fill(const mem *m, char *out, std::size_t size) { std::memset(out, m->data[0], size); }
inline void mem_name(const mem *m, char *out, int size) { std::strncpy(out, m->data, static_cast<std::size_t>(size)); }
/// Returns how much it filled.
inline long mem_read(const mem *m, void *out, unsigned size) {
    if (m->size == 0) return -1;
    std::memcpy(out, m->data, least(m->size, size));
    return static_cast<long>(least(m->size, size));
}
/// Says it where the capacity stands.
inline int mem_pack(const mem *m, unsigned char *out, std::size_t *size) {
    if (m->size == 0) return MEM_BAD;
    if (*size < m->size) return MEM_SMALL;
    std::memcpy(out, m->data, m->size);
    *size = m->size;
    return MEM_OK;
}
inline void mem_pack_by_reference(const mem *m, char *out, unsigned short &size) {
    std::memcpy(out, m->data, least(m->size, size));
    size = static_cast<unsigned short>(least(m->size, size));
}
inline void mem_echo(const unsigned char *data, std::size_t n, char *out, std::size_t size) { std::memcpy(out, data, least(n, size)); }
/// Takes a text that may be missing, beside the buffer.
inline void mem_title(const char *before, char *out, std::size_t size) {
    std::snprintf(out, size, "%s!", before == nullptr ? "none" : before);
}

// --- the size first ---

/// As snprintf does: the NUL does not count.
inline int mem_print(mem *m, char *out, std::size_t size) {
    ++m->calls;
    return std::snprintf(out, size, "%s", m->data);
}
/// The NUL counts.
inline std::size_t mem_print_whole(mem *m, char *out, std::size_t size) {
    ++m->calls;
    if (out != nullptr && size > std::strlen(m->data)) std::strcpy(out, m->data);
    return std::strlen(m->data) + 1;
}
/// Where the capacity stands.
inline int mem_ask(mem *m, void *out, unsigned *size) {
    ++m->calls;
    if (m->size == 0) return MEM_BAD;
    if (out != nullptr) std::memcpy(out, m->data, least(*size, m->size));
    *size = static_cast<unsigned>(m->size);
    return MEM_OK;
}
/// There is more at each of the first calls.
inline std::size_t mem_growing(mem *m, char *out, std::size_t size) {
    if (m->calls < 3) ++m->calls;
    const std::size_t wanted = static_cast<std::size_t>(m->calls) * 100;
    if (out != nullptr && size >= wanted) std::memset(out, 'g', wanted);
    return wanted;
}
/// Never content, or wrong. What it wants the second time nobody has, so that no call fills a large buffer.
inline long mem_greedy(mem *m, char *, std::size_t size) {
    ++m->calls;
    return m->data[0] == '-' ? -5 : size == 0 ? 64 : 1L << 31;
}

// --- the library's memory ---

inline char *mem_dump(const mem *m) { return m->size == 0 ? nullptr : mem_copy(m->data, m->size); }
inline int mem_dump_to(const mem *m, char **out) {
    if (m->size == 0) return MEM_BAD;
    *out = mem_copy(m->data, m->size);
    return MEM_OK;
}
inline void mem_dump_silently(const mem *m, char **out) { *out = m->size == 0 ? nullptr : mem_copy(m->data, m->size); }
inline int mem_blob(const mem *m, unsigned char **out, std::size_t *size) {
    *out = reinterpret_cast<unsigned char *>(mem_copy(m->data, m->size));
    *size = m->size;
    return m->size == 0 ? MEM_BAD : MEM_OK;
}
inline const void *mem_view(const mem *m) { return m->data; }
inline const char *mem_view_sized(const mem *m, unsigned *size) {
    *size = static_cast<unsigned>(m->size);
    return m->data;
}
inline int *mem_codes(const mem *m, int *count) {
    int *made = reinterpret_cast<int *>(mem_copy("", 0));
    made = static_cast<int *>(std::realloc(made, (m->size + 1) * sizeof(int)));
    for (std::size_t i = 0; i < m->size; ++i) made[i] = m->data[i];
    *count = static_cast<int>(m->size);
    return made;
}
inline std::size_t mem_kept(const mem *m, const char **out) {
    *out = m->data;
    return m->size;
}

// --- what the call changes ---

inline int mem_step(const mem *m, long *at) {
    if (*at >= static_cast<long>(m->size)) return MEM_BAD;
    *at += 1;
    return MEM_OK;
}
inline int mem_replace(std::string &subject, const char *by) {
    const int count = static_cast<int>(std::count(subject.begin(), subject.end(), '_'));
    std::string made;
    for (const char each : subject) made += each == '_' ? std::string(by) : std::string(1, each);
    subject = made;
    return count;
}
inline void mem_double_bytes(std::string *data) { *data += *data; }
inline void mem_sort(std::vector<double> &values) { std::sort(values.begin(), values.end()); }
inline int mem_append(std::vector<std::string> *words, const char *word, std::size_t *longest) {
    words->push_back(word);
    *longest = std::max(*longest, words->back().size());
    return MEM_OK;
}
inline int mem_apart(int n, int *m) {
    *m = 2 * n;
    return MEM_OK;
}

// --- several arrays ---

/// The k nearest of 0, 1, 2, ...: for each of n numbers how far they are, and which.
inline int mem_nearest(std::size_t n, const float *x, long k, float *distances, long long *labels) {
    if (k > 100) return MEM_BAD;
    for (std::size_t i = 0; i < n; ++i)
        for (long j = 0; j < k; ++j) {
            distances[i * static_cast<std::size_t>(k) + static_cast<std::size_t>(j)] = x[i] + static_cast<float>(j);
            labels[i * static_cast<std::size_t>(k) + static_cast<std::size_t>(j)] = static_cast<long long>(i) * 10 + j;
        }
    return MEM_OK;
}
inline void mem_square(const mem *m, double *out, int n) {
    for (int i = 0; i < n * n; ++i) out[i] = i + m->data[0];
}
inline int mem_cases(const char *text, char *low, char *high, int n, unsigned *codes) {
    for (int i = 0; i < n && text[i] != '\0'; ++i) {
        low[i] = static_cast<char>(text[i] | 32);
        high[i] = static_cast<char>(text[i] & ~32);
        codes[i] = static_cast<unsigned char>(text[i]);
    }
    return 7;
}
inline int mem_nothing_filled(double *out) { return out == nullptr; }

#endif
