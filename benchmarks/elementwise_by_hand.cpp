// Operations on arrays beyond the caches by hand, with nothing around them: how fast the machine's memory lets them be.
#include <atomic>
#include <cmath>
#include <cstddef>
#include <thread>
#include <vector>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace {

constexpr std::size_t piece = 1 << 16, some = 64;  // a loop of fewer is unrolled before it could be turned into vectors

// Past the caches, so that no line of the output is read before it is written.
template <class Element>
void fill(float* out, std::size_t begin, std::size_t end, const Element& element) {
#ifdef __SSE__
    for (; begin + some <= end; begin += some) {
        alignas(64) float values[some];
        for (std::size_t i = 0; i < some; ++i) values[i] = element(begin + i);
        for (std::size_t i = 0; i < some; i += 4) _mm_stream_ps(out + begin + i, _mm_load_ps(values + i));
    }
    _mm_sfence();
#endif
    for (; begin < end; ++begin) out[begin] = element(begin);
}

template <class Element>
void on_threads(int threads, float* out, std::size_t size, const Element& element) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t begin; (begin = next.fetch_add(piece)) < size;) {
            fill(out, begin, begin + piece < size ? begin + piece : size, element);
        }
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (auto& other : others) other.join();
}

}  // namespace

// `out` begins at a multiple of 64 bytes.
extern "C" {
void add(int threads, float* out, const float* a, const float* b, std::size_t size) {
    on_threads(threads, out, size, [=](std::size_t i) { return a[i] + b[i]; });
}
void mul(int threads, float* out, const float* a, const float* b, std::size_t size) {
    on_threads(threads, out, size, [=](std::size_t i) { return a[i] * b[i]; });
}
void maximum(int threads, float* out, const float* a, const float* b, std::size_t size) {
    on_threads(threads, out, size, [=](std::size_t i) {
        const float left = a[i], right = b[i];
        return left > right ? left : right;
    });
}
void root(int threads, float* out, const float* a, const float*, std::size_t size) {
    on_threads(threads, out, size, [=](std::size_t i) { return std::sqrt(a[i]); });
}
}
