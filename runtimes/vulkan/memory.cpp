#include "memory.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace vulkan {
namespace {

constexpr std::uint64_t forever = ~std::uint64_t{0};

std::shared_ptr<Buffer> allocate(std::size_t size, Device& device) {
    if (size > device.largest_allocation) {
        throw OutOfMemory("cannot allocate " + std::to_string(size) + " bytes on device " + std::to_string(device.index) +
                          ": " + std::to_string(device.largest_allocation) + " are the most at once");
    }
    for (const bool is_last : {false, true}) {
        try {
            return std::make_shared<Buffer>(device, size, Buffer::Where::device);
        } catch (const OutOfMemory& error) {
            if (is_last) {
                const MemoryInfo info = device.memory_info();
                throw OutOfMemory("cannot allocate " + std::to_string(size) + " bytes on device " +
                                  std::to_string(device.index) + ": " + std::to_string(info.free) + " of " +
                                  std::to_string(info.total) + " are free (" + error.what() + ")");
            }
            device.collect(true);
        }
    }
    return nullptr;
}

// Registered host memory of all devices: by device, and by where it begins.
struct Registered {
    std::uintptr_t end, base;  // `base`: where what was imported begins, at a page
    std::shared_ptr<Buffer> buffer;
};

struct Registry {
    std::mutex mutex;
    std::map<std::pair<int, std::uintptr_t>, Registered> all;

    // The first of a device that ends behind `begin`.
    auto behind(int device, std::uintptr_t begin) {
        auto found = all.upper_bound({device, begin});
        if (found != all.begin() && std::prev(found)->first.first == device && std::prev(found)->second.end > begin) --found;
        return found;
    }
};

Registry& registry() {
    static Registry* result = new Registry;
    return *result;
}

// What holds host memory as a buffer, and where in it the memory begins; no buffer when it is not registered.
std::pair<std::shared_ptr<Buffer>, VkDeviceSize> imported(const Device& device, const void* data, std::size_t size) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const std::lock_guard<std::mutex> lock(registry().mutex);
    const auto found = registry().behind(device.index, begin);
    if (found == registry().all.end() || found->first.first != device.index || found->first.second > begin ||
        begin + size > found->second.end || !found->second.buffer) {
        return {nullptr, 0};
    }
    return {found->second.buffer, begin - found->second.base};
}

void require_device(const Device& device, const Stream& stream) {
    if (&device != &stream.on()) {
        throw std::invalid_argument("memory of device " + std::to_string(device.index) + " cannot be used on a stream of device " +
                                    std::to_string(stream.device()));
    }
}

void push_copy(const Stream& stream, const std::shared_ptr<Buffer>& to, VkDeviceSize to_offset,
               const std::shared_ptr<Buffer>& from, VkDeviceSize from_offset, std::size_t size) {
    stream.queue().push(
        [&](VkCommandBuffer commands) {
            const VkBufferCopy region{from->shift() + from_offset, to->shift() + to_offset, size};
            stream.on().call.CmdCopyBuffer(commands, from->handle(), to->handle(), 1, &region);
        },
        {to, from}, size);
}

}  // namespace

Memory::Memory(std::size_t size, Device& device)
    : device_(&device), size_(size), buffer_(size > 0 ? allocate(size, device) : nullptr) {}

Memory::~Memory() {
    if (buffer_) device_->free_later(std::move(buffer_));
}

void Memory::require(std::size_t offset, std::size_t size) const {
    if (offset > size_ || size > size_ - offset) {
        throw std::invalid_argument(std::to_string(size) + " bytes at offset " + std::to_string(offset) +
                                    " do not fit in device memory of " + std::to_string(size_) + " bytes");
    }
}

void register_memory(Device& device, void* data, std::size_t size) {
    if (size == 0) throw std::invalid_argument("memory of 0 bytes cannot be registered");
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const std::lock_guard<std::mutex> lock(registry().mutex);
    const auto next = registry().behind(device.index, begin);
    if (next != registry().all.end() && next->first.first == device.index && next->first.second < begin + size) {
        throw Error("part of this memory is registered already");
    }
    Registered made{begin + size, begin, nullptr};
    if (device.host_alignment > 0) {
        made.base = begin / device.host_alignment * device.host_alignment;
        const std::size_t pages = (begin + size - made.base + device.host_alignment - 1) / device.host_alignment;
        try {
            made.buffer = std::make_shared<Buffer>(device, reinterpret_cast<void*>(made.base), pages * device.host_alignment);
        } catch (const Error&) {  // copies wait then
        }
    }
    registry().all.emplace(std::pair(device.index, begin), std::move(made));
}

