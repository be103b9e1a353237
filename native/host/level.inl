// The loops of loops.hpp in the namespace HOST_LEVEL, with vectors of HOST_VECTOR bytes; see level_*.cpp.
//
// Where HOST_BELOW is a level, its loops are those of integers: they wait for memory, and longer vectors wait no less.

namespace host {
namespace HOST_LEVEL {
namespace {

// The elements of one loop do not depend on each other: see loops.hpp about overlap.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"  // a call of the C library is not for vectors
#define HOST_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define HOST_LOOP _Pragma("GCC ivdep")
#endif

template <class To, class From>
inline To as_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

#if defined(__x86_64__) && HOST_VECTOR > 16
inline void store_line(void* to, const void* line) {
    auto* target = static_cast<__m256i*>(to);
    const auto* source = static_cast<const __m256i*>(line);
    _mm256_stream_si256(target, source[0]);
    _mm256_stream_si256(target + 1, source[1]);
}
#define HOST_STORE store_line
#elif defined(__x86_64__)
inline void store_line(void* to, const void* line) {
    auto* target = static_cast<__m128i*>(to);
    const auto* source = static_cast<const __m128i*>(line);
    for (int i = 0; i < 4; ++i) _mm_stream_si128(target + i, source[i]);
}
#define HOST_STORE store_line
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

}  // namespace HOST_LEVEL
}  // namespace host
