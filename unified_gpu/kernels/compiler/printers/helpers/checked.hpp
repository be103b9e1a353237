// Behind kernel_prelude.hpp, in the checked mode: indices, divisors, and who uses an element of a shared array.
[[noreturn, gnu::cold, gnu::noinline]] DEVICE void
k_outside(long long i, long long length, const char* where, const char* what) {
    char text[300];
    snprintf(text, sizeof text, "index %lld of %s, which has %lld elements", i, what, length);
    cpu_kernels::fail(where, text);
}
DEVICE long long k_at(long long i, long long length, const char* where, const char* what) {
    if (i < 0 || i >= length) k_outside(i, length, where, what);
    return i;
}
template <class T> DEVICE T k_divisor(T b, const char* where) {
    if (b == 0) cpu_kernels::fail(where, "a division by 0");
    return b;
}
struct k_uses {
    enum { atomics = -1, several = -2 };
    int written_after = 0, writer = 0, read_after = 0, reader = 0;
    const char *written_at = "", *read_at = "";
};
struct k_user {
    int thread, barriers;
    const char *where, *array;
};
[[noreturn]] DEVICE void
k_race(const k_user& user, long long at, const char* uses, const char* other, const char* line) {
    char text[500];
    const char* form = "this thread %s element %lld of %s, which another one %s at %s, with no barrier() between";
    snprintf(text, sizeof text, form, uses, at, user.array, other, line);
    cpu_kernels::fail(user.where, text);
}
DEVICE long long k_read(k_uses* all, long long at, const k_user& user) {
    k_uses& a = all[at];
    if (a.written_after == user.barriers && a.writer != user.thread) k_race(user, at, "reads", "writes", a.written_at);
    a.reader = a.read_after == user.barriers && a.reader != user.thread ? k_uses::several : user.thread;
    a.read_after = user.barriers;
    a.read_at = user.where;
    return at;
}
DEVICE long long k_written(k_uses* all, long long at, const k_user& user, int writer) {
    k_uses& a = all[at];
    if (a.written_after == user.barriers && a.writer != writer) k_race(user, at, "writes", "writes", a.written_at);
    if (a.read_after == user.barriers && a.reader != user.thread) k_race(user, at, "writes", "reads", a.read_at);
    a.written_after = user.barriers;
    a.writer = writer;
    a.written_at = user.where;
    return at;
}
DEVICE long long k_write(k_uses* all, long long at, const k_user& user) {
    return k_written(all, at, user, user.thread);
}
DEVICE long long k_change(k_uses* all, long long at, const k_user& user) {
    return k_written(all, at, user, k_uses::atomics);
}
