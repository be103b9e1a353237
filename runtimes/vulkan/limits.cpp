#include "limits.hpp"

namespace vulkan {

std::uint64_t limit_of(const Device& device, Limit limit) {
    const VkPhysicalDeviceLimits& limits = device.properties.limits;
    switch (limit) {
        case Limit::block_threads: return limits.maxComputeWorkGroupInvocations;
        case Limit::block_x: return limits.maxComputeWorkGroupSize[0];
        case Limit::block_y: return limits.maxComputeWorkGroupSize[1];
        case Limit::block_z: return limits.maxComputeWorkGroupSize[2];
        case Limit::grid_x: return limits.maxComputeWorkGroupCount[0];
        case Limit::grid_y: return limits.maxComputeWorkGroupCount[1];
        case Limit::grid_z: return limits.maxComputeWorkGroupCount[2];
        case Limit::shared_bytes: return limits.maxComputeSharedMemorySize;
        case Limit::argument_bytes: return limits.maxPushConstantsSize;
        case Limit::allocations: return limits.maxMemoryAllocationCount;
        case Limit::allocation_bytes: return device.largest_allocation;
        case Limit::import_alignment: return device.host_alignment;
        case Limit::timestamp_bits: return device.timestamp_bits;
        case Limit::subgroup_size: return device.features.subgroup_size;
    }
    return 0;
}

bool has_feature(const Device& device, Feature feature) {
    const Features& has = device.features;
    switch (feature) {
        case Feature::f16: return has.f16;
        case Feature::f64: return has.f64;
        case Feature::i8: return has.i8;
        case Feature::i16: return has.i16;
        case Feature::i64: return has.i64;
        case Feature::i64_atomics: return has.i64_atomics;
        case Feature::stored8: return has.stored8;
        case Feature::stored16: return has.stored16;
        case Feature::f32_atomic_add: return has.f32_atomic_add;
        case Feature::f64_atomic_add: return has.f64_atomic_add;
        case Feature::subgroup_vote: return has.subgroup_vote;
        case Feature::subgroup_arithmetic: return has.subgroup_arithmetic;
        case Feature::subgroup_ballot: return has.subgroup_ballot;
        case Feature::subgroup_shuffle: return has.subgroup_shuffle;
        case Feature::subgroup_wide: return has.subgroup_wide;
    }
    return false;
}

}  // namespace vulkan
