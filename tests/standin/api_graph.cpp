// Graphs: what a stream has captured, as tasks that are submitted again and again.
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "answer.hpp"

using namespace standin;

namespace {

using Tasks = std::shared_ptr<const std::vector<Task>>;

// Graphs and those that can be launched, by handle; a handle is used once.
struct Graphs {
    std::mutex mutex;
    std::map<const void*, Tasks> all;
    std::uintptr_t last = 0x900000;

    template <typename Handle>
    Handle add(Tasks tasks) {
        std::lock_guard<std::mutex> lock(mutex);
        auto handle = reinterpret_cast<Handle>(last += 0x10);
        all[handle] = std::move(tasks);
        return handle;
    }
    Tasks find(const void* handle) {
        std::lock_guard<std::mutex> lock(mutex);
        auto found = all.find(handle);
        return found == all.end() ? nullptr : found->second;
    }
    bool remove(const void* handle) {
        std::lock_guard<std::mutex> lock(mutex);
        return all.erase(handle) == 1;
    }
};

Graphs& graphs() {
    static Graphs* result = new Graphs;
    return *result;
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
    return answer_on(__func__, handle, [](const StreamPtr& stream) {
        return World::instance().begin_capture(stream) ? cudaSuccess : cudaErrorIllegalState;
    });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
    return answer_on(__func__, handle, [&](const StreamPtr& stream) {
        auto tasks = std::make_shared<std::vector<Task>>();
        if (graph == nullptr) return cudaErrorInvalidValue;
        if (!World::instance().end_capture(stream, *tasks)) return cudaErrorIllegalState;
        *graph = graphs().add<cudaGraph_t>(tasks);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
    return answer(__func__, [&] {
        Tasks tasks = graphs().find(graph);
        if (executable == nullptr || !tasks) return cudaErrorInvalidValue;
        *executable = graphs().add<cudaGraphExec_t>(tasks);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    return answer(__func__, [&] { return graphs().remove(graph) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    return answer(__func__, [&] { return graphs().remove(executable) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle) {
    return answer_on(__func__, handle, [&](const StreamPtr& stream) {
        Tasks tasks = graphs().find(executable);
        if (!tasks) return cudaErrorInvalidValue;
        World::instance().submit(stream, [tasks] {
            for (const Task& task : *tasks) task();
        });
        return cudaSuccess;
    });
}
