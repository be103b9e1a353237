// Memory that is written without the caches: larger than they are, so that no cache line is read before it is written.
#pragma once
#include <cstddef>

namespace cpu {

// Whether an output of so many bytes is better written so.
bool is_uncached(std::size_t size);

// memcpy past the caches. Other threads may read what it wrote when the writer has called `finish_uncached`.
void copy_uncached(void* to, const void* from, std::size_t size);
void finish_uncached();

}  // namespace cpu
