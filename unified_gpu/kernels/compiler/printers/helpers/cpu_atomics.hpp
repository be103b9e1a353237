// Atomics on the CPU; those of shared arrays are plain, since a block runs on one thread.
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
