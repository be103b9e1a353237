/* A C library whose calls take and hand out structs; header-only, so that no compiler but C++'s is needed. */
#ifndef STRUCTS_H
#define STRUCTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- structs by address ---------------------------------------------------------------------------- */

typedef struct place { int x; int y; } place;
typedef struct walker { place at; } walker;

static inline walker *walker_new(const place *at) {
    walker *made = (walker *)malloc(sizeof(walker));
    place home = {0, 0};
    made->at = at != NULL ? *at : home;
    return made;
}
static inline void walker_free(walker *w) { free(w); }
static inline int walker_go(walker *w, const place *to) { /* a status */
    if (to->x < 0) return 1;
    w->at = *to;
    return 0;
}
static inline int walker_step(place *out, walker *w, const place *by) { /* the handle between two places */
    w->at.x += by->x;
    w->at.y += by->y;
    *out = w->at;
    return w->at.x < 0;
}
static inline int walker_distance(const walker *w, const place *to) { return abs(w->at.x - to->x) + abs(w->at.y - to->y); }
static inline int place_sum(const place *p) { return p->x + p->y; }
static inline int place_spoil(place *p) { return p->x = p->y = -1; }
static inline int place_both(place a, const place *b) { return a.x * 100 + b->x; }
static inline int place_maybe(const place *p, const char *name) { return (p ? p->x : -1) + (name ? (int)strlen(name) : 0); }
static inline void place_middle(place *out, const place *a, const place *b) {
    out->x = (a->x + b->x) / 2;
    out->y = (a->y + b->y) / 2;
}
static inline void place_copy(place *out, place *from) { *out = *from; }

/* --- text of other characters ---------------------------------------------------------------------- */

typedef unsigned char letter;

static inline const letter *letters_of(int which) { return which == 0 ? NULL : (const letter *)"h\xc3\xa9llo"; }
static inline const signed char *signed_letters(void) { return (const signed char *)"signed"; }
static inline int letters_count(const letter *text) { return (int)strlen((const char *)text); }
static inline int letters_equal(const char *one, const letter *other, const signed char *third) {
    return strcmp(one, (const char *)other) == 0 && strcmp(one, (const char *)third) == 0;
}
static inline int letters_maybe(const letter *text) { return text == NULL ? -1 : (int)strlen((const char *)text); }

#endif