void unregister_memory(Device& device, const void* data) {
    Registered removed{};  // released without the lock
    {
        const std::lock_guard<std::mutex> lock(registry().mutex);
        const auto found = registry().all.find({device.index, reinterpret_cast<std::uintptr_t>(data)});
        if (found == registry().all.end()) {
            throw Error("this memory is not registered: give what host_register was called with");
        }
        removed = std::move(found->second);
        registry().all.erase(found);
    }
    if (removed.buffer) device.free_later(std::move(removed.buffer));
}

void upload(const Memory& to, std::size_t offset, const void* from, std::size_t size, const Stream& stream) {
    to.require(offset, size);
    require_device(to.on(), stream);
    if (size == 0) return;
    Device& device = to.on();
    if (const auto [buffer, at] = imported(device, from, size); buffer) {
        push_copy(stream, to.buffer(), offset, buffer, at, size);
        return;
    }
    if (to.buffer()->mapped() != nullptr && stream.queue().is_idle()) {
        std::memcpy(to.buffer()->mapped() + offset, from, size);
        return;
    }
    std::uint64_t before = 0, last = 0;
    for (std::size_t done = 0; done < size; done += Device::most_staged) {
        const std::size_t part = std::min(size - done, Device::most_staged);
        if (before > 0) {  // two parts at a time, so that a large copy takes little memory
            stream.queue().timeline()->wait(before, forever);
            stream.queue().recycle();
        }
        const auto staged = device.staging(part);
        std::memcpy(staged->mapped(), static_cast<const char*>(from) + done, part);
        push_copy(stream, to.buffer(), offset + done, staged, 0, part);
        if (size > part) before = std::exchange(last, stream.queue().last());
    }
}

void download(void* to, const Memory& from, std::size_t offset, std::size_t size, const Stream& stream) {
    from.require(offset, size);
    require_device(from.on(), stream);
    Device& device = from.on();
    if (size == 0) return stream.synchronize();
    if (const auto [buffer, at] = imported(device, to, size); buffer) {
        push_copy(stream, buffer, at, from.buffer(), offset, size);
        return;
    }
    if (from.buffer()->mapped() != nullptr) {
        stream.synchronize();
        std::memcpy(to, from.buffer()->mapped() + offset, size);
        return;
    }
    for (std::size_t done = 0; done < size; done += Device::most_staged) {
        const std::size_t part = std::min(size - done, Device::most_staged);
        const auto staged = device.staging(part);
        push_copy(stream, staged, 0, from.buffer(), offset + done, part);
        stream.queue().timeline()->wait(stream.queue().last(), forever);
        std::memcpy(static_cast<char*>(to) + done, staged->mapped(), part);
        stream.queue().recycle();
    }
}

void copy(const Memory& to, std::size_t to_offset, const Memory& from, std::size_t from_offset, std::size_t size,
          const Stream& stream) {
    to.require(to_offset, size);
    from.require(from_offset, size);
    require_device(to.on(), stream);
    require_device(from.on(), stream);
    if (size == 0) return;
    const bool overlaps = to.buffer() == from.buffer() && to_offset < from_offset + size && from_offset < to_offset + size;
    if (!overlaps) {
        push_copy(stream, to.buffer(), to_offset, from.buffer(), from_offset, size);
        return;
    }
    if (to_offset == from_offset) return;
    const auto between = allocate(size, to.on());  // kept by the commands until they are done
    push_copy(stream, between, 0, from.buffer(), from_offset, size);
    push_copy(stream, to.buffer(), to_offset, between, 0, size);
}

void fill(const Memory& to, std::size_t offset, std::size_t count, std::string_view value, const Stream& stream) {
    const std::size_t width = value.size();
    if (width != 1 && width != 2 && width != 4 && width != 8) {
        throw std::invalid_argument("an element has 1, 2, 4 or 8 bytes, not " + std::to_string(width));
    }
    if (count > to.size() / width) to.require(offset, to.size() + 1);
    const std::size_t size = count * width;
    to.require(offset, size);
    require_device(to.on(), stream);
    if (size == 0) return;
    std::string pattern(value);
    while (pattern.size() < 8) pattern += pattern;
    if (offset % 4 == 0 && size % 4 == 0 && pattern.compare(0, 4, pattern, 4, 4) == 0) {
        std::uint32_t word = 0;
        std::memcpy(&word, pattern.data(), sizeof word);
        stream.queue().push(
            [&](VkCommandBuffer commands) {
                to.on().call.CmdFillBuffer(commands, to.buffer()->handle(), to.buffer()->shift() + offset, size, word);
            },
            {to.buffer()});
        return;
    }
    const std::size_t step = std::min(size, Device::most_staged);
    const auto staged = to.on().staging(step);
    for (std::size_t i = 0; i < step; ++i) staged->mapped()[i] = pattern[i % width];
    for (std::size_t done = 0; done < size; done += step) {
        push_copy(stream, to.buffer(), offset + done, staged, 0, std::min(size - done, step));
    }
}

}  // namespace vulkan
