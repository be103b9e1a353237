// Vulkan's functions, found through vkGetInstanceProcAddr alone; what its results are as exceptions; the one instance.
#pragma once
#include <vulkan/vulkan.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace vulkan {

// A call of Vulkan that failed, or a device that cannot do what is asked of it.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The device does no more work in this process.
struct DeviceLost : Error {
    using Error::Error;
};

// The device has no such feature, or less than is asked for.
struct Unsupported : Error {
    using Error::Error;
};

// The device has not so much memory left.
struct OutOfMemory : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::string result_name(VkResult result);  // "VK_ERROR_DEVICE_LOST"

// Throws what a result stands for; VK_SUCCESS and what is no error are returned.
VkResult check(VkResult result, const char* call);

// Throws Error in a child process, whose parent had threads of the driver that a fork does not copy.
void check_not_forked();
bool is_forked();

#define VULKAN_INSTANCE_FUNCTIONS(X)                                                                          \
    X(CreateDebugUtilsMessengerEXT)                                                                           \
    X(CreateDevice)                                                                                           \
    X(EnumerateDeviceExtensionProperties)                                                                     \
    X(EnumeratePhysicalDevices)                                                                               \
    X(GetDeviceProcAddr)                                                                                      \
    X(GetPhysicalDeviceFeatures2)                                                                             \
    X(GetPhysicalDeviceMemoryProperties2)                                                                     \
    X(GetPhysicalDeviceProperties2)                                                                           \
    X(GetPhysicalDeviceQueueFamilyProperties)

#define VULKAN_DEVICE_FUNCTIONS(X)                                                                            \
    X(AllocateCommandBuffers)                                                                                 \
    X(AllocateMemory)                                                                                         \
    X(BeginCommandBuffer)                                                                                     \
    X(BindBufferMemory)                                                                                       \
    X(CmdBindPipeline)                                                                                        \
    X(CmdCopyBuffer)                                                                                          \
    X(CmdDispatch)                                                                                            \
    X(CmdExecuteCommands)                                                                                     \
    X(CmdFillBuffer)                                                                                          \
    X(CmdPipelineBarrier)                                                                                     \
    X(CmdPushConstants)                                                                                       \
    X(CmdResetQueryPool)                                                                                      \
    X(CmdWriteTimestamp)                                                                                      \
    X(CreateBuffer)                                                                                           \
    X(CreateCommandPool)                                                                                      \
    X(CreateComputePipelines)                                                                                 \
    X(CreatePipelineLayout)                                                                                   \
    X(CreateQueryPool)                                                                                        \
    X(CreateSemaphore)                                                                                        \
    X(CreateShaderModule)                                                                                     \
    X(DestroyBuffer)                                                                                          \
    X(DestroyPipeline)                                                                                        \
    X(DestroyPipelineLayout)                                                                                  \
    X(DestroyShaderModule)                                                                                    \
    X(EndCommandBuffer)                                                                                       \
    X(FreeMemory)                                                                                             \
    X(GetBufferDeviceAddress)                                                                                 \
    X(GetBufferMemoryRequirements)                                                                            \
    X(GetDeviceQueue)                                                                                         \
    X(GetMemoryHostPointerPropertiesEXT)                                                                      \
    X(GetQueryPoolResults)                                                                                    \
    X(GetSemaphoreCounterValue)                                                                               \
    X(MapMemory)                                                                                              \
    X(QueueSubmit)                                                                                            \
    X(WaitSemaphores)

#define VULKAN_MEMBER(name) PFN_vk##name name = nullptr;

// Functions of one device, without the way through the loader.
struct DeviceFunctions {
    VULKAN_DEVICE_FUNCTIONS(VULKAN_MEMBER)
};

// The instance: made at the first use of the library, and never destroyed, since handles may outlive main.
struct Instance {
    VULKAN_INSTANCE_FUNCTIONS(VULKAN_MEMBER)
    VkInstance handle = nullptr;
    std::vector<VkPhysicalDevice> devices;  // that can be used: Vulkan 1.2, buffer addresses, timeline semaphores
    std::vector<std::string> refused;       // the others, with the reason
};

#undef VULKAN_MEMBER

// Throws Error when there is no driver, or validation is asked for and its layer is not installed.
const Instance& instance(PFN_vkGetInstanceProcAddr loader);
inline const std::vector<std::string>& refused_devices(const Instance& instance) { return instance.refused; }

// What the validation layer has said since the last call; it is loaded when VULKAN_FFI_VALIDATION is 1.
std::vector<std::string> take_messages();
bool is_validating();

}  // namespace vulkan
