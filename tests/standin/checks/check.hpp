// A check is a function with a name; it ends the process at the first thing that is not as expected.
#pragma once
#include <cuda_runtime_api.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

using Check = void (*)();
std::map<std::string, Check>& all_checks();

struct Registration {
    Registration(const char* name, Check check) { all_checks()[name] = check; }
};

#define CHECK(name)                                            \
    static void check_##name();                                \
    static const Registration register_##name(#name, check_##name); \
    static void check_##name()

#define EXPECT(condition)                                                            \
    do {                                                                             \
        if (!(condition)) {                                                          \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                            \
        }                                                                            \
    } while (false)

#define EXPECT_STATUS(status, call)                                                          \
    do {                                                                                     \
        cudaError_t got = (call);                                                            \
        if (got != (status)) {                                                               \
            std::fprintf(stderr, "%s:%d: %s gave %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(got)); \
            std::exit(1);                                                                    \
        }                                                                                    \
    } while (false)

#define OK(call) EXPECT_STATUS(cudaSuccess, call)

// Holds a stream up until it is opened, so that a check decides what happens first, not the clock.
class Gate {
public:
    void hold(cudaStream_t stream) { OK(cudaLaunchHostFunc(stream, wait, new std::shared_ptr<State>(state_))); }

    void open() {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // what should wait, but does not, shows now
        std::lock_guard<std::mutex> lock(state_->mutex);
        state_->is_open = true;
        state_->changed.notify_all();
    }

private:
    struct State {
        std::mutex mutex;
        std::condition_variable changed;
        bool is_open = false;
    };
    std::shared_ptr<State> state_ = std::make_shared<State>();  // the one who waits may be the last to need it

    static void wait(void* data) {
        const std::unique_ptr<std::shared_ptr<State>> own(static_cast<std::shared_ptr<State>*>(data));
        State& state = **own;
        std::unique_lock<std::mutex> lock(state.mutex);
        state.changed.wait(lock, [&state] { return state.is_open; });
    }
};

inline unsigned char* device_memory(std::size_t size) {
    void* pointer = nullptr;
    OK(cudaMalloc(&pointer, size));
    return static_cast<unsigned char*>(pointer);
}

inline unsigned char* pinned_memory(std::size_t size) {
    void* pointer = nullptr;
    OK(cudaMallocHost(&pointer, size));
    return static_cast<unsigned char*>(pointer);
}

inline cudaStream_t new_stream(unsigned flags = cudaStreamNonBlocking) {
    cudaStream_t stream = nullptr;
    OK(cudaStreamCreateWithFlags(&stream, flags));
    return stream;
}

inline cudaEvent_t new_event(unsigned flags = cudaEventDefault) {
    cudaEvent_t event = nullptr;
    OK(cudaEventCreateWithFlags(&event, flags));
    return event;
}

// The first byte of device memory, once all work before it is done.
inline int first_byte(const void* device) {
    unsigned char byte = 0;
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&byte, device, 1, cudaMemcpyDeviceToHost));
    return byte;
}
