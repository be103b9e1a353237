// Memory of the device, host memory that is registered for asynchronous copies, and copies between the two.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "stream.hpp"

namespace cpu {

int device_count();
std::string device_name(int device);  // "CPU, 16 threads, x86-64-v4"
int current_device();             // of the calling thread
int device_or_current(std::optional<int> device);
void set_device(int device);      // throws std::invalid_argument when there is no such device
void check_device(int device);    // throws as set_device does

class Block;

// Memory of a fixed size on a device, aligned to 256 bytes; null when its size is 0. What it holds at first is not
// defined. Letting go of it returns at once: it is freed when all streams have done what is queued by then.
class Memory {
public:
    // Throws OutOfMemory when the device has not so much left, also after waiting for memory that is let go of.
    Memory(std::size_t size, int device);
    // Memory that someone else owns, and keeps until queued work with it is done.
    Memory(char* data, std::size_t size, int device);
    ~Memory();
    Memory(Memory&&) = default;
    Memory& operator=(Memory&&) = delete;

    std::size_t size() const { return size_; }
    int device() const { return device_; }
    char* data() const { return data_; }
    bool is_null() const { return data_ == nullptr; }
    std::uintptr_t pointer() const { return reinterpret_cast<std::uintptr_t>(data_); }

    // The address of `size` bytes at `offset`; throws std::invalid_argument when they do not all lie in the memory.
    char* part(std::size_t offset, std::size_t size) const;

private:
    std::shared_ptr<Block> block_;  // null when it is not ours
    char* data_;
    std::size_t size_;
    int device_;
};

struct MemoryInfo {
    std::size_t free, total;
};
MemoryInfo memory_info(int device);

// Host memory that is registered is read and written when a copy's turn comes, while the host goes on.
// Throw cpu::Error when part of it is registered already, or when there is no registration that begins there.
void register_memory(const void* data, std::size_t size);
void unregister_memory(const void* data);

// Copies, in the order of the stream. Of ordinary host memory, `upload` has read it, and `download` has written it,
// when the call returns; `download` into it also throws what work of the stream has thrown.
void upload(const Memory& to, std::size_t offset, const void* from, std::size_t size, const Stream& stream);
void download(void* to, const Memory& from, std::size_t offset, std::size_t size, const Stream& stream);
void copy(const Memory& to, std::size_t to_offset, const Memory& from, std::size_t from_offset, std::size_t size,
          const Stream& stream);
void set_bytes(const Memory& to, std::size_t offset, unsigned char value, std::size_t size, const Stream& stream);

}  // namespace cpu
