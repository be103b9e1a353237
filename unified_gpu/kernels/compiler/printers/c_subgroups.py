"""What printed C++ and CUDA C call for the threads of a subgroup; both join values in the same order, by halves."""

from __future__ import annotations

SIZE = 32
"""Threads of a subgroup: of a warp, and, on the CPU, by the same number."""

SUM = """\
template <class T> DEVICE T k_sum(T a, T b) { return (T)((typename k_wide<T>::type)a + (typename k_wide<T>::type)b); }
DEVICE float k_sum(float a, float b) { return a + b; }
DEVICE double k_sum(double a, double b) { return a + b; }
"""

CUDA = """\
DEVICE int k_linear() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
DEVICE int k_lane() { return k_linear() & 31; }
DEVICE int k_lanes() {
    const int left = (int)(blockDim.x * blockDim.y * blockDim.z) - (k_linear() & ~31);
    return left < 32 ? left : 32;
}
DEVICE unsigned k_together() { return k_lanes() == 32 ? 0xffffffffu : (1u << k_lanes()) - 1; }
template <class T, class F> DEVICE T k_joined(T x, F join) {
    const unsigned together = k_together();
    const int lane = k_lane(), lanes = k_lanes();
    for (int distance = 16; distance > 0; distance /= 2) {
        const T other = __shfl_down_sync(together, x, distance);
        if (lane + distance < lanes) x = join(x, other);
    }
    return __shfl_sync(together, x, 0);
}
template <class T> DEVICE T k_subgroup_sum(T x) { return k_joined(x, [](T a, T b) { return k_sum(a, b); }); }
template <class T> DEVICE T k_subgroup_min(T x) { return k_joined(x, [](T a, T b) { return k_min(a, b); }); }
template <class T> DEVICE T k_subgroup_max(T x) { return k_joined(x, [](T a, T b) { return k_max(a, b); }); }
DEVICE bool k_subgroup_any(bool x) { return __any_sync(k_together(), x) != 0; }
DEVICE bool k_subgroup_all(bool x) { return __all_sync(k_together(), x) != 0; }
DEVICE unsigned long long k_subgroup_ballot(unsigned long long x) { return __ballot_sync(k_together(), x != 0); }
template <class T> DEVICE T k_subgroup_shuffle(T x, int lane) {
    return __shfl_sync(k_together(), x, lane >= 0 && lane < k_lanes() ? lane : k_lane());
}
"""

CPU = """\
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
"""
