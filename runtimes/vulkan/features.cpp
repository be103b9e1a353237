#include "features.hpp"

#include <cstring>

namespace vulkan {
namespace {

constexpr const char* portability = "VK_KHR_portability_subset";  // must be enabled where there is one

}  // namespace

std::vector<VkExtensionProperties> extensions_of(const Instance& instance, VkPhysicalDevice physical) {
    std::uint32_t count = 0;
    check(instance.EnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr), "vkEnumerateDeviceExtensionProperties");
    std::vector<VkExtensionProperties> result(count);
    check(instance.EnumerateDeviceExtensionProperties(physical, nullptr, &count, result.data()), "vkEnumerateDeviceExtensionProperties");
    return result;
}

Extensions::Extensions(const std::vector<VkExtensionProperties>& found) {
    const auto take = [&](const char* name) {
        for (const auto& each : found) {
            if (std::strcmp(each.extensionName, name) != 0) continue;
            names.push_back(name);
            return true;
        }
        return false;
    };
    imports_host_memory = take(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    adds_floats = take(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
    has_budget = take(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    take(portability);
}

FeatureChain::FeatureChain(const Extensions& extensions) {
    all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    all.pNext = &eleven;
    eleven.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    eleven.pNext = &twelve;
    twelve.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    twelve.pNext = extensions.adds_floats ? &atomics : nullptr;
    atomics.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT;
}

void FeatureChain::ask(const Instance& instance, VkPhysicalDevice physical) {
    instance.GetPhysicalDeviceFeatures2(physical, &all);
    subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
    subgroups.pNext = &floats;
    floats.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &subgroups;
    instance.GetPhysicalDeviceProperties2(physical, &properties);
}

Features FeatureChain::features() const {
    Features result{};
    result.f16 = twelve.shaderFloat16;
    result.f64 = all.features.shaderFloat64;
    result.i8 = twelve.shaderInt8;
    result.i16 = all.features.shaderInt16;
    result.i64 = all.features.shaderInt64;
    result.i64_atomics = twelve.shaderBufferInt64Atomics;
    result.stored8 = twelve.storageBuffer8BitAccess;
    result.stored16 = eleven.storageBuffer16BitAccess;
    result.f32_atomic_add = atomics.shaderBufferFloat32AtomicAdd;
    result.f64_atomic_add = atomics.shaderBufferFloat64AtomicAdd;
    const VkSubgroupFeatureFlags together =
        (subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0 ? subgroups.supportedOperations : 0;
    result.subgroup_vote = (together & VK_SUBGROUP_FEATURE_VOTE_BIT) != 0;
    result.subgroup_arithmetic = (together & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) != 0;
    result.subgroup_ballot = (together & VK_SUBGROUP_FEATURE_BALLOT_BIT) != 0;
    result.subgroup_shuffle = (together & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0;
    result.subgroup_wide = twelve.shaderSubgroupExtendedTypes;
    result.subgroup_size = subgroups.subgroupSize;
    result.specials16 = floats.shaderSignedZeroInfNanPreserveFloat16;
    result.specials32 = floats.shaderSignedZeroInfNanPreserveFloat32;
    result.specials64 = floats.shaderSignedZeroInfNanPreserveFloat64;
    return result;
}

// Nothing else is enabled: some features cost time.
void FeatureChain::enable(const FeatureChain& has) {
    all.features.shaderFloat64 = has.all.features.shaderFloat64;
    all.features.shaderInt16 = has.all.features.shaderInt16;
    all.features.shaderInt64 = has.all.features.shaderInt64;
    eleven.storageBuffer16BitAccess = has.eleven.storageBuffer16BitAccess;
    twelve.bufferDeviceAddress = twelve.timelineSemaphore = VK_TRUE;  // the instance has looked for them
    twelve.shaderFloat16 = has.twelve.shaderFloat16;
    twelve.shaderInt8 = has.twelve.shaderInt8;
    twelve.storageBuffer8BitAccess = has.twelve.storageBuffer8BitAccess;
    twelve.shaderBufferInt64Atomics = has.twelve.shaderBufferInt64Atomics;
    twelve.shaderSharedInt64Atomics = has.twelve.shaderSharedInt64Atomics;
    twelve.shaderSubgroupExtendedTypes = has.twelve.shaderSubgroupExtendedTypes;
    atomics.shaderBufferFloat32Atomics = has.atomics.shaderBufferFloat32Atomics;
    atomics.shaderBufferFloat32AtomicAdd = has.atomics.shaderBufferFloat32AtomicAdd;
    atomics.shaderBufferFloat64Atomics = has.atomics.shaderBufferFloat64Atomics;
    atomics.shaderBufferFloat64AtomicAdd = has.atomics.shaderBufferFloat64AtomicAdd;
    atomics.shaderSharedFloat32Atomics = has.atomics.shaderSharedFloat32Atomics;
    atomics.shaderSharedFloat32AtomicAdd = has.atomics.shaderSharedFloat32AtomicAdd;
    atomics.shaderSharedFloat64Atomics = has.atomics.shaderSharedFloat64Atomics;
    atomics.shaderSharedFloat64AtomicAdd = has.atomics.shaderSharedFloat64AtomicAdd;
}

}  // namespace vulkan
