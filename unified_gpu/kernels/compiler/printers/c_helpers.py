"""The functions that printed C++ and CUDA C call: Python's and NumPy's arithmetic where C's is another."""

COMMON = """\
template <class T> struct k_wide { typedef unsigned type; };
template <> struct k_wide<long long> { typedef unsigned long long type; };
template <> struct k_wide<unsigned long long> { typedef unsigned long long type; };
template <class T> DEVICE T k_negative(T a) { return (T)(0 - (typename k_wide<T>::type)a); }
template <class T> DEVICE T k_floor_div(T a, T b) {
    if (b == 0) return 0;
    if (b == -1) return k_negative(a);
    return a / b - (a % b != 0 && (a ^ b) < 0);
}
template <class T> DEVICE T k_floor_mod(T a, T b) {
    if (b == 0 || b == -1) return 0;
    T rest = a % b;
    return rest + (rest != 0 && (rest ^ b) < 0 ? b : 0);
}
template <class T> DEVICE T k_unsigned_div(T a, T b) { return b == 0 ? 0 : a / b; }
template <class T> DEVICE T k_unsigned_mod(T a, T b) { return b == 0 ? 0 : a % b; }
template <class T> DEVICE T k_float_mod(T a, T b) {
    if (b == 0) return K_NAN;
    T rest = K_MOD(a, b);
    if (rest != 0) return (b < 0) != (rest < 0) ? rest + b : rest;
    return K_SIGN((T)0, b);
}
template <class T> DEVICE T k_float_div(T a, T b) {
    if (b == 0) return a / b;
    T rest = K_MOD(a, b), quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return K_SIGN((T)0, a / b);
    T whole = K_FLOOR(quotient);
    return quotient - whole > (T)0.5 ? whole + 1 : whole;
}
template <class T> DEVICE T k_left(T a, T b) {
    return (unsigned long long)b < 8 * sizeof(T) ? (T)((typename k_wide<T>::type)a << b) : (T)0;
}
template <class T> DEVICE T k_right(T a, T b) {
    return (unsigned long long)b < 8 * sizeof(T) ? (T)(a >> b) : a < 0 ? (T)-1 : (T)0;
}
template <class T> DEVICE T k_min(T a, T b) { return b < a ? b : a; }
template <class T> DEVICE T k_max(T a, T b) { return a < b ? b : a; }
template <class T> DEVICE T k_abs(T a) { return a < 0 ? k_negative(a) : a; }
template <class T> DEVICE T k_power(T a, int n) {
    typename k_wide<T>::type result = 1;
    for (; n > 0; --n) result *= (typename k_wide<T>::type)a;
    return (T)result;
}
template <class T> DEVICE T k_square(T a) { return (T)((typename k_wide<T>::type)a * (typename k_wide<T>::type)a); }
DEVICE float k_square(float a) { return a * a; }
DEVICE double k_square(double a) { return a * a; }
"""

CUDA = """\
#define DEVICE __device__ __forceinline__
#define K_INFINITY __int_as_float(0x7f800000)
#define K_NAN __int_as_float(0x7fc00000)
DEVICE float K_MOD(float a, float b) { return fmodf(a, b); }
DEVICE double K_MOD(double a, double b) { return fmod(a, b); }
DEVICE float K_SIGN(float a, float b) { return copysignf(a, b); }
DEVICE double K_SIGN(double a, double b) { return copysign(a, b); }
DEVICE float K_FLOOR(float a) { return floorf(a); }
DEVICE double K_FLOOR(double a) { return floor(a); }
"""

CHECKED = """\
DEVICE long long k_at(long long i, long long length, const char* where, const char* what) {
    if (i >= 0 && i < length) return i;
    char text[300];
    snprintf(text, sizeof text, "index %lld of %s, which has %lld elements", i, what, length);
    cpu_kernels::fail(where, text);
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
"""
"""For the checked mode: behind kernel_prelude.hpp, with CUDA's names."""

