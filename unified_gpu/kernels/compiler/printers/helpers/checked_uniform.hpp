// In the checked mode, for what a kernel says is the same in all threads of a block. It is apart, because a kernel with
// a barrier in it, or in front of it, runs as fibers.
// All threads of a block come here, and bring the value that the first one has.
template <class T> DEVICE void k_same(const T& value, T& first, const char* where) {
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0) first = value;
    __syncthreads();
    if (memcmp(&first, &value, sizeof value) != 0) {
        cpu_kernels::fail(where, "uniform() of what is not the same in all threads of the block");
    }
    __syncthreads();
}
