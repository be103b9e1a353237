// The kernels of `gpu_kernels.py` by hand: how fast this compiler makes them without a compiler of ours before it.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

namespace {

// `work(begin, end)` over parts of `size`, on so many threads.
template <class Work>
void on_threads(int threads, long size, long part, const Work& work) {
    std::atomic<long> next{0};
    const auto take = [&] {
        for (long begin; (begin = next.fetch_add(part)) < size;) work(begin, std::min(begin + part, size));
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(take);
    take();
    for (auto& other : others) other.join();
}

}  // namespace

extern "C" {

void saxpy(int threads, long size, float a, const float* x, float* y) {
    on_threads(threads, size, 1 << 16, [=](long begin, long end) {
        for (long i = begin; i < end; ++i) y[i] = a * x[i] + y[i];
    });
}

void stencil(int threads, long side, const float* source, float* target) {
    on_threads(threads, side, 64, [=](long begin, long end) {
        for (long i = std::max(begin, 1L); i < std::min(end, side - 1); ++i) {
            for (long j = 1; j < side - 1; ++j) {
                const float* at = source + i * side + j;
                target[i * side + j] = 0.25f * (at[-side] + at[side] + at[-1] + at[1]);
            }
        }
    });
}

void reduction(int threads, long size, const float* x, float* sums) {  // of each 256, in the order of the kernel
    on_threads(threads, size / 256, 256, [=](long begin, long end) {
        for (long block = begin; block < end; ++block) {
            float part[256];
            std::copy(x + block * 256, x + block * 256 + 256, part);
            for (int half = 128; half > 0; half /= 2) {
                for (int t = 0; t < half; ++t) part[t] += part[t + half];
            }
            sums[block] = part[0];
        }
    });
}

void nbody(int threads, long count, const float* places, float* force, float soft) {
    on_threads(threads, count, 64, [=](long begin, long end) {
        for (long i = begin; i < end; ++i) {
            const float x = places[i], y = places[count + i], z = places[2 * count + i];
            float fx = 0, fy = 0, fz = 0;
            for (long j = 0; j < count; ++j) {
                const float dx = places[j] - x, dy = places[count + j] - y, dz = places[2 * count + j] - z;
                const float near = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + soft), weight = near * near * near;
                fx += dx * weight, fy += dy * weight, fz += dz * weight;
            }
            force[i] = fx, force[count + i] = fy, force[2 * count + i] = fz;
        }
    });
}

void histogram(int threads, long size, const unsigned* x, unsigned* counts) {
    on_threads(threads, size, 1 << 16, [=](long begin, long end) {
        unsigned own[64] = {};
        for (long i = begin; i < end; ++i) ++own[x[i] % 64];
        for (int k = 0; k < 64; ++k) __atomic_fetch_add(counts + k, own[k], __ATOMIC_RELAXED);
    });
}

void monte_carlo(int threads, long count, int tries, unsigned* hits) {
    on_threads(threads, count, 1024, [=](long begin, long end) {
        unsigned total = 0;
        for (long i = begin; i < end; ++i) {
            unsigned s = static_cast<unsigned>(i) * 2654435769u + 1, inside = 0;
            const auto next = [&] {
                s ^= s << 13, s ^= s >> 17, s ^= s << 5;
                return static_cast<float>(s >> 8) * (1 / 16777216.0f);
            };
            for (int turn = 0; turn < tries; ++turn) {
                const float x = next(), y = next();
                inside += x * x + y * y < 1;
            }
            total += inside;
        }
        __atomic_fetch_add(hits, total, __ATOMIC_RELAXED);
    });
}

void transpose(int threads, long side, const float* source, float* target) {
    on_threads(threads, side / 16, 4, [=](long begin, long end) {
        float tile[16][17];
        for (long row = begin * 16; row < end * 16; row += 16) {
            for (long column = 0; column < side; column += 16) {
                for (long i = 0; i < 16; ++i) {
                    for (long j = 0; j < 16; ++j) tile[i][j] = source[(row + i) * side + column + j];
                }
                for (long j = 0; j < 16; ++j) {
                    for (long i = 0; i < 16; ++i) target[(column + j) * side + row + i] = tile[i][j];
                }
            }
        }
    });
}
}
