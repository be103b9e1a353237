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

/* --- fields ---------------------------------------------------------------------------------------- */

typedef struct person {
    char *name;
    const unsigned char *nick; /* may be null */
    char city[8];
    unsigned char id[4];
    int16_t marks[3];
    long age;
} person;
typedef struct team {
    const person *leader; /* may be null */
    person keeper;
    double *scores;
    size_t score_count;
    const char **words;
    int word_count;
    const void *unused;
    struct { const unsigned char *data; uint8_t size; } raw;
    char label[6];
    uint8_t label_size;
    place *places;
    size_t place_count;
    const person *others;
    size_t other_count;
} team;

static inline const person *person_known(int which) { /* the library's own, which it changes later */
    static char name[] = "Ada";
    static person known = {name, NULL, "London", {1, 2, 3, 255}, {1, -2, 300}, 36};
    static person nameless = {NULL, NULL, {'1', '2', '3', '4', '5', '6', '7', '8'}, {0, 0, 0, 0}, {0, 0, 0}, 0};
    strcpy(name, "Ada");
    return which == 0 ? NULL : which == 1 ? &known : &nameless;
}
static inline void person_forget(void) { memset(person_known(1)->name, '?', 3); }
static inline int person_length(const person *p) { return (int)(strlen(p->name) + strlen(p->city)) + (p->nick ? 100 : 0) + p->id[3] + p->marks[2]; }
static inline person person_aged(person p) { ++p.age; return p; }
static inline team team_known(int faulty) {
    static double scores[] = {1.5, 2.5};
    static const char *words[] = {"one", "two", NULL};
    static place places[] = {{1, 2}, {3, 4}};
    team made = {NULL, *person_known(1), scores, 2, words, 2, NULL, {(const unsigned char *)"a\0b", 3}, {'a', 'b', 'c', 'd', 'e', 'f'}, 6, places, 2, NULL, 0};
    if (faulty == 1) made.word_count = -1;
    if (faulty == 2) made.scores = NULL;
    if (faulty == 3) made.label_size = 7;
    if (faulty == 4) made.raw.data = NULL;
    return made;
}
static inline int team_check(const team *t) {
    size_t i, sum = 0;
    for (i = 0; i < t->score_count; ++i) sum += (size_t)t->scores[i];
    for (i = 0; i < (size_t)t->word_count; ++i) sum += strlen(t->words[i]);
    for (i = 0; i < t->place_count; ++i) sum += (size_t)t->places[i].x;
    for (i = 0; i < t->other_count; ++i) sum += strlen(t->others[i].name);
    if (t->leader != NULL) sum += 1000 * strlen(t->leader->name);
    return (int)(sum + t->raw.size + t->label_size + 100 * strlen(t->keeper.name));
}

/* --- lists ----------------------------------------------------------------------------------------- */

static inline int walkers_sum(size_t count, const walker *walkers[]) { /* the length first */
    int sum = 0;
    while (count-- > 0) sum = 10 * sum + walkers[count]->at.x;
    return sum;
}
static inline int walkers_weigh(const walker *const *walkers, int count, int by) {
    int sum = 0;
    while (count-- > 0) sum += walkers[count]->at.x;
    return sum * by;
}
static inline int walker_meet(walker *w, walker **others, unsigned char count) { return w->at.x * 100 + (count ? others[count - 1]->at.x : -1); }
static inline int words_count(const char **words, size_t count) {
    int sum = 0;
    while (count-- > 0) sum = 10 * sum + (int)strlen(words[count]);
    return sum;
}
static inline int words_ended(const char *const *words) {
    int sum = 0;
    while (*words != NULL) sum = 10 * sum + (int)strlen(*words++);
    return sum;
}
static inline int words_of_main(int count, char **words) { return words[count] == NULL ? count : -1; }
typedef struct { const void *data; uint8_t size; } chunk;
typedef struct { void *data; size_t size; } chunk_of_text;
static inline chunk chunk_doubled(const chunk *c) {
    static unsigned char room[510];
    chunk made = {room, (uint8_t)(2 * c->size)};
    if (c->size != 0) {
        memcpy(room, c->data, c->size);
        memcpy(room + c->size, c->data, c->size);
    }
    return made;
}
static inline int chunk_sum(chunk_of_text c) {
    int sum = 0;
    while (c.size-- > 0) sum += ((const char *)c.data)[c.size];
    return sum;
}
static inline int place_sides(long width, int height) { return (int)(10 * width + height); }
static inline int raw_title(int which, const void **out, size_t *size) {
    *out = which ? "a\0b" : NULL;
    *size = which ? 3 : 0;
    return which < 0;
}
static inline int words_first(int count, char *const words[]) { return count ? words[0][0] : -1; }

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
