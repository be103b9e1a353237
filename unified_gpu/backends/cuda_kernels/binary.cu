// out[i] = @op@(a[i], b[i]); `number` stands for the one of them that is null.
extern "C" __global__ void @op@_flat(@Out@* out, const T* a, const T* b, i64 size, T number) {
    auto value = widen(number);
#pragma unroll 1
    for (i64 i = first_index(); i < size; i += index_step()) {
        out[i] = narrow<@Out@>(apply_@op@(a ? widen(a[i]) : value, b ? widen(b[i]) : value));
    }
}

extern "C" __global__ void @op@_strided(@Out@* out, const T* a, const T* b, i64 size, T number, Layout<2> layout) {
    auto value = widen(number);
#pragma unroll 1
    for (i64 i = first_index(); i < size; i += index_step()) {
        Offsets<2> at = locate(layout, i);
        out[i] = narrow<@Out@>(apply_@op@(a ? widen(a[at.of[0]]) : value, b ? widen(b[at.of[1]]) : value));
    }
}
