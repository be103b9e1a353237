// Launches of one kernel over Vulkan by hand, in one queue: what the driver takes for them. `start` says why it cannot.
//
// The kernel is a module of ours, whose arguments are the address of a buffer and what `arguments` has after it. On the
// first device, whose first queue computes, as on lavapipe.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(VkResult result, const char *what) {
    if (result != VK_SUCCESS) throw std::runtime_error(std::string(what) + ": " + std::to_string(result));
}
#define CHECK(call) check(call, #call)

template <class Info>
Info made(VkStructureType type) {
    Info info{};
    info.sType = type;
    return info;
}

VkPhysicalDeviceMemoryProperties memories;
VkDevice device;
VkQueue queue;
VkCommandPool pool;
VkPipelineLayout layout;
VkPipeline pipeline;
VkSemaphore semaphore;
std::uint64_t reached = 0;
void *elements;
std::vector<char> pushed;
std::vector<VkCommandBuffer> buffers;

void open_device() {
    auto application = made<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
    application.apiVersion = VK_API_VERSION_1_2;
    auto instance_info = made<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
    instance_info.pApplicationInfo = &application;
    VkInstance instance;
    CHECK(vkCreateInstance(&instance_info, nullptr, &instance));
    std::uint32_t count = 1;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    const VkResult found = vkEnumeratePhysicalDevices(instance, &count, &physical);
    if (count == 0 || (found != VK_SUCCESS && found != VK_INCOMPLETE)) throw std::runtime_error("no device");
    std::uint32_t families = 1;
    VkQueueFamilyProperties family{};
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &families, &family);
    if ((family.queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) throw std::runtime_error("the first queue does not compute");
    vkGetPhysicalDeviceMemoryProperties(physical, &memories);
    const float priority = 1;
    auto queue_info = made<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    queue_info.queueCount = 1;
    queue_info.pQueuePriorities = &priority;
    auto features = made<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    features.bufferDeviceAddress = features.timelineSemaphore = VK_TRUE;
    auto info = made<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
    info.pNext = &features;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue_info;
    CHECK(vkCreateDevice(physical, &info, nullptr, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);
}

std::uint32_t visible_memory(std::uint32_t usable) {
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (std::uint32_t type = 0; type < memories.memoryTypeCount; ++type) {
        const bool fits = (memories.memoryTypes[type].propertyFlags & wanted) == wanted;
        if (fits && (usable >> type & 1) != 0) return type;
    }
    throw std::runtime_error("no memory of the host fits");
}

// Of zeros; `elements` is where the host sees it.
VkDeviceAddress buffer_of(std::uint64_t bytes) {
    auto info = made<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkBuffer buffer;
    CHECK(vkCreateBuffer(device, &info, nullptr, &buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, buffer, &needs);
    auto flags = made<VkMemoryAllocateFlagsInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    auto memory_info = made<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
    memory_info.pNext = &flags;
    memory_info.allocationSize = needs.size;
    memory_info.memoryTypeIndex = visible_memory(needs.memoryTypeBits);
    VkDeviceMemory memory;
    CHECK(vkAllocateMemory(device, &memory_info, nullptr, &memory));
    CHECK(vkBindBufferMemory(device, buffer, memory, 0));
    CHECK(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &elements));
    std::memset(elements, 0, bytes);
    auto address = made<VkBufferDeviceAddressInfo>(VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO);
    address.buffer = buffer;
    return vkGetBufferDeviceAddress(device, &address);
}

void load(const void *module, std::size_t bytes, std::uint32_t block) {
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<std::uint32_t>(pushed.size())};
    auto layout_info = made<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    layout_info.pushConstantRangeCount = 1;
    layout_info.pPushConstantRanges = &range;
    CHECK(vkCreatePipelineLayout(device, &layout_info, nullptr, &layout));
    auto module_info = made<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    module_info.codeSize = bytes;
    module_info.pCode = static_cast<const std::uint32_t *>(module);
    VkShaderModule shader;
    CHECK(vkCreateShaderModule(device, &module_info, nullptr, &shader));
    const std::uint32_t constants[] = {block, 1, 1, 0, block};
    const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}, {3, 12, 4}, {4, 16, 4}};
    const VkSpecializationInfo special{5, entries, sizeof constants, constants};
    auto info = made<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    info.stage = made<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = shader;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &special;
    info.layout = layout;
    CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
}

