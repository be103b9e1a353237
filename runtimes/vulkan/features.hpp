// The features and extensions of a device: which of those that kernels may need it has, and how they are enabled.
#pragma once
#include <cstdint>
#include <vector>

#include "api.hpp"

namespace vulkan {

// Which of the features that kernels may need a device has.
struct Features {
    bool f16, f64, i8, i16, i64, i64_atomics, stored8, stored16, f32_atomic_add, f64_atomic_add;
    // What the threads of a subgroup can do together; `subgroup_wide` is with whole numbers of 64 bits.
    bool subgroup_vote, subgroup_arithmetic, subgroup_ballot, subgroup_shuffle, subgroup_wide;
    std::uint32_t subgroup_size;
    // Whether fractions of so many bits can be kept from being simplified where they are -0.0, infinite or NaN.
    bool specials16, specials32, specials64;
};

// The extensions that are used where a device has them.
struct Extensions {
    explicit Extensions(const std::vector<VkExtensionProperties>& found);

    bool imports_host_memory = false, adds_floats = false, has_budget = false;
    std::vector<const char*> names;
};

std::vector<VkExtensionProperties> extensions_of(const Instance& instance, VkPhysicalDevice physical);

// The structures in which Vulkan is asked for features, and told which to enable; each points to the next.
struct FeatureChain {
    explicit FeatureChain(const Extensions& extensions);
    FeatureChain(const FeatureChain&) = delete;
    FeatureChain& operator=(const FeatureChain&) = delete;

    // What a device has.
    void ask(const Instance& instance, VkPhysicalDevice physical);
    Features features() const;
    // Enable what kernels need, of what a device has.
    void enable(const FeatureChain& has);

    VkPhysicalDeviceFeatures2 all{};

private:
    VkPhysicalDeviceVulkan11Features eleven{};
    VkPhysicalDeviceVulkan12Features twelve{};
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomics{};
    VkPhysicalDeviceSubgroupProperties subgroups{};  // no feature is enabled for them
    VkPhysicalDeviceFloatControlsProperties floats{};
};

}  // namespace vulkan
