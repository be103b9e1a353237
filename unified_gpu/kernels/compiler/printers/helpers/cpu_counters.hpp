// Sums that a thread of the CPU keeps in a table of its own, unless that is the memory of another array too.
template <class T, class U> DEVICE bool k_apart(T* a, long long length, U* b, long long other) {
    return (const char*)(a + length) <= (const char*)b || (const char*)(b + other) <= (const char*)a;
}
template <class T> DEVICE void k_count(bool apart, T* sums, T* all, T* at, T x) {
    if (apart) {
        sums[at - all] = k_sum(sums[at - all], x);
    } else {
        k_atomic_add(at, x);
    }
}
