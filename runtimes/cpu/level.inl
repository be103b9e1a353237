// The loops of loops.hpp in the namespace CPU_LEVEL, with vectors of CPU_VECTOR bytes; see level_*.cpp.
//
// Where CPU_BELOW is a level, its loops are those of integers: they wait for memory, and longer vectors wait no less.

namespace cpu {
namespace CPU_LEVEL {
namespace {

// The elements of one loop do not depend on each other: see loops.hpp about overlap.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"  // a call of the C library is not for vectors
#define CPU_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define CPU_LOOP _Pragma("GCC ivdep")
#endif

template <class To, class From>
inline To as_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

#ifdef __x86_64__

// 64 bytes past the caches, by builtins: the header of the intrinsics takes longer to compile than half of the loops.
inline void store_line(void* to, const void* line) {
    constexpr int size = CPU_VECTOR > 16 ? 32 : 16;
    using Vector __attribute__((vector_size(size), may_alias)) = long long;
    auto* target = static_cast<Vector*>(to);
    const auto* source = static_cast<const Vector*>(line);
    for (int i = 0; i < 64 / size; ++i) {
#if defined(__clang__)
        __builtin_nontemporal_store(source[i], target + i);
#elif CPU_VECTOR > 16
        __builtin_ia32_movntdq256(target + i, source[i]);
#else
        __builtin_ia32_movntdq(target + i, source[i]);
#endif
    }
}
#define CPU_STORE store_line

#endif

#include "mathematics.inl"
#include "halves.inl"
#include "elements.inl"
#include "loops.inl"
#include "reductions.inl"
#include "product.inl"
#include "tables.inl"

}  // namespace

const Loops& loops() {
    static const Loops result = made();
    return result;
}

}  // namespace CPU_LEVEL
}  // namespace cpu
