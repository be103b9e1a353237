/* A C library that hands values over in many ways; header-only, so that no compiler but C++'s is needed. */
#ifndef VALUES_H
#define VALUES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { STORE_OK, STORE_SMALL, STORE_BAD };
enum store_mode { STORE_READ, STORE_WRITE };
typedef struct store_cursor { int at; int step; } store_cursor;
typedef struct store { char *text; size_t size; int calls; } store;

extern int store_blocks; /* how many are handed over and not released */

static inline store *store_new(const char *text) {
    store *s = (store *)malloc(sizeof(store));
    s->size = strlen(text);
    s->text = (char *)malloc(s->size + 1);
    memcpy(s->text, text, s->size + 1);
    s->calls = 0;
    return s;
}
static inline void store_free(store *s) {
    free(s->text);
    free(s);
}
static inline int store_calls(const store *s) { return s->calls; }

/* --- changed in place --------------------------------------------------------------------------- */

static inline int store_next(store *s, int *at, unsigned char *letter) { /* a status */
    if (*at < 0 || (size_t)*at >= s->size) return STORE_BAD;
    *letter = (unsigned char)s->text[(*at)++];
    return STORE_OK;
}
static inline void store_double(short *value, int by) { *value = (short)(*value * by); }
static inline int store_swap(int *a, int *b) {
    const int kept = *a;
    *a = *b;
    *b = kept;
    return *a + *b;
}
static inline void store_flip(enum store_mode *mode) { *mode = *mode == STORE_READ ? STORE_WRITE : STORE_READ; }
static inline void store_advance(store_cursor *cursor, double *weight) {
    cursor->at += cursor->step;
    *weight /= 2;
}
static inline int store_take(uint64_t *left, int *taken, uint64_t wanted) {
    *taken = (int)(wanted < *left ? wanted : *left);
    *left -= (uint64_t)*taken;
    return STORE_OK;
}

/* --- memory that is handed over ------------------------------------------------------------------ */

static inline char *store_copy(const char *text, size_t size) {
    char *made = (char *)malloc(size + 1);
    memcpy(made, text, size);
    made[size] = 0;
    ++store_blocks;
    return made;
}
static inline void store_release(void *block) {
    if (block) --store_blocks;
    free(block);
}
static inline int store_save(store *s, char **out, size_t *size) { /* also where it fails */
    *out = store_copy(s->text, s->size);
    *size = s->size;
    return s->text[0] == '!' ? STORE_BAD : STORE_OK;
}
static inline int store_words(store *s, const char **out) {
    *out = s->text[0] == '0' ? NULL : store_copy(s->text, s->size);
    return STORE_OK;
}
static inline int store_nothing(store *s, unsigned char **out, int *size) {
    *out = NULL;
    *size = s->text[0] == '-' ? -1 : s->text[0] == '1' ? 1 : 0;
    return STORE_OK;
}
static inline long store_dump(int times, void **out, store *s) { /* how much */
    const size_t size = (size_t)times * s->size;
    char *made = store_copy(s->text, s->size * (times > 0));
    *out = made;
    return times < 0 ? -1 : (long)(size < s->size ? size : s->size);
}

/* --- null ---------------------------------------------------------------------------------------- */

static inline int store_named(store *s, const char *name) { return name == NULL ? -1 : (int)(strlen(name) + s->size); }
static inline int store_measure(const char *name, int more) { return name == NULL ? -more : (int)strlen(name) + more; }
static inline int store_sum(const unsigned char *data, size_t size, store *s) {
    int total = (int)s->size;
    if (data == NULL) return size == 0 ? -1 : -2;
    for (size_t i = 0; i < size; ++i) total += data[i];
    return total;
}
static inline void store_rename(const char *name, int *out) { *out = name == NULL ? -1 : name[0]; }

/* --- more room ----------------------------------------------------------------------------------- */

static inline int store_read(store *s, char *buffer, unsigned *size) { /* says how much it wants */
    ++s->calls;
    if (s->size > *size) {
        *size = (unsigned)s->size;
        return STORE_SMALL;
    }
    memcpy(buffer, s->text, s->size);
    *size = (unsigned)s->size;
    return s->text[0] == '!' ? STORE_BAD : STORE_OK;
}
static inline int store_read_silently(char *buffer, size_t *size, store *s) { /* does not say how much */
    ++s->calls;
    if (s->size > *size) return STORE_SMALL;
    memcpy(buffer, s->text, s->size);
    *size = s->size;
    return STORE_OK;
}
static inline int store_print(store *s, char *buffer, size_t size) { /* as snprintf does */
    const size_t length = size == 0 ? 0 : s->size < size ? s->size : size - 1;
    ++s->calls;
    if (size != 0) memcpy(buffer, s->text, length), buffer[length] = 0;
    return (int)s->size;
}
static inline int store_greedy(store *s, char *buffer, size_t *size) { /* never content */
    ++s->calls;
    (void)buffer;
    if (s->text[0] == '+') ++*size;
    return STORE_SMALL;
}
static inline int store_narrow(store *s, char *buffer, unsigned char *size) {
    ++s->calls;
    (void)buffer, (void)size;
    return STORE_SMALL;
}

#endif
