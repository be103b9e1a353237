/* A C library in its header: a shelf of rows, for a test that imports it. */
#ifndef SHELF_H
#define SHELF_H
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct shelf shelf;
typedef struct shelf_row shelf_row;
enum shelf_mode { SHELF_MODE_READ = 1, SHELF_MODE_WRITE = 2 };
enum { SHELF_OK = 0, SHELF_FULL = 3 };
typedef struct { int rows; double filled; } shelf_usage;

struct shelf_row { size_t size; char data[16]; };
struct shelf { int count; enum shelf_mode mode; struct shelf_row rows[2]; };

/** The words for a status. */
static inline const char *shelf_strerror(int status) { return status == SHELF_FULL ? "the shelf is full" : "no error"; }

/** Opens a shelf. Returns SHELF_OK or an error code. */
static inline int shelf_open(enum shelf_mode mode, shelf **out) {
    shelf *made = (shelf *)calloc(1, sizeof(shelf));
    made->mode = mode;
    *out = made;
    return SHELF_OK;
}
/** Closes it. */
static inline void shelf_close(shelf *s) { free(s); }

/** How many rows it has. */
static inline int shelf_count(const shelf *s) { return s->count; }

/** Adds a row. Returns SHELF_OK or an error code. */
static inline int shelf_add(shelf *s, const void *data, size_t data_size, shelf_row **row) {
    if (s->count == 2 || data_size > 16) return SHELF_FULL;
    *row = &s->rows[s->count++];
    (*row)->size = data_size;
    memcpy((*row)->data, data, data_size);
    return SHELF_OK;
}
/** The bytes of a row. */
static inline int shelf_row_read(const shelf_row *r, unsigned char *buffer, size_t buffer_size) {
    size_t size = r->size < buffer_size ? r->size : buffer_size;
    memcpy(buffer, r->data, size);
    return (int)size;
}
/** How full it is. Returns SHELF_OK or an error code. */
static inline int shelf_get_usage(const shelf *s, shelf_usage *usage) {
    usage->rows = s->count;
    usage->filled = s->count / 2.0;
    return SHELF_OK;
}
/** Calls for each row, until that returns 0. */
static inline void shelf_each(shelf *s, int (*visit)(void *user, int row), void *user) {
    int i;
    for (i = 0; i < s->count && visit(user, i); ++i) {}
}
/** A text that the caller frees. */
static inline char *shelf_describe(const shelf *s) { return strdup(s->count ? "rows" : "empty"); }

#endif