CPU = """\
#include "kernel_abi.hpp"
#define DEVICE static inline __attribute__((always_inline))
#define K_INFINITY __builtin_inff()
#define K_NAN __builtin_nanf("")
DEVICE float K_MOD(float a, float b) { return __builtin_fmodf(a, b); }
DEVICE double K_MOD(double a, double b) { return __builtin_fmod(a, b); }
DEVICE float K_SIGN(float a, float b) { return __builtin_copysignf(a, b); }
DEVICE double K_SIGN(double a, double b) { return __builtin_copysign(a, b); }
DEVICE float K_FLOOR(float a) { return __builtin_floorf(a); }
DEVICE double K_FLOOR(double a) { return __builtin_floor(a); }
DEVICE int k_most(int a, long long b) { return b <= a ? a : b > 2147483647 ? 2147483647 : (int)b; }
DEVICE int k_least(int a, long long b) { return b >= a ? a : b < 0 ? 0 : (int)b; }
"""

CPU_ATOMICS = """\
template <class T, class F> DEVICE T k_change(T* at, F change) {
    T old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &old, change(old), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return old;
}
template <class T, class U, class F> DEVICE T k_change_bits(T* at, F change) {
    union Both { U bits; T value; } old, now;
    old.bits = __atomic_load_n((U*)at, __ATOMIC_RELAXED);
    do now.value = change(old.value);
    while (!__atomic_compare_exchange_n((U*)at, &old.bits, now.bits, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old.value;
}
template <class T> DEVICE T k_atomic_add(T* at, T x) { return __atomic_fetch_add(at, x, __ATOMIC_RELAXED); }
DEVICE float k_atomic_add(float* at, float x) {
    return k_change_bits<float, unsigned>(at, [x](float a) { return a + x; });
}
DEVICE double k_atomic_add(double* at, double x) {
    return k_change_bits<double, unsigned long long>(at, [x](double a) { return a + x; });
}
template <class T> DEVICE T k_atomic_min(T* at, T x) { return k_change(at, [x](T a) { return x < a ? x : a; }); }
template <class T> DEVICE T k_atomic_max(T* at, T x) { return k_change(at, [x](T a) { return a < x ? x : a; }); }
template <class T> DEVICE T k_atomic_and(T* at, T x) { return __atomic_fetch_and(at, x, __ATOMIC_RELAXED); }
template <class T> DEVICE T k_atomic_or(T* at, T x) { return __atomic_fetch_or(at, x, __ATOMIC_RELAXED); }
template <class T> DEVICE T k_atomic_xor(T* at, T x) { return __atomic_fetch_xor(at, x, __ATOMIC_RELAXED); }
template <class T> DEVICE T k_atomic_exchange(T* at, T x) {
    T old;
    __atomic_exchange(at, &x, &old, __ATOMIC_RELAXED);
    return old;
}
template <class T> DEVICE T k_atomic_cas(T* at, T compared, T x) {
    __atomic_compare_exchange_n(at, &compared, x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return compared;
}
template <class T> DEVICE T k_plain_add(T* at, T x) { T old = *at; *at = k_sum(old, x); return old; }
template <class T> DEVICE T k_plain_min(T* at, T x) { T old = *at; if (x < old) *at = x; return old; }
template <class T> DEVICE T k_plain_max(T* at, T x) { T old = *at; if (old < x) *at = x; return old; }
template <class T> DEVICE T k_plain_and(T* at, T x) { T old = *at; *at = old & x; return old; }
template <class T> DEVICE T k_plain_or(T* at, T x) { T old = *at; *at = old | x; return old; }
template <class T> DEVICE T k_plain_xor(T* at, T x) { T old = *at; *at = old ^ x; return old; }
template <class T> DEVICE T k_plain_exchange(T* at, T x) { T old = *at; *at = x; return old; }
template <class T> DEVICE T k_plain_cas(T* at, T compared, T x) {
    T old = *at;
    if (old == compared) *at = x;
    return old;
}
"""
