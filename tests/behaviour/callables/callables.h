/* A library that calls back in every way that C has: with user data here and there, without, later, from other threads. */
#pragma once

#include <stdlib.h>
#include <string.h>

enum { WALK_OK = 0, WALK_STOP = 1, WALK_BROKEN = -1 };
enum colour { RED, GREEN, BLUE };

typedef struct node {
    int value;
    struct node *next;
} node;

typedef struct pixel {
    int x;
    double weight;
} pixel;

static int nodes = 0;

static inline node *node_new(int value, node *next) {
    node *made = (node *)malloc(sizeof(node));
    made->value = value;
    made->next = next;
    ++nodes;
    return made;
}
static inline void node_free(node *n) {
    --nodes;
    free(n);
}
static inline int node_live(void) { return nodes; }

typedef int (*visit_fn)(const char *name, long index, void *data);

static inline int visit(int count, visit_fn f, void *data) {
    for (int i = 0; i < count; ++i) {
        int r = f("item", i, data);
        if (r != 0) return r;
    }
    return 0;
}
static inline int visit_status(int count, visit_fn f, void *data) { return visit(count, f, data) == 0 ? WALK_OK : WALK_BROKEN; }

static inline void with_data_first(void (*f)(void *data, const void *bytes, size_t size), void *data) {
    f(data, "ab\0c", 4);
    f(data, NULL, 0);
}
static inline double with_data_elsewhere(void *data, int count, double (*f)(double x, void *data)) {
    double total = 0;
    for (int i = 0; i < count; ++i) total += f(i, data);
    return total;
}
static inline long first_of_two(long (*f)(void *data, void *bytes, size_t size), void *data) {
    char bytes[] = "abc";
    return f(data, bytes, 3);
}
static inline long middle_of_three(long (*f)(void *source, void *user, void *sink, long number), void *user) {
    int source = 1, sink = 2;
    return f(&source, user, &sink, 3);
}
static inline long last_of_two(long (*f)(void *bytes, size_t size, void *data), void *data) {
    char bytes[] = "abc";
    return f(bytes, 3, data);
}

static inline void with_nodes(void (*f)(node *n, void *data), void *data) {
    node a = {1, NULL}, b = {2, &a};
    f(&b, data);
    f(&a, data);
}
static inline int with_nodes_or_none(int (*f)(node *n, void *data), void *data) {
    node a = {5, NULL};
    return f(NULL, data) + f(&a, data);
}
static inline int chosen(node *(*f)(int index, void *data), void *data) {
    node *n = f(3, data);
    return n == NULL ? -1 : n->value;
}
static inline size_t text_length(const char *(*f)(enum colour c, void *data), void *data) {
    const char *text = f(GREEN, data);
    return text == NULL ? 999 : strlen(text);
}
static inline int with_null_text(int (*f)(const char *text, void *data), void *data) { return f(NULL, data); }
static inline double with_pixels(double (*f)(pixel p, void *data), void *data) {
    pixel p = {3, 0.5}, q = {4, 1.5};
    return f(p, data) + f(q, data);
}
static inline long summed(long count, long (*f)(long x, void *data), void *data) {
    long total = 0;
    for (long i = 0; i < count; ++i) total += f(i, data);
    return total;
}
static inline enum colour colour_of(enum colour (*f)(unsigned char small, void *data), void *data) { return f(200, data); }

/* --- without user data */
static inline int compare(int (*f)(int a, int b), int a, int b) { return f(a, b); }

/* --- in structs: several with one user data, each with its own, and without */
typedef struct watcher {
    int version;
    void (*on_item)(void *ctx, const char *name, long index);
    int (*on_end)(long count, void *ctx);
    void *ctx;
    long (*plain)(long value);
} watcher;

static int watched = 0; /* what it returned last */
static inline int watch(const watcher *w, int count) {
    for (int i = 0; i < count; ++i)
        if (w->on_item != NULL) w->on_item(w->ctx, "item", i);
    watched = w->on_end == NULL ? -w->version : w->on_end(count, w->ctx);
    return watched;
}
static inline int last_watched(void) { return watched; }
static inline long call_plain(const watcher *w, long value) { return w->plain == NULL ? -1 : w->plain(value); }
static watcher kept_watcher;
static inline void keep_watcher(const watcher *w) { kept_watcher = *w; }
static inline int run_watcher(int count) { return watch(&kept_watcher, count); }

typedef struct both_ways {
    long (*first)(long value, void *data);
    void *first_data;
    void (*second)(node *n, void *data);
    void *second_data;
} both_ways;
static inline long go_both_ways(const both_ways *b) {
    node n = {9, NULL};
    b->second(&n, b->second_data);
    return b->first(4, b->first_data);
}

/* --- later */
typedef struct later {
    void (*f)(long value, void *data);
    void *data;
    void (*destroy)(void *data);
    watcher watching;
} later;

// Calls what it has been given when it ends.
typedef struct closer {
    void (*f)(void *data);
    void *data;
} closer;
static inline closer *closer_new(void) { return (closer *)calloc(1, sizeof(closer)); }
static inline void closer_free(closer *c) {
    if (c->f != NULL) c->f(c->data);
    free(c);
}
static inline void closer_set(closer *c, void (*f)(void *data), void *data) {
    c->f = f;
    c->data = data;
}

typedef struct closers_part {
    closer *of;
} closers_part;
static inline closers_part *closer_part(closer *c) {
    closers_part *made = (closers_part *)calloc(1, sizeof(closers_part));
    made->of = c;
    return made;
}

static inline later *later_new(void) { return (later *)calloc(1, sizeof(later)); }
static inline void later_forget(later *l) {
    if (l->destroy != NULL) l->destroy(l->data);
    l->f = NULL;
    l->destroy = NULL;
}
static inline void later_free(later *l) {
    later_forget(l);
    free(l);
}
static inline void later_set(later *l, void (*f)(long value, void *data), void *data) {
    l->f = f;
    l->data = data;
}
static inline int later_set_destroyed(later *l, void *data, void (*f)(long value, void *data), void (*destroy)(void *data), int fails) {
    if (fails) return WALK_BROKEN;
    later_forget(l);
    later_set(l, f, data);
    l->destroy = destroy;
    return WALK_OK;
}
/* --- once, later */
static const char *(*asked)(long value, void *data) = NULL;
static void *asked_data = NULL;
static inline void ask_later(const char *(*f)(long value, void *data), void *data) {
    asked = f;
    asked_data = data;
}
static inline int ask_now(long value, const char *wanted) { return strcmp(asked(value, asked_data), wanted) == 0; }
static void (*taker)(const char *name, void *data) = NULL;
static void *taker_data = NULL;
static inline void name_later(void (*f)(const char *name, void *data), void *data) {
    taker = f;
    taker_data = data;
}
static inline void name_nothing(void) { taker(NULL, taker_data); }
static inline int refuse_called(void *data, void (*f)(long value, void *data), void (*destroy)(void *data)) {
    f(1, data);
    return destroy != NULL ? WALK_BROKEN : WALK_OK;
}

static inline void later_watch(later *l, const watcher *w) {
    memset(&l->watching, 0, sizeof(watcher));
    if (w != NULL) l->watching = *w;
}
static inline int later_run(later *l, int count) { return watch(&l->watching, count); }
static inline int later_call(later *l, long value) {
    if (l->f == NULL) return 0;
    l->f(value, l->data);
    return 1;
}
