// Memory of a device, host memory that is registered for asynchronous copies, and copies between the two.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "stream.hpp"

namespace vulkan {

// Memory of a fixed size on a device, whose address is a multiple of 256; null when its size is 0. Letting go of it
// returns at once: it is freed when all streams of the device have done what is queued by then.
class Memory {
public:
    // Throws OutOfMemory when the device has not so much left, also after waiting for memory that is let go of.
    Memory(std::size_t size, Device& device);
    ~Memory();
    Memory(Memory&&) = default;
    Memory& operator=(Memory&&) = delete;

    std::size_t size() const { return size_; }
    bool is_null() const { return size_ == 0; }
    int device() const { return device_->index; }
    Device& on() const { return *device_; }
    std::uintptr_t pointer() const { return buffer_ ? buffer_->address() : 0; }
    // Where the host sees it; 0 where it does not.
    std::uintptr_t host_pointer() const { return buffer_ ? reinterpret_cast<std::uintptr_t>(buffer_->mapped()) : 0; }
    const std::shared_ptr<Buffer>& buffer() const { return buffer_; }

    // Throws std::invalid_argument when `size` bytes at `offset` do not all lie in the memory.
    void require(std::size_t offset, std::size_t size) const;

private:
    Device* device_;
    std::size_t size_;
    std::shared_ptr<Buffer> buffer_;
};

// Host memory that is registered is read and written when a copy's turn comes, while the host goes on. Where the device
// imports no host memory, this is only remembered, and copies wait as for ordinary memory. Throw Error when part of it
// is registered already, or when there is no registration that begins there.
void register_memory(Device& device, void* data, std::size_t size);
void unregister_memory(Device& device, const void* data);

// Copies, in the order of the stream. Of ordinary host memory, `upload` has read it, and `download` has written it,
// when the call returns.
void upload(const Memory& to, std::size_t offset, const void* from, std::size_t size, const Stream& stream);
void download(void* to, const Memory& from, std::size_t offset, std::size_t size, const Stream& stream);
void copy(const Memory& to, std::size_t to_offset, const Memory& from, std::size_t from_offset, std::size_t size,
          const Stream& stream);
// `count` elements, each of the bytes of `value`: 1, 2, 4 or 8.
void fill(const Memory& to, std::size_t offset, std::size_t count, std::string_view value, const Stream& stream);

}  // namespace vulkan
