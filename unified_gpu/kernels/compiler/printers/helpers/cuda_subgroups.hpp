// What the threads of a warp do together; values are joined by halves, in the same order as on the CPU.
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
