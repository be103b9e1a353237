/* The tiny library for C, by hand: what ctypes and raw cffi call. */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tiny_counter tiny_counter;

int64_t tiny_alive(void);
int64_t tiny_add(int64_t a, int64_t b);
double tiny_scale(double x, double factor);
double tiny_total(const double *values, size_t size);
void tiny_upper(const char *text, size_t size, char *out);
tiny_counter *tiny_counter_new(int64_t start);
tiny_counter *tiny_counter_clone(const tiny_counter *counter);
void tiny_counter_free(tiny_counter *counter);
int64_t tiny_counter_get(const tiny_counter *counter);
int64_t tiny_counter_add(tiny_counter *counter, int64_t step);
int tiny_counter_positive(const tiny_counter *counter);
int tiny_counter_need(const tiny_counter *counter, int64_t least); /* 0, or 1 with a message */
const char *tiny_message(void);

#ifdef __cplusplus
}
#endif
