/* A C library made for tests: handles, status codes, out-parameters, lengths and filled buffers, in all the orders that C has. */
#ifndef READER_H
#define READER_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef enum reader_kind { READER_PLAIN = 1, READER_RICH = 2 } reader_kind;
typedef struct reader_point { double x, y; } reader_point;

typedef struct reader {
    int64_t size;
    int depth;
    char name[32];
    reader_kind kind;
    reader_point point;
    struct reader *next;
} reader;

enum { READER_OK = 0, READER_BAD = 1, READER_SMALL = 2 };

extern int reader_alive; /* how many there are */
extern int reader_buffers;

static inline const char *reader_strerror(int status) { return status == READER_SMALL ? "too small" : "bad"; }

/* --- handles ------------------------------------------------------------------------------------ */

static inline int reader_open(const char *name, reader **out) {
    reader *made = (reader *)calloc(1, sizeof(reader));
    ++reader_alive;
    strncpy(made->name, name, sizeof(made->name) - 1);
    made->size = (int64_t)strlen(name);
    made->kind = READER_RICH;
    made->point.x = 1.5;
    *out = made;
    return name[0] == '!' ? READER_BAD : READER_OK; /* hands over a handle also when it fails */
}
static inline void reader_free(reader *r) {
    --reader_alive;
    free(r);
}
static inline reader *reader_child(reader *r) { return r->next; }

/* --- the handle's place ------------------------------------------------------------------------- */

static inline int reader_depth(reader *r) { return r->depth; }
static inline void reader_set_depth(int depth, reader *r) { r->depth = depth; }
static inline int reader_add(short a, reader *r, unsigned char b) { return r->depth + a + b; }
static inline int64_t reader_difference(reader *a, reader *b) { return a->size - b->size; }
static inline int64_t reader_is_named(const char *name, reader *r) { return strcmp(r->name, name) == 0; }
#define reader_twice(r, by) (2 * (r)->size + (by))
#define reader_alias reader_set_depth

/* --- out-parameters ----------------------------------------------------------------------------- */

static inline int reader_get_size(reader *r, int64_t *out) {
    *out = r->size;
    return r->size == 0 ? READER_BAD : READER_OK;
}
static inline void reader_get_depth(int *out, reader *r) { *out = r->depth; }
static inline int reader_get_both(reader *r, uint16_t *size, double *ratio) {
    *size = (uint16_t)r->size;
    *ratio = (double)r->size / 2;
    return READER_OK;
}
static inline int64_t reader_scan(reader *r, int by, int *depth) { /* an out-parameter beside a result */
    *depth = r->depth + by;
    return r->size;
}
static inline int reader_get_kind(reader *r, reader_kind *out) { *out = r->kind; return READER_OK; }
static inline int reader_get_kind_number(reader *r, int *out) { *out = (int)r->kind; return READER_OK; }
static inline int reader_is_deep(reader *r, int *out) { *out = r->depth > 10 ? 2 : 0; return READER_OK; }
static inline int reader_get_name(reader *r, const char **out) { *out = r->name[0] == '?' ? NULL : r->name; return READER_OK; }
static inline int reader_get_point(reader *r, reader_point *out) { *out = r->point; return READER_OK; }
static inline int reader_get_next(reader *r, reader **out) {
    *out = NULL;
    return r->depth > 0 ? reader_open("next", out) : READER_OK;
}
/* Nothing, by its status, or several values; a handle is handed over even then. */
static inline int reader_seek(int key, int64_t *at, reader *r, reader **next, const char **name) {
    if (key < 0) return READER_BAD;
    *at = r->size + key;
    *name = r->name;
    if (key > 0) reader_open(r->name, next);
    return key > 9 ? READER_SMALL : READER_OK;
}
static inline int reader_advance(reader *r, int *at, double *left) {
    *at += 1;
    *left = (double)r->size - *at;
    return *left < 0 ? READER_SMALL : READER_OK;
}
/* A failure in `errno`, and a value beside the one that is written. */
static inline int64_t reader_errno(reader *r, int key, int *found) {
    if (key) errno = key;
    *found = key + 1;
    return r->size;
}
static inline int reader_limits(int *low, int *high) { *low = -1; *high = 1; return READER_OK; }
static inline int reader_checked(const char *text, int *out, int base) { /* out in the middle */
    *out = (int)strtol(text, NULL, base);
    return READER_OK;
}

