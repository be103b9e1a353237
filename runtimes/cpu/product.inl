// The product of two packed panels, in registers.

template <class T>
struct Tile {
    using Vector __attribute__((vector_size(CPU_VECTOR), aligned(alignof(T)), may_alias)) = T;
    static constexpr int width = CPU_VECTOR / static_cast<int>(sizeof(T));
    static constexpr int rows = CPU_VECTOR == 64 ? 12 : 6;  // what the registers hold: 16, or 32 of the long ones
    static constexpr int columns = 2 * width;
};

template <class T>
void product_loop(void* tile, const void* a, const void* b, std::int64_t inner) {
    using Vector = typename Tile<T>::Vector;
    constexpr int rows = Tile<T>::rows, columns = Tile<T>::columns;
    Vector sums[rows][2] = {};
    const auto* left = static_cast<const T*>(a);
    const auto* right = static_cast<const T*>(b);
    for (std::int64_t k = 0; k < inner; ++k, left += rows, right += columns) {
        const Vector first = *reinterpret_cast<const Vector*>(right);
        const Vector second = *reinterpret_cast<const Vector*>(right + Tile<T>::width);
#pragma GCC unroll 12
        for (int i = 0; i < rows; ++i) {
            sums[i][0] += left[i] * first;
            sums[i][1] += left[i] * second;
        }
    }
    auto* to = static_cast<T*>(tile);
#pragma GCC unroll 12
    for (int i = 0; i < rows; ++i) {
        *reinterpret_cast<Vector*>(to + i * columns) = sums[i][0];
        *reinterpret_cast<Vector*>(to + i * columns + Tile<T>::width) = sums[i][1];
    }
}