// One submit of launches, each of which waits for the one before.
void submit(VkCommandBuffer commands, int launches) {
    auto begin = made<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    CHECK(vkBeginCommandBuffer(commands, &begin));
    auto barrier = made<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<std::uint32_t>(pushed.size()),
                       pushed.data());
    for (int i = 0; i < launches; ++i) {
        if (i > 0) {
            const auto stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
            vkCmdPipelineBarrier(commands, stage, stage, 0, 1, &barrier, 0, nullptr, 0, nullptr);
        }
        vkCmdDispatch(commands, 1, 1, 1);
    }
    CHECK(vkEndCommandBuffer(commands));
    const std::uint64_t before = reached++;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    auto turns = made<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    turns.waitSemaphoreValueCount = turns.signalSemaphoreValueCount = 1;
    turns.pWaitSemaphoreValues = &before;
    turns.pSignalSemaphoreValues = &reached;
    auto info = made<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    info.pNext = &turns;
    info.waitSemaphoreCount = info.signalSemaphoreCount = info.commandBufferCount = 1;
    info.pWaitSemaphores = info.pSignalSemaphores = &semaphore;
    info.pWaitDstStageMask = &stage;
    info.pCommandBuffers = &commands;
    CHECK(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
}

void wait() {
    auto info = made<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
    info.semaphoreCount = 1;
    info.pSemaphores = &semaphore;
    info.pValues = &reached;
    CHECK(vkWaitSemaphores(device, &info, ~std::uint64_t{0}));
}

void start_all(const void *module, std::size_t bytes, const void *arguments, std::size_t argument_bytes,
               std::uint32_t block, int most) {
    open_device();
    const VkDeviceAddress address = buffer_of(4 * block);
    pushed.resize(sizeof address + argument_bytes);
    std::memcpy(pushed.data(), &address, sizeof address);
    std::memcpy(pushed.data() + sizeof address, arguments, argument_bytes);
    load(module, bytes, block);
    auto pool_info = made<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    CHECK(vkCreateCommandPool(device, &pool_info, nullptr, &pool));
    buffers.resize(static_cast<std::size_t>(most));
    auto info = made<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    info.commandPool = pool;
    info.commandBufferCount = static_cast<std::uint32_t>(most);
    CHECK(vkAllocateCommandBuffers(device, &info, buffers.data()));
    auto type = made<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    auto semaphore_info = made<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
    semaphore_info.pNext = &type;
    CHECK(vkCreateSemaphore(device, &semaphore_info, nullptr, &semaphore));
}

}  // namespace

// Why it cannot; empty when all is ready.
extern "C" const char *start(const void *module, std::size_t bytes, const void *arguments, std::size_t argument_bytes,
                             std::uint32_t block, int most) {
    static std::string failure;
    try {
        start_all(module, bytes, arguments, argument_bytes, block, most);
    } catch (const std::exception &error) {
        failure = error.what();
    }
    return failure.c_str();
}

// The elements of the buffer, for the caller to see that all threads of the launches have run.
extern "C" const float *result() { return static_cast<const float *>(elements); }

// `count` launches, each submitted by itself.
extern "C" void launch(int count) {
    for (int i = 0; i < count; ++i) submit(buffers[static_cast<std::size_t>(i)], 1);
    wait();
}

// The same in one submit.
extern "C" void batched(int count) {
    submit(buffers[0], count);
    wait();
}
