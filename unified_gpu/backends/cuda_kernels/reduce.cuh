// Reducing, in an order that depends on the shapes only: the same input gives the same result, always.
//
// The input has `kept` results of `length` elements each. The elements of a result are divided into `chunks`; with
// one chunk the result is written at once, otherwise each chunk's goes to `partial`, and a second kernel combines them.
const int threads = 256;

template <class A> struct Bounds {
    __device__ static A least() { return Traits<A>::least(); }
    __device__ static A greatest() { return Traits<A>::greatest(); }
};
template <> struct Bounds<f32> {
    __device__ static f32 least() { return as_bits<f32>(0xff800000u); }
    __device__ static f32 greatest() { return as_bits<f32>(0x7f800000u); }
};
template <> struct Bounds<f64> {
    __device__ static f64 least() { return as_bits<f64>(0xfff0000000000000ull); }
    __device__ static f64 greatest() { return as_bits<f64>(0x7ff0000000000000ull); }
};

template <class A>
struct reduce_sum {
    __device__ static A start() { return (A)0; }
    __device__ static A combine(A a, A b) { return apply_add(a, b); }
    __device__ static A finish(A value, i64) { return value; }
};
template <class A>
struct reduce_mean : reduce_sum<A> {
    __device__ static A finish(A value, i64 length) { return value / (A)length; }
};
template <class A>
struct reduce_max {
    __device__ static A start() { return Bounds<A>::least(); }
    __device__ static A combine(A a, A b) { return apply_maximum(a, b); }
    __device__ static A finish(A value, i64) { return value; }
};
template <class A>
struct reduce_min {
    __device__ static A start() { return Bounds<A>::greatest(); }
    __device__ static A combine(A a, A b) { return apply_minimum(a, b); }
    __device__ static A finish(A value, i64) { return value; }
};

// Where the elements of a chunk are: from `begin` to `end` among those of its result.
struct Chunk {
    i64 result;
    i64 number;
    i64 begin;
    i64 end;
};

__device__ inline Chunk chunk_of(i64 result, i64 number, i64 length, i64 chunks) {
    i64 size = (length + chunks - 1) / chunks;
    i64 begin = number * size < length ? number * size : length;
    i64 end = begin + size < length ? begin + size : length;
    return {result, number, begin, end};
}

// Combines the values of all threads of the block in a tree.
template <class Op, class A>
__device__ inline A combine_block(A value, A* values) {
    int thread = (int)threadIdx.x;
    values[thread] = value;
    for (int width = threads / 2; width > 0; width /= 2) {
        __syncthreads();
        if (thread < width) values[thread] = Op::combine(values[thread], values[thread + width]);
    }
    __syncthreads();
    A result = values[0];
    __syncthreads();  // before anyone writes the next values
    return result;
}

template <class Op, class Out, class A>
__device__ inline void store(Out* out, A* partial, A value, const Chunk& chunk, i64 length, i64 chunks) {
    if (chunks == 1) out[chunk.result] = narrow<Out>(Op::finish(value, length));
    else partial[chunk.result * chunks + chunk.number] = value;
}
