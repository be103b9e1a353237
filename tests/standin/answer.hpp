// What every API function does around its own work.
#pragma once
#include <cuda_runtime_api.h>

#include <new>

#include "calls.hpp"
#include "settings.hpp"
#include "world.hpp"

namespace standin {

// The calling thread's last error: stays until it is asked for.
cudaError_t& last_error();

inline cudaError_t remember(cudaError_t status) {
    if (status != cudaSuccess) last_error() = status;
    return status;
}

// Does `work` unless the test asked this call to fail.
template <typename Work>
cudaError_t answer_always(const char* function, const Work& work) noexcept {
    try {
        cudaError_t planned = count_call(function);
        return remember(planned == cudaSuccess ? work() : planned);
    } catch (const std::bad_alloc&) {
        return remember(cudaErrorMemoryAllocation);
    } catch (...) {
        return remember(cudaErrorUnknown);
    }
}

// The same for what needs a device in working order.
template <typename Work>
cudaError_t answer(const char* function, const Work& work) noexcept {
    return answer_always(function, [&work] {
        if (settings().devices == 0) return cudaErrorNoDevice;
        if (World::instance().corrupted) return cudaErrorIllegalAddress;
        return work();
    });
}

// The same for what works on a stream, which `work` gets.
template <typename Work>
cudaError_t answer_on(const char* function, cudaStream_t handle, const Work& work) noexcept {
    return answer(function, [&] {
        StreamPtr stream = World::instance().find_stream(handle);
        return stream ? work(stream) : cudaErrorInvalidResourceHandle;
    });
}

// After waiting: whether the work that was waited for met freed memory.
inline cudaError_t outcome() {
    return World::instance().corrupted ? cudaErrorIllegalAddress : cudaSuccess;
}

inline bool is_device(int device) { return device >= 0 && device < settings().devices; }

}  // namespace standin
