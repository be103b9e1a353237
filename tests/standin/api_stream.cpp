// Streams and events.
#include <algorithm>

#include "answer.hpp"

using namespace standin;

namespace {

cudaError_t create_stream(cudaStream_t* handle, unsigned flags, int priority) {
    if (handle == nullptr || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0) {
        return cudaErrorInvalidValue;
    }
    int clamped = std::clamp(priority, greatest_priority, 0);
    *handle = World::instance().create_stream(current_device(), flags, clamped);
    return cudaSuccess;
}

cudaError_t create_event(cudaEvent_t* handle, unsigned flags) {
    constexpr unsigned valid = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (handle == nullptr || (flags & ~valid) != 0) return cudaErrorInvalidValue;
    *handle = World::instance().create_event(current_device(), flags);
    return cudaSuccess;
}

// Gives `work` a copy of the event as it is now.
template <typename Work>
cudaError_t answer_about(const char* function, cudaEvent_t handle, const Work& work) noexcept {
    return answer(function, [&] {
        Event event;
        return World::instance().find_event(handle, event) ? work(event) : cudaErrorInvalidResourceHandle;
    });
}

bool has_time(const Event& event) {
    return (event.flags & cudaEventDisableTiming) == 0 && event.recorded != nullptr;
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* handle) {
    return answer(__func__, [&] { return create_stream(handle, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* handle, unsigned flags) {
    return answer(__func__, [&] { return create_stream(handle, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* handle, unsigned flags, int priority) {
    return answer(__func__, [&] { return create_stream(handle, flags, priority); });
}

// Returns at once: what the stream still has to do is done.
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    return answer(__func__, [&] {
        return World::instance().destroy_stream(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    return answer_on(__func__, handle, [](const StreamPtr& stream) {
        if (World::instance().is_capturing(stream)) return cudaErrorStreamCaptureUnsupported;
        if (TicketPtr tail = stream->tail()) tail->wait();
        return outcome();
    });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
    return answer_on(__func__, handle, [](const StreamPtr& stream) {
        if (World::instance().is_capturing(stream)) return cudaErrorStreamCaptureUnsupported;
        TicketPtr tail = stream->tail();
        return tail && !tail->done() ? cudaErrorNotReady : outcome();
    });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
    return answer_on(__func__, handle, [&](const StreamPtr& stream) {
        if (flags == nullptr) return cudaErrorInvalidValue;
        *flags = stream->flags;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
    return answer_on(__func__, handle, [&](const StreamPtr& stream) {
        if (priority == nullptr) return cudaErrorInvalidValue;
        *priority = stream->priority;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
    return answer_on(__func__, handle, [&](const StreamPtr& stream) {
        if (device == nullptr) return cudaErrorInvalidValue;
        *device = stream->device;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned) {
    return answer_on(__func__, handle, [&](const StreamPtr& stream) {
        World& world = World::instance();
        Event event;
        if (!world.find_event(event_handle, event)) return cudaErrorInvalidResourceHandle;
        if (event.recorded) world.submit(stream, [ticket = event.recorded] { ticket->wait(); });
        return cudaSuccess;
    });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
    return answer_on(__func__, handle, [&](const StreamPtr& stream) {
        if (function == nullptr) return cudaErrorInvalidValue;
        World::instance().submit(stream, [function, data] { function(data); });
        return cudaSuccess;
    });
}

cudaError_t cudaEventCreate(cudaEvent_t* handle) {
    return answer(__func__, [&] { return create_event(handle, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* handle, unsigned flags) {
    return answer(__func__, [&] { return create_event(handle, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    return answer(__func__, [&] {
        return World::instance().destroy_event(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
    return answer_on(__func__, handle,
                     [&](const StreamPtr& stream) { return World::instance().record(event, stream); });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
    return answer_about(__func__, handle, [](const Event& event) {
        return event.recorded && !event.recorded->done() ? cudaErrorNotReady : outcome();
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    return answer_about(__func__, handle, [](const Event& event) {
        if (event.recorded) event.recorded->wait();
        return outcome();
    });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start_handle, cudaEvent_t end_handle) {
    return answer_about(__func__, start_handle, [&](const Event& start) {
        Event end;
        if (milliseconds == nullptr) return cudaErrorInvalidValue;
        if (!World::instance().find_event(end_handle, end)) return cudaErrorInvalidResourceHandle;
        if (!has_time(start) || !has_time(end)) return cudaErrorInvalidResourceHandle;
        if (start.device != end.device) return cudaErrorInvalidResourceHandle;
        if (!start.recorded->done() || !end.recorded->done()) return cudaErrorNotReady;
        auto elapsed = end.recorded->finished_at() - start.recorded->finished_at();
        *milliseconds = std::chrono::duration<float, std::milli>(elapsed).count();
        return cudaSuccess;
    });
}
