#include <algorithm>
#include <utility>

#include "device.hpp"

namespace vulkan {
namespace {

constexpr VkDeviceSize alignment = 256;  // of addresses, as CUDA has it

}  // namespace

Buffer::Buffer(Device& device, std::size_t size, Where where) : device_(device), size_(size) {
    try {
        make(size, where);
        const VkDeviceSize beyond = where == Where::device ? address_ % alignment : 0;
        if (beyond != 0) {  // the driver aligns less
            destroy();
            make(size + alignment, where);
            shift_ = (alignment - address_ % alignment) % alignment;
            address_ += shift_;
            if (mapped_ != nullptr) mapped_ += shift_;
        }
    } catch (...) {
        destroy();
        throw;
    }
}

void Buffer::make(std::size_t size, Where where) {
    const auto& call = device_.call;
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = size;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    check(call.CreateBuffer(device_.handle, &info, nullptr, &handle_), "vkCreateBuffer");
    VkMemoryRequirements needs{};
    call.GetBufferMemoryRequirements(device_.handle, handle_, &needs);
    const std::uint32_t type = device_.memory_type(needs.memoryTypeBits, where);
    VkMemoryAllocateFlagsInfo flags{};
    flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocation.pNext = &flags;
    allocation.allocationSize = needs.size;
    allocation.memoryTypeIndex = type;
    check(call.AllocateMemory(device_.handle, &allocation, nullptr, &memory_), "vkAllocateMemory");
    allocated_ = where == Where::device ? needs.size : 0;
    device_.allocated_ += allocated_;
    check(call.BindBufferMemory(device_.handle, handle_, memory_, 0), "vkBindBufferMemory");
    VkBufferDeviceAddressInfo asked{};
    asked.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    asked.buffer = handle_;
    address_ = call.GetBufferDeviceAddress(device_.handle, &asked);
    if (where == Where::host || device_.is_unified) {
        void* mapped = nullptr;
        check(call.MapMemory(device_.handle, memory_, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
        mapped_ = static_cast<char*>(mapped);
    }
}

Buffer::Buffer(Device& device, void* memory, std::size_t size) : device_(device), size_(size) {
    const auto& call = device_.call;
    constexpr auto kind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    VkMemoryHostPointerPropertiesEXT can{};
    can.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
    check(call.GetMemoryHostPointerPropertiesEXT(device_.handle, kind, memory, &can), "vkGetMemoryHostPointerPropertiesEXT");
    try {
        VkExternalMemoryBufferCreateInfo external{};
        external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
        external.handleTypes = kind;
        VkBufferCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
        info.pNext = &external;
        info.size = size;
        info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
        check(call.CreateBuffer(device_.handle, &info, nullptr, &handle_), "vkCreateBuffer");
        VkMemoryRequirements needs{};
        call.GetBufferMemoryRequirements(device_.handle, handle_, &needs);
        VkImportMemoryHostPointerInfoEXT import{};
        import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
        import.handleType = kind;
        import.pHostPointer = memory;
        VkMemoryAllocateInfo allocation{};
        allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
        allocation.pNext = &import;
        allocation.allocationSize = size;
        allocation.memoryTypeIndex = device_.memory_type(can.memoryTypeBits & needs.memoryTypeBits, Where::host);
        check(call.AllocateMemory(device_.handle, &allocation, nullptr, &memory_), "vkAllocateMemory");
        check(call.BindBufferMemory(device_.handle, handle_, memory_, 0), "vkBindBufferMemory");
    } catch (...) {
        destroy();
        throw;
    }
}

void Buffer::destroy() {
    if (handle_ != VK_NULL_HANDLE) device_.call.DestroyBuffer(device_.handle, handle_, nullptr);
    if (memory_ != VK_NULL_HANDLE) device_.call.FreeMemory(device_.handle, memory_, nullptr);  // it unmaps too
    device_.allocated_ -= std::exchange(allocated_, 0);
    handle_ = VK_NULL_HANDLE;
    memory_ = VK_NULL_HANDLE;
    mapped_ = nullptr;
}

Buffer::~Buffer() {
    if (!is_forked()) destroy();
}

}  // namespace vulkan
