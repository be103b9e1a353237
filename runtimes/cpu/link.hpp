// The way of copies between host memory and device memory, one for each direction and device. On the CPU both are the
// same memory; the build for tests replaces this header by runtimes/cpu/testing/link.hpp.
#pragma once
#include <cstddef>

namespace cpu {

struct Link {
    // Whether a copy takes no longer than memory does, so that the caller may do it.
    static constexpr bool is_immediate() { return true; }

    template <class Copy>
    void transfer(std::size_t, const Copy& copy) {
        copy();
    }
};

}  // namespace cpu
