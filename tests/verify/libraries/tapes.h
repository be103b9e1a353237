/* Tapes of records: a C library in the usual style, for the tests of `verify`. */
#ifndef TAPES_H
#define TAPES_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define TAPE_VERSION 3

/* What calls return. */
typedef enum {
    TAPE_OK = 0,
    TAPE_DONE = 1,      /* there is no further record */
    TAPE_NO_MEMORY = 2, /* an error: no memory was left */
    TAPE_DAMAGED = 3,   /* an error: the tape cannot be read */
    TAPE_READ_ONLY = 4  /* an error: the tape was opened for reading */
} tape_status;

typedef enum { TAPE_READ = 1, TAPE_WRITE = 2, TAPE_APPEND = 4 } tape_mode;

typedef struct tape tape;
typedef struct tape_reader tape_reader;
typedef struct tape_index tape_index;
typedef struct tape_filter tape_filter;

typedef struct {
    uint32_t records;
    uint32_t damaged;
    int64_t bytes;
    double fill;
} tape_usage;

/* Opens a tape. Returns TAPE_OK on success. The tape must be closed with tape_close. */
tape_status tape_open(const char *path, unsigned mode, tape **out);

/* Closes a tape. */
void tape_close(tape *of);

/* Describes a status. The text is static storage. */
const char *tape_message(tape_status status);

/* Appends a record. Returns TAPE_OK on success. */
tape_status tape_append(tape *of, const void *data, size_t length);

/* Appends a record with a label, which is text. Returns TAPE_OK on success. */
tape_status tape_append_labelled(tape *of, const char *label, const void *data, size_t length);

/* How many records there are. */
uint32_t tape_count(const tape *of);

/* How many bytes all records have. */
int64_t tape_size(const tape *of);

/* The label of a record, or NULL if it has none. Owned by the tape. */
const char *tape_label(const tape *of, uint32_t record);

/* Describes the tape. The caller frees the text with tape_free. */
char *tape_describe(const tape *of);

/* Frees memory that this library has given. */
void tape_free(void *memory);

/* Copies a record into a buffer of *length bytes, and says there how many it has. Returns TAPE_OK on success. */
tape_status tape_read(tape *of, uint32_t record, void *buffer, size_t *length);

/* What the tape takes: written to used_bytes and free_bytes. Returns TAPE_OK on success. */
tape_status tape_space(const tape *of, int64_t *used_bytes, int64_t *free_bytes);

/* The first and the last record that are damaged. Returns TAPE_OK on success, TAPE_DONE if none is. */
tape_status tape_damage(const tape *of, uint32_t *first, uint32_t *last);

/* How it is used. Returns TAPE_OK on success. */
tape_status tape_use(const tape *of, tape_usage *out);

/* Copies records from one tape to another one. Returns TAPE_OK on success. */
tape_status tape_copy(tape *to, tape *from, uint32_t start, uint32_t count);

/* Calls visit for each record before it returns. Returns TAPE_OK on success. */
tape_status tape_each(tape *of, int (*visit)(uint32_t record, void *user), void *user);

/* Calls changed whenever a record is appended, until the tape is closed. */
void tape_on_change(tape *of, void (*changed)(uint32_t record, void *user), void *user);

/* Makes a reader. The tape must outlive the reader. The reader must be released with tape_reader_free. */
tape_reader *tape_reader_new(tape *of);
void tape_reader_free(tape_reader *of);

/* The next record. Returns TAPE_OK on success, TAPE_DONE at the end. */
tape_status tape_reader_next(tape_reader *of, uint32_t *record);

/* Makes a filter for labels. It must be released with tape_filter_free. */
tape_filter *tape_filter_new(const char *pattern);
void tape_filter_free(tape_filter *of);

/* Uses a filter from now on. It is not copied: it must stay valid until the reader is released. */
void tape_reader_set_filter(tape_reader *of, tape_filter *filter);

/* Adds a filter. The reader takes ownership of the filter. */
void tape_reader_adopt_filter(tape_reader *of, tape_filter *filter);

/* The index of a tape, which belongs to the tape: it must not be freed. */
tape_index *tape_get_index(tape *of);

/* How many keys it has. */
size_t tape_index_keys(const tape_index *of);

/* The sum of weights. */
double tape_weigh(const float *weights, size_t count);

#ifdef __cplusplus
}
#endif
#endif
