// A block for each chunk: for elements that lie side by side.
extern "C" __global__ void @op@_rows(
    @Out@* out, @A@* partial, const T* x, i64 kept, i64 length, i64 chunks, Layout<1> outer, Layout<1> inner) {
    typedef reduce_@op@<@A@> Op;
    __shared__ @A@ values[threads];
    for (i64 block = blockIdx.x; block < kept * chunks; block += gridDim.x) {
        Chunk chunk = chunk_of(block / chunks, block % chunks, length, chunks);
        const T* first = x + locate(outer, chunk.result).of[0];
        @A@ value = Op::start();
#pragma unroll 1
        for (i64 i = chunk.begin + threadIdx.x; i < chunk.end; i += threads) {
            value = Op::combine(value, (@A@)widen(first[locate(inner, i).of[0]]));
        }
        value = combine_block<Op>(value, values);
        if (threadIdx.x == 0) store<Op>(out, partial, value, chunk, length, chunks);
    }
}

// A thread for each chunk: for results whose elements lie side by side.
extern "C" __global__ void @op@_columns(
    @Out@* out, @A@* partial, const T* x, i64 kept, i64 length, i64 chunks, Layout<1> outer, Layout<1> inner) {
    typedef reduce_@op@<@A@> Op;
    for (i64 i = first_index(); i < kept * chunks; i += index_step()) {
        Chunk chunk = chunk_of(i % kept, i / kept, length, chunks);
        const T* first = x + locate(outer, chunk.result).of[0];
        @A@ value = Op::start();
#pragma unroll 1
        for (i64 j = chunk.begin; j < chunk.end; ++j) {
            value = Op::combine(value, (@A@)widen(first[locate(inner, j).of[0]]));
        }
        store<Op>(out, partial, value, chunk, length, chunks);
    }
}

extern "C" __global__ void @op@_chunks(@Out@* out, const @A@* partial, i64 kept, i64 length, i64 chunks) {
    typedef reduce_@op@<@A@> Op;
    __shared__ @A@ values[threads];
    for (i64 result = blockIdx.x; result < kept; result += gridDim.x) {
        @A@ value = Op::start();
        for (i64 i = threadIdx.x; i < chunks; i += threads) value = Op::combine(value, partial[result * chunks + i]);
        value = combine_block<Op>(value, values);
        if (threadIdx.x == 0) out[result] = narrow<@Out@>(Op::finish(value, length));
    }
}
