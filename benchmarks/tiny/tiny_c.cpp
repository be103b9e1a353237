#include "tiny_c.h"

#include <cstring>
#include <exception>

#include "tiny.hpp"

struct tiny_counter : tiny::Counter {
    using Counter::Counter;
    explicit tiny_counter(Counter &&other) : Counter(other) {}
};

namespace {
thread_local std::string message;
}

int64_t tiny_alive(void) { return tiny::alive(); }
int64_t tiny_add(int64_t a, int64_t b) { return tiny::add(a, b); }
double tiny_scale(double x, double factor) { return tiny::scale(x, factor); }
double tiny_total(const double *values, size_t size) { return tiny::total(values, size); }
void tiny_upper(const char *text, size_t size, char *out) {
    std::memcpy(out, tiny::upper(std::string(text, size)).data(), size);
}
tiny_counter *tiny_counter_new(int64_t start) { return new tiny_counter(start); }
tiny_counter *tiny_counter_clone(const tiny_counter *counter) { return new tiny_counter(counter->clone()); }
void tiny_counter_free(tiny_counter *counter) { delete counter; }
int64_t tiny_counter_get(const tiny_counter *counter) { return counter->get(); }
int64_t tiny_counter_add(tiny_counter *counter, int64_t step) { return counter->add(step); }
int tiny_counter_positive(const tiny_counter *counter) { return counter->positive(); }
int tiny_counter_need(const tiny_counter *counter, int64_t least) {
    try {
        counter->need(least);
        return 0;
    } catch (const std::exception &e) {
        message = e.what();
        return 1;
    }
}
const char *tiny_message(void) { return message.c_str(); }
