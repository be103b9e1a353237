// The threads that share the work of one operation.
#pragma once
#include <cstdint>
#include <type_traits>

namespace cpu {

// Call `work(context, begin, end)` for parts that together are 0 to `size`, each of at most `grain`, on the calling
// thread and those of the pool; returns when all is done. Work of one part runs on the calling thread alone.
// The first exception that a part throws is thrown when all parts are done.
void parallel_for(std::int64_t size, std::int64_t grain, void (*work)(void*, std::int64_t, std::int64_t),
                  void* context);

template <class Work>
void parallel_for(std::int64_t size, std::int64_t grain, Work&& work) {
    parallel_for(
        size, grain,
        [](void* context, std::int64_t begin, std::int64_t end) {
            (*static_cast<std::remove_reference_t<Work>*>(context))(begin, end);
        },
        const_cast<void*>(static_cast<const void*>(&work)));
}

}  // namespace cpu
