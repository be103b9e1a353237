// What the CPU device throws besides std::invalid_argument, which says that an argument is wrong.
#pragma once
#include <stdexcept>

namespace cpu {

// The call cannot be done, or work that was queued has failed.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The device has not so much memory left.
struct OutOfMemory : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace cpu
