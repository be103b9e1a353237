#include "uncached.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "settings.hpp"

namespace cpu {

#ifdef __SSE2__

bool is_uncached(std::size_t size) { return size > settings().cache; }

void copy_uncached(void* to, const void* from, std::size_t size) {
    constexpr std::size_t line = 64, step = sizeof(__m128i);
    auto* target = static_cast<char*>(to);
    const auto* source = static_cast<const char*>(from);
    const std::size_t head = std::min(size, -reinterpret_cast<std::uintptr_t>(target) % line);
    std::memcpy(target, source, head);
    std::size_t i = head;
    for (; i + line <= size; i += line) {
        for (std::size_t j = i; j < i + line; j += step) {
            const __m128i value = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + j));
            _mm_stream_si128(reinterpret_cast<__m128i*>(target + j), value);
        }
    }
    std::memcpy(target + i, source + i, size - i);
}

void finish_uncached() { _mm_sfence(); }

#else

bool is_uncached(std::size_t) { return false; }
void copy_uncached(void* to, const void* from, std::size_t size) { std::memcpy(to, from, size); }
void finish_uncached() {}

#endif

}  // namespace cpu
