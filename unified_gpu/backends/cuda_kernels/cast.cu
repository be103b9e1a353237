// out[i] = x[i] as a @To@.
extern "C" __global__ void to_@To@_flat(@To@* out, const T* x, i64 size) {
    for (i64 i = first_index(); i < size; i += index_step()) out[i] = narrow<@To@>(widen(x[i]));
}

extern "C" __global__ void to_@To@_strided(@To@* out, const T* x, i64 size, Layout<1> layout) {
#pragma unroll 1
    for (i64 i = first_index(); i < size; i += index_step()) {
        out[i] = narrow<@To@>(widen(x[locate(layout, i).of[0]]));
    }
}
