// Memory of a device, and queues of work on it: torch's streams on an accelerator, threads of our own on the CPU.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/StreamGuard.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <variant>

#include "stream.hpp"

namespace torch_ffi {

// Bytes on a device, from torch's allocator. Queued work keeps what it uses.
struct Memory {
    at::Tensor bytes;

    std::size_t size() const { return bytes.nbytes(); }
    std::uintptr_t pointer() const { return reinterpret_cast<std::uintptr_t>(bytes.data_ptr()); }
    c10::Device device() const { return bytes.device(); }
};

Memory allocate(std::size_t size, c10::Device device);

// Memory that someone else owns and keeps alive.
Memory memory_at(std::uintptr_t pointer, std::size_t size, c10::Device device);

// `size` bytes from `offset`; throws c10::ValueError when they do not all lie in the memory.
at::Tensor bytes_of(const Memory& memory, std::size_t offset, std::size_t size);

// Elements within the memory: `offset` in bytes, `strides` in elements. Throws c10::ValueError when one lies outside.
at::Tensor view(const Memory& memory, std::size_t offset, at::ScalarType dtype, c10::IntArrayRef shape,
                c10::IntArrayRef strides);

// One element without dimensions, in host memory.
at::Tensor element(std::string_view data, at::ScalarType dtype);

// Host memory that copies read and write when their turn comes, while the host goes on; known by its address.
class PinnedMemory {
public:
    // Page-locked for an accelerator, plain memory for the CPU.
    PinnedMemory(std::size_t size, c10::Device device);
    PinnedMemory(PinnedMemory&&) = default;
    PinnedMemory& operator=(PinnedMemory&&) = delete;
    ~PinnedMemory();

    std::size_t size() const { return bytes_.nbytes(); }
    std::uintptr_t pointer() const { return reinterpret_cast<std::uintptr_t>(bytes_.data_ptr()); }

private:
    at::Tensor bytes_;
};

class Event;

class Queue {
public:
    Queue(c10::Device device, int priority);
    // A stream that someone else owns; only CUDA's can be told by their address.
    Queue(c10::Device device, std::uintptr_t stream);

    c10::Device device() const { return device_; }
    int priority() const { return priority_; }
    std::uintptr_t pointer() const;
    const cpu::Stream& thread() const;  // throws c10::ValueError for a queue of an accelerator

    // Do `work(tensors...)` in its turn. On an accelerator torch queues it, and it fails here; on the CPU the queue's
    // thread does it, and the failure is kept. Either way the tensors' memory lives until it is done.
    template <class Work, class... Tensors>
    void run(Work work, const Tensors&... tensors) const {
        if (const auto* stream = std::get_if<c10::Stream>(&stream_)) {
            const c10::StreamGuard current(*stream);
            const c10::InferenceMode without_gradients;
            (hold(tensors), ...);
            work(tensors...);
        } else {
            const cpu::Takes takes = cpu::time_of((tensors.numel() + ... + 0));
            const auto task = [work = std::move(work), tensors...] {
                const c10::InferenceMode without_gradients;
                work(tensors...);
            };
            std::get<cpu::Stream>(stream_).push("run", task, nullptr, takes);
        }
    }

    // Ordinary memory is read before the call returns, pinned memory when the copy's turn comes.
    void upload(const at::Tensor& out, std::string_view data) const;
    // Ordinary memory is written before the call returns, pinned memory when the copy's turn comes.
    void download(void* data, const at::Tensor& bytes) const;

    // What the event's record and block do.
    void record(Event& event) const;
    void wait_event(const Event& event) const;

    // Both throw what queued work has thrown.
    void synchronize() const;
    bool query() const;
    // Waits no longer than so long; whether all is done, and then throws as synchronize does.
    bool wait_for(std::chrono::milliseconds time) const;

private:
    friend class Event;

    // The allocator gives the memory to no one else before the stream has passed this point.
    void hold(const at::Tensor& tensor) const;

    c10::Device device_;
    int priority_ = 0;
    std::variant<c10::Stream, cpu::Stream> stream_;
};

// A point in a queue's work: the latest recording counts, and one that was never recorded is complete.
class Event {
public:
    Event(c10::Device device, bool timing);

    void record(const Queue& queue);
    void block(const Queue& queue) const;
    void synchronize() const;
    bool query() const;
    bool wait_for(std::chrono::milliseconds time) const;
    // Milliseconds; throws unless both are recorded, complete, and have times.
    double elapsed_time(const Event& end) const;
    std::uintptr_t pointer() const;

private:
    struct Accelerated {
        c10::Event event;
        mutable std::mutex mutex;  // torch's events may not be used by two threads at a time
    };

    std::variant<std::unique_ptr<Accelerated>, std::unique_ptr<cpu::Event>> event_;
};

inline void Queue::record(Event& event) const { event.record(*this); }
inline void Queue::wait_event(const Event& event) const { event.block(*this); }

// Wait for everything that is queued on a device.
void synchronize_device(c10::Device device);

}  // namespace torch_ffi
