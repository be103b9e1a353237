#include "tapes.h"

#include <stdlib.h>
#include <string.h>

struct record {
    char *label;
    unsigned char *data;
    size_t length;
};
struct tape_index {
    size_t keys;
};
struct tape {
    struct record *records;
    uint32_t count;
    unsigned mode;
    tape_index index;
    void (*changed)(uint32_t, void *);
    void *user;
};
struct tape_filter {
    char *pattern;
};
struct tape_reader {
    tape *of;
    uint32_t at;
    tape_filter *filter;
    tape_filter *own;
};

static char *copied(const char *text) {
    char *made = text ? malloc(strlen(text) + 1) : NULL;
    return made ? strcpy(made, text) : NULL;
}
tape_status tape_open(const char *path, unsigned mode, tape **out) {
    if (!*path) return TAPE_DAMAGED;
    *out = calloc(1, sizeof(tape));
    if (!*out) return TAPE_NO_MEMORY;
    (*out)->mode = mode;
    return TAPE_OK;
}
void tape_close(tape *of) {
    for (uint32_t i = 0; i < of->count; i++) free(of->records[i].label), free(of->records[i].data);
    free(of->records), free(of);
}
const char *tape_message(tape_status status) {
    static const char *const texts[] = {"fine", "done", "no memory", "damaged", "read only"};
    return status <= TAPE_READ_ONLY ? texts[status] : "unknown";
}
tape_status tape_append_labelled(tape *of, const char *label, const void *data, size_t length) {
    if (!(of->mode & (TAPE_WRITE | TAPE_APPEND))) return TAPE_READ_ONLY;
    of->records = realloc(of->records, (of->count + 1) * sizeof(struct record));
    struct record *made = &of->records[of->count++];
    made->label = copied(label), made->data = malloc(length + 1), made->length = length;
    memcpy(made->data, data, length);
    of->index.keys += label != NULL;
    if (of->changed) of->changed(of->count - 1, of->user);
    return TAPE_OK;
}
tape_status tape_append(tape *of, const void *data, size_t length) {
    return tape_append_labelled(of, NULL, data, length);
}
uint32_t tape_count(const tape *of) { return of->count; }
int64_t tape_size(const tape *of) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < of->count; i++) sum += (int64_t)of->records[i].length;
    return sum;
}
const char *tape_label(const tape *of, uint32_t record) {
    return record < of->count ? of->records[record].label : NULL;
}
char *tape_describe(const tape *of) { return copied(of->count ? "a tape" : "an empty tape"); }
void tape_free(void *memory) { free(memory); }
tape_status tape_read(tape *of, uint32_t record, void *buffer, size_t *length) {
    if (record >= of->count) return TAPE_DAMAGED;
    if (of->records[record].length < *length) *length = of->records[record].length;
    memcpy(buffer, of->records[record].data, *length);
    return TAPE_OK;
}
tape_status tape_space(const tape *of, int64_t *used_bytes, int64_t *free_bytes) {
    *used_bytes = tape_size(of), *free_bytes = 1000 - *used_bytes;
    return TAPE_OK;
}
tape_status tape_damage(const tape *of, uint32_t *first, uint32_t *last) {
    *first = 0, *last = of->count;
    return of->count ? TAPE_OK : TAPE_DONE;
}
tape_status tape_use(const tape *of, tape_usage *out) {
    out->records = of->count, out->damaged = 0, out->bytes = tape_size(of), out->fill = 0.5;
    return TAPE_OK;
}
tape_status tape_copy(tape *to, tape *from, uint32_t start, uint32_t count) {
    for (uint32_t i = start; i < start + count && i < from->count; i++)
        tape_append(to, from->records[i].data, from->records[i].length);
    return TAPE_OK;
}
tape_status tape_each(tape *of, int (*visit)(uint32_t record, void *user), void *user) {
    for (uint32_t i = 0; i < of->count; i++)
        if (!visit(i, user)) break;
    return TAPE_OK;
}
void tape_on_change(tape *of, void (*changed)(uint32_t record, void *user), void *user) {
    of->changed = changed, of->user = user;
}
tape_reader *tape_reader_new(tape *of) {
    tape_reader *made = calloc(1, sizeof(tape_reader));
    made->of = of;
    return made;
}
void tape_reader_free(tape_reader *of) {
    if (of->own) tape_filter_free(of->own);
    free(of);
}
tape_status tape_reader_next(tape_reader *of, uint32_t *record) {
    if (of->at >= of->of->count) return TAPE_DONE;
    *record = of->at++;
    return TAPE_OK;
}
tape_filter *tape_filter_new(const char *pattern) {
    tape_filter *made = calloc(1, sizeof(tape_filter));
    made->pattern = copied(pattern);
    return made;
}
void tape_filter_free(tape_filter *of) { free(of->pattern), free(of); }
void tape_reader_set_filter(tape_reader *of, tape_filter *filter) { of->filter = filter; }
void tape_reader_adopt_filter(tape_reader *of, tape_filter *filter) {
    if (of->own) tape_filter_free(of->own);
    of->own = filter;
}
tape_index *tape_get_index(tape *of) { return &of->index; }
size_t tape_index_keys(const tape_index *of) { return of->keys; }
double tape_weigh(const float *weights, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (double)weights[i];
    return sum;
}