/* --- lengths ------------------------------------------------------------------------------------ */

static inline int reader_feed(reader *r, const void *data, int size) { (void)data; r->size += size; return READER_OK; }
static inline int64_t reader_count(const unsigned char *data, size_t size, reader *r, char wanted) {
    int64_t count = 0;
    for (size_t i = 0; i < size; ++i) count += data[i] == (unsigned char)wanted;
    return count + r->depth;
}
static inline double reader_total(const double *values, size_t count) {
    double total = 0;
    for (size_t i = 0; i < count; ++i) total += values[i];
    return total;
}
static inline void reader_fill(reader *r, float *values, unsigned count) {
    for (unsigned i = 0; i < count; ++i) values[i] = (float)r->size;
}
static inline int reader_set_name(reader *r, const char *name, size_t size) {
    if (size >= sizeof(r->name)) return READER_SMALL;
    memset(r->name, 0, sizeof(r->name));
    memcpy(r->name, name, size);
    return READER_OK;
}
static inline int reader_tiny(reader *r, const char *data, unsigned char size) { (void)data; return r->depth + size; }

/* --- buffers ------------------------------------------------------------------------------------ */

static inline int reader_read(reader *r, char *buffer, size_t size) { /* how much; negative where it fails */
    size_t length = strlen(r->name);
    if (r->name[0] == '?') return -1;
    if (r->name[0] == '>') return (int)size + 1; /* a mistake of the library's */
    if (length > size) length = size;
    memcpy(buffer, r->name, length);
    return (int)length;
}
static inline void reader_noise(unsigned char *out, int size, reader *r) { memset(out, 'a' + r->depth, (size_t)size); }
static inline int reader_pack(reader *r, void *out, unsigned *size) {
    unsigned length = (unsigned)strlen(r->name);
    if (length > *size) return READER_SMALL;
    memcpy(out, r->name, length);
    *size = length;
    return READER_OK;
}
static inline long reader_read_back(size_t size, reader *r, char *buffer) { return reader_read(r, buffer, size); }

/* --- orders that types do not tell -------------------------------------------------------------- */

static inline int64_t reader_twins(void *context, reader *r, int mode, int flags) { return (context == (void *)r) * 1000 + mode * 10 + flags; }
static inline int reader_swap(int *second, int *first, reader *r) {
    *first = 1;
    *second = 2 + r->depth;
    return READER_OK;
}
static inline int reader_ignored(reader *r, double *unused, int *out) {
    *unused = 5;
    *out = r->depth;
    return READER_OK;
}
static inline int reader_follow(reader *r, reader **next, char **name, int *found) {
    *name = r->name;
    *found = r->depth > 0;
    return reader_get_next(r, next);
}
static inline int reader_find(reader *r, int key, int *out) {
    *out = r->depth + key;
    return key == 0 ? READER_SMALL : key < 0 ? READER_BAD : READER_OK;
}
typedef enum { MARKS_ALL, MARKS_WRONG, MARKS_NONE } reader_marks_status;
static inline reader_marks_status reader_marks(reader *r, int key, int *low, int *high) {
    *low = r->depth;
    *high = r->depth + key;
    return key == 0 ? MARKS_NONE : key < 0 ? MARKS_WRONG : MARKS_ALL;
}
static inline int reader_set_found(int key, reader *r) { return key == r->depth; }
static inline int64_t reader_before(unsigned char size, reader *r, const char *data) { return r->depth + data[size - 1]; }
static inline int64_t reader_pairs(reader *r, const double *values, short pairs) {
    double total = 0;
    for (int i = 0; i < 2 * pairs; ++i) total += values[i];
    return r->depth + (int64_t)total;
}
static inline int64_t reader_option(reader *r, int option, ...) {
    va_list rest;
    va_start(rest, option);
    int64_t value = option == 1 ? va_arg(rest, long) : (int64_t)strlen(va_arg(rest, const char *));
    va_end(rest);
    return r->depth + value;
}

#endif
