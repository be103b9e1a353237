// What 32 threads of a block do together, for arrays of their values; these are joined by halves, as on a GPU.
template <class T, class F> DEVICE void k_joined(const T* given, T* taken, int threads, F join) {
    for (int first = 0; first < threads; first += 32, given += 32, taken += 32) {
        const int lanes = threads - first < 32 ? threads - first : 32;
        T part[32];
        for (int i = 0; i < lanes; ++i) part[i] = given[i];
        for (int distance = 16; distance > 0; distance /= 2) {
            const int most = lanes - distance < distance ? lanes - distance : distance;
            for (int i = 0; i < most; ++i) part[i] = join(part[i], part[i + distance]);
        }
        for (int i = 0; i < lanes; ++i) taken[i] = part[0];
    }
}
template <class T> DEVICE void k_subgroup_sum(const T* given, T* taken, int threads) {
    k_joined(given, taken, threads, [](T a, T b) { return k_sum(a, b); });
}
template <class T> DEVICE void k_subgroup_min(const T* given, T* taken, int threads) {
    k_joined(given, taken, threads, [](T a, T b) { return k_min(a, b); });
}
template <class T> DEVICE void k_subgroup_max(const T* given, T* taken, int threads) {
    k_joined(given, taken, threads, [](T a, T b) { return k_max(a, b); });
}
DEVICE void k_subgroup_any(const bool* given, bool* taken, int threads) {
    k_joined(given, taken, threads, [](bool a, bool b) { return a || b; });
}
DEVICE void k_subgroup_all(const bool* given, bool* taken, int threads) {
    k_joined(given, taken, threads, [](bool a, bool b) { return a && b; });
}
DEVICE void k_subgroup_ballot(const unsigned long long* given, unsigned long long* taken, int threads) {
    for (int first = 0; first < threads; first += 32) {
        const int last = threads - first < 32 ? threads : first + 32;
        unsigned long long votes = 0;
        for (int i = first; i < last; ++i) votes |= (unsigned long long)(given[i] != 0) << (i - first);
        for (int i = first; i < last; ++i) taken[i] = votes;
    }
}
template <class T> DEVICE void k_subgroup_shuffle(const T* given, const int* lane, T* taken, int threads) {
    for (int i = 0; i < threads; ++i) {
        const int first = i & ~31, lanes = threads - first < 32 ? threads - first : 32;
        taken[i] = given[lane[i] >= 0 && lane[i] < lanes ? first + lane[i] : i];
    }
}
