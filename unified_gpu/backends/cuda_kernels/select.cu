// Filling, assigning and choosing, which only move the @T@ that an element consists of.
extern "C" __global__ void fill_@T@(@T@* out, i64 size, @T@ value) {
    for (i64 i = first_index(); i < size; i += index_step()) out[i] = value;
}

extern "C" __global__ void assign_@T@_strided(@T@* out, const @T@* x, i64 size, @T@ number, Layout<2> layout) {
#pragma unroll 1
    for (i64 i = first_index(); i < size; i += index_step()) {
        Offsets<2> at = locate(layout, i);
        out[at.of[0]] = x ? x[at.of[1]] : number;
    }
}

extern "C" __global__ void where_@T@_flat(
    @T@* out, const u8* condition, const @T@* a, const @T@* b, i64 size, @T@ number_a, @T@ number_b) {
#pragma unroll 1
    for (i64 i = first_index(); i < size; i += index_step()) {
        out[i] = condition[i] ? (a ? a[i] : number_a) : (b ? b[i] : number_b);
    }
}

extern "C" __global__ void where_@T@_strided(
    @T@* out, const u8* condition, const @T@* a, const @T@* b, i64 size, @T@ number_a, @T@ number_b, Layout<3> layout) {
#pragma unroll 1
    for (i64 i = first_index(); i < size; i += index_step()) {
        Offsets<3> at = locate(layout, i);
        out[i] = condition[at.of[0]] ? (a ? a[at.of[1]] : number_a) : (b ? b[at.of[2]] : number_b);
    }
}
