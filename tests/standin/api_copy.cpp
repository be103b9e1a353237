// Copying and filling memory.
#include <memory>
#include <vector>

#include "answer.hpp"

using namespace standin;

namespace {

struct Copy {
    void* to;
    const void* from;
    std::size_t size;
    bool to_device;
    bool from_device;

    Engine engine() const {
        if (to_device == from_device) return Engine::Compute;
        return to_device ? Engine::Upload : Engine::Download;
    }
};

bool is_on_device(const void* pointer) {
    auto block = World::instance().memory.find(pointer);
    return block && block->kind == MemoryKind::Device;
}

bool lies_on(const void* pointer, int device) {
    auto block = World::instance().memory.find(pointer);
    return block && block->device == device;
}

bool is_valid_end(const void* pointer, std::size_t size, bool on_device) {
    const Memory& memory = World::instance().memory;
    return on_device ? memory.is_alive(pointer, size, MemoryKind::Device) : memory.is_host(pointer, size);
}

// Checks that both ends are what `kind` says they are, over their whole length.
cudaError_t plan(Copy& copy, cudaMemcpyKind kind) {
    switch (kind) {
        case cudaMemcpyHostToHost: break;
        case cudaMemcpyHostToDevice: copy.to_device = true; break;
        case cudaMemcpyDeviceToHost: copy.from_device = true; break;
        case cudaMemcpyDeviceToDevice: copy.to_device = copy.from_device = true; break;
        case cudaMemcpyDefault:
            copy.to_device = is_on_device(copy.to);
            copy.from_device = is_on_device(copy.from);
            break;
        default: return cudaErrorInvalidMemcpyDirection;
    }
    if (copy.to == nullptr || copy.from == nullptr) return cudaErrorInvalidValue;
    bool valid = is_valid_end(copy.to, copy.size, copy.to_device) &&
                 is_valid_end(copy.from, copy.size, copy.from_device);
    return valid ? cudaSuccess : cudaErrorInvalidValue;
}

// Pageable memory is read at the call, and the call waits until it is written; only with pinned memory is a copy
// asynchronous on both ends. With `wait` it never is.
cudaError_t start(Copy copy, const StreamPtr& stream, bool wait) {
    World& world = World::instance();
    bool to_tracked = world.memory.find(copy.to).has_value();
    bool from_tracked = world.memory.find(copy.from).has_value();
    std::shared_ptr<std::vector<char>> staged;
    if (!from_tracked) {
        auto* bytes = static_cast<const char*>(copy.from);
        staged = std::make_shared<std::vector<char>>(bytes, bytes + copy.size);
        copy.from = staged->data();
    }
    TicketPtr ticket = world.submit(stream, [=, &world, device = stream->device] {
        world.occupy(device, copy.engine(), copy.size, [&] {
            (void)staged;  // lives until here
            return world.memory.copy(copy.to, to_tracked, copy.from, from_tracked, copy.size);
        });
    });
    if (to_tracked && !wait) return cudaSuccess;
    if (!ticket) return cudaErrorStreamCaptureUnsupported;
    ticket->wait();
    return outcome();
}

cudaError_t start_fill(void* pointer, int value, std::size_t size, const StreamPtr& stream) {
    World& world = World::instance();
    if (size == 0) return cudaSuccess;
    bool valid = world.memory.is_alive(pointer, size, MemoryKind::Device) ||
                 world.memory.is_alive(pointer, size, MemoryKind::Pinned);
    if (!valid) return cudaErrorInvalidValue;
    world.submit(stream, [=, &world, device = stream->device] {
        world.occupy(device, Engine::Compute, size, [&] { return world.memory.fill(pointer, value, size); });
    });
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind, cudaStream_t handle) {
    return answer_on(__func__, handle, [&](const StreamPtr& stream) {
        if (size == 0) return cudaSuccess;
        Copy copy{to, from, size, false, false};
        cudaError_t status = plan(copy, kind);
        return status == cudaSuccess ? start(copy, stream, false) : status;
    });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind kind) {
    return answer_on(__func__, nullptr, [&](const StreamPtr& stream) {
        if (size == 0) return cudaSuccess;
        Copy copy{to, from, size, false, false};
        cudaError_t status = plan(copy, kind);
        bool within_device = copy.to_device && copy.from_device;  // then it is asynchronous to the host
        return status == cudaSuccess ? start(copy, stream, !within_device) : status;
    });
}

cudaError_t cudaMemcpyPeerAsync(
    void* to, int to_device, const void* from, int from_device, size_t size, cudaStream_t handle) {
    return answer_on(__func__, handle, [&](const StreamPtr& stream) {
        if (!is_device(to_device) || !is_device(from_device)) return cudaErrorInvalidDevice;
        if (size == 0) return cudaSuccess;
        Copy copy{to, from, size, false, false};
        cudaError_t status = plan(copy, cudaMemcpyDeviceToDevice);
        if (status == cudaSuccess && !(lies_on(to, to_device) && lies_on(from, from_device))) {
            return cudaErrorInvalidValue;
        }
        return status == cudaSuccess ? start(copy, stream, false) : status;
    });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t size, cudaStream_t handle) {
    return answer_on(__func__, handle,
                     [&](const StreamPtr& stream) { return start_fill(pointer, value, size, stream); });
}

// Asynchronous to the host, like the real one.
cudaError_t cudaMemset(void* pointer, int value, size_t size) {
    return answer_on(__func__, nullptr,
                     [&](const StreamPtr& stream) { return start_fill(pointer, value, size, stream); });
}
