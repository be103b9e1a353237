// out[i] = @op@(x[i]); once for each operation.
extern "C" __global__ void @op@_flat(T* out, const T* x, i64 size) {
    for (i64 i = first_index(); i < size; i += index_step()) out[i] = narrow<T>(apply_@op@(widen(x[i])));
}

extern "C" __global__ void @op@_strided(T* out, const T* x, i64 size, Layout<1> layout) {
#pragma unroll 1
    for (i64 i = first_index(); i < size; i += index_step()) {
        out[i] = narrow<T>(apply_@op@(widen(x[locate(layout, i).of[0]])));
    }
}
