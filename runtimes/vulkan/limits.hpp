// What a device can do, for those who ask before they launch.
#pragma once
#include <cstdint>

#include "device.hpp"

namespace vulkan {

enum class Limit {
    block_threads,
    block_x,
    block_y,
    block_z,
    grid_x,
    grid_y,
    grid_z,
    shared_bytes,
    argument_bytes,
    allocations,
    allocation_bytes,
    import_alignment,
    timestamp_bits,
    subgroup_size,
};

enum class Feature {
    f16,
    f64,
    i8,
    i16,
    i64,
    i64_atomics,
    stored8,
    stored16,
    f32_atomic_add,
    f64_atomic_add,
    subgroup_vote,
    subgroup_arithmetic,
    subgroup_ballot,
    subgroup_shuffle,
    subgroup_wide,
};

std::uint64_t limit_of(const Device& device, Limit limit);
bool has_feature(const Device& device, Feature feature);
inline MemoryInfo memory_info(const Device& device) { return device.memory_info(); }

}  // namespace vulkan
