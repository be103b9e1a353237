// out = a b, each block a tile of 64 by 64, each of its 256 threads 4 by 4 elements of that.
const int tile = 64;
const int depth = 16;
typedef Calculation<T>::type A;
const int side = 4;

struct Matrix {
    i64 rows;
    i64 columns;
    i64 row_stride;
    i64 column_stride;
};

// Copies rows by columns of a matrix, from (row, column) on, and zeros where it ends. Neighbouring threads take
// neighbouring elements along the shorter stride.
template <int rows, int columns, int pitch>
__device__ inline void load(A* to, int row_pitch, const T* x, const Matrix& m, i64 row, i64 column) {
    for (int i = (int)threadIdx.x; i < rows * columns; i += 256) {
        bool by_rows = m.column_stride <= m.row_stride;
        int r = by_rows ? i / columns : i % rows;
        int c = by_rows ? i % columns : i / rows;
        bool is_inside = row + r < m.rows && column + c < m.columns;
        A value = is_inside ? (A)widen(x[(row + r) * m.row_stride + (column + c) * m.column_stride]) : (A)0;
        to[r * row_pitch + c * pitch] = value;
    }
}

extern "C" __global__ void matmul(T* out, const T* a, const T* b, Matrix of_a, Matrix of_b) {
    // turned, so that what a thread reads at a time lies side by side; one more, so that banks do not collide
    __shared__ A left[depth * (tile + 1)];
    __shared__ A right[depth * (tile + 1)];
    i64 across = (of_b.columns + tile - 1) / tile;
    i64 row = (i64)blockIdx.x / across * tile;
    i64 column = (i64)blockIdx.x % across * tile;
    int thread_row = (int)threadIdx.x / 16;
    int thread_column = (int)threadIdx.x % 16;
    A sums[side][side] = {};
    for (i64 k = 0; k < of_a.columns; k += depth) {
        load<tile, depth, tile + 1>(left, 1, a, of_a, row, k);
        load<depth, tile, 1>(right, tile + 1, b, of_b, k, column);
        __syncthreads();
        for (int step = 0; step < depth; ++step) {
            A from_left[side];
            A from_right[side];
            for (int i = 0; i < side; ++i) {
                from_left[i] = left[step * (tile + 1) + thread_row + i * 16];
                from_right[i] = right[step * (tile + 1) + thread_column + i * 16];
            }
            for (int i = 0; i < side; ++i) {
                for (int j = 0; j < side; ++j) sums[i][j] += from_left[i] * from_right[j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < side; ++i) {
        for (int j = 0; j < side; ++j) {
            i64 r = row + thread_row + i * 16;
            i64 c = column + thread_column + j * 16;
            if (r < of_a.rows && c < of_b.columns) out[r * of_b.columns + c] = narrow<T>(sums[i][j]);
        }
    }
}
