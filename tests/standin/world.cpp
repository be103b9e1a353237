#include "world.hpp"

#include <algorithm>

namespace standin {

using Lock = std::lock_guard<std::mutex>;

World& World::instance() {
    static World* world = new World;  // never destroyed: worker threads outlive main
    return *world;
}

int& current_device() {
    thread_local int device = 0;
    return device;
}

cudaStream_t World::create_stream(int device, unsigned flags, int priority) {
    Lock lock(mutex_);
    auto handle = reinterpret_cast<cudaStream_t>(new_handle());
    streams_[handle] = std::make_shared<Stream>(device, flags, priority);
    return handle;
}

bool World::destroy_stream(cudaStream_t handle) {
    Lock lock(mutex_);
    auto found = streams_.find(handle);
    if (found == streams_.end()) return false;
    captured_.erase(found->second);
    retire(found->second);
    streams_.erase(found);
    return true;
}

StreamPtr World::find_stream(cudaStream_t handle) {
    Lock lock(mutex_);
    if (handle == nullptr || handle == cudaStreamLegacy) return null_stream(current_device());
    if (handle == cudaStreamPerThread) return thread_stream(current_device());
    auto found = streams_.find(handle);
    return found == streams_.end() ? nullptr : found->second;
}

cudaEvent_t World::create_event(int device, unsigned flags) {
    Lock lock(mutex_);
    auto handle = reinterpret_cast<cudaEvent_t>(new_handle());
    events_[handle] = {device, flags, nullptr};
    return handle;
}

bool World::destroy_event(cudaEvent_t handle) {
    Lock lock(mutex_);
    return events_.erase(handle) == 1;
}

bool World::find_event(cudaEvent_t handle, Event& event) {
    Lock lock(mutex_);
    auto found = events_.find(handle);
    if (found == events_.end()) return false;
    event = found->second;
    return true;
}

cudaError_t World::record(cudaEvent_t handle, const StreamPtr& stream) {
    Lock lock(mutex_);
    auto found = events_.find(handle);
    if (found == events_.end() || found->second.device != stream->device) return cudaErrorInvalidResourceHandle;
    found->second.recorded = submit_locked(stream, [] {});
    return cudaSuccess;
}

TicketPtr World::submit(const StreamPtr& stream, Task task) {
    Lock lock(mutex_);
    return submit_locked(stream, std::move(task));
}

bool World::hold(cudaStream_t handle) {
    const StreamPtr stream = find_stream(handle);
    if (!stream) return false;
    Lock lock(mutex_);
    submit_locked(stream, [ticket = released_] { ticket->wait(); });
    return true;
}

void World::release() {
    Lock lock(mutex_);
    released_->finish();
    released_ = std::make_shared<Ticket>();
}

bool World::begin_capture(const StreamPtr& stream) {
    Lock lock(mutex_);
    return captured_.try_emplace(stream).second;
}

bool World::end_capture(const StreamPtr& stream, std::vector<Task>& tasks) {
    Lock lock(mutex_);
    auto found = captured_.find(stream);
    if (found == captured_.end()) return false;
    tasks = std::move(found->second);
    captured_.erase(found);
    return true;
}

bool World::is_capturing(const StreamPtr& stream) {
    Lock lock(mutex_);
    return captured_.count(stream) != 0;
}

TicketPtr World::submit_locked(const StreamPtr& stream, Task task) {
    auto captured = captured_.find(stream);
    if (captured != captured_.end()) {
        captured->second.push_back(std::move(task));
        return nullptr;
    }
    return stream->push([before = predecessors(*stream), task = std::move(task)] {
        for (const TicketPtr& ticket : before) ticket->wait();
        task();
    });
}

// The null stream waits for every blocking stream of its device, and they wait for it.
std::vector<TicketPtr> World::predecessors(const Stream& stream) {
    std::vector<TicketPtr> result;
    auto add = [&result](const TicketPtr& ticket) {
        if (ticket && !ticket->done()) result.push_back(ticket);
    };
    if (!stream.is_blocking()) return result;
    Device& device = devices_[stream.device];
    if (device.null_stream.get() != &stream) {
        if (device.null_stream) add(device.null_stream->tail());
        return result;
    }
    for (const StreamPtr& other : streams_of(stream.device)) {
        if (other->is_blocking()) add(other->tail());
    }
    for (const Retired& retired : device.retired) {
        if (retired.is_blocking) add(retired.tail);
    }
    return result;
}

void World::hold_engine(int device, Engine engine, std::chrono::nanoseconds duration) {
    if (duration.count() == 0) return;
    std::mutex* busy = nullptr;
    {
        Lock lock(mutex_);
        busy = &devices_[device].engines[engine];  // a map's entries do not move
    }
    Lock lock(*busy);
    std::this_thread::sleep_for(duration);
}

void World::synchronize(int device) {
    std::vector<TicketPtr> tickets;
    {
        Lock lock(mutex_);
        for (const StreamPtr& stream : streams_of(device)) tickets.push_back(stream->tail());
        if (devices_[device].null_stream) tickets.push_back(devices_[device].null_stream->tail());
        for (const Retired& retired : devices_[device].retired) tickets.push_back(retired.tail);
    }
    for (const TicketPtr& ticket : tickets) {
        if (ticket) ticket->wait();
    }
}

void World::reset(int device) {
    synchronize(device);
    memory.release_all(device);
    corrupted = false;
    Lock lock(mutex_);
    auto erase_of_device = [device](auto& objects, const auto& device_of) {
        for (auto entry = objects.begin(); entry != objects.end();) {
            entry = device_of(entry->second) == device ? objects.erase(entry) : std::next(entry);
        }
    };
    auto device_of_stream = [](const StreamPtr& stream) { return stream->device; };
    erase_of_device(streams_, device_of_stream);
    erase_of_device(thread_streams_, device_of_stream);
    erase_of_device(events_, [](const Event& event) { return event.device; });
    devices_[device].null_stream = nullptr;
    devices_[device].retired.clear();
}

int World::stream_count() {
    Lock lock(mutex_);
    return static_cast<int>(streams_.size());
}

int World::event_count() {
    Lock lock(mutex_);
    return static_cast<int>(events_.size());
}

StreamPtr World::null_stream(int device) {
    StreamPtr& stream = devices_[device].null_stream;
    if (!stream) stream = std::make_shared<Stream>(device, cudaStreamDefault, 0);
    return stream;
}

StreamPtr World::thread_stream(int device) {
    StreamPtr& stream = thread_streams_[{std::this_thread::get_id(), device}];
    if (!stream) stream = std::make_shared<Stream>(device, cudaStreamDefault, 0);
    return stream;
}

// All but the null stream.
std::vector<StreamPtr> World::streams_of(int device) const {
    std::vector<StreamPtr> result;
    for (const auto& [handle, stream] : streams_) {
        if (stream->device == device) result.push_back(stream);
    }
    for (const auto& [owner, stream] : thread_streams_) {
        if (stream->device == device) result.push_back(stream);
    }
    return result;
}

void World::retire(const StreamPtr& stream) {
    auto& retired = devices_[stream->device].retired;
    auto is_done = [](const Retired& entry) { return entry.tail->done(); };
    retired.erase(std::remove_if(retired.begin(), retired.end(), is_done), retired.end());
    TicketPtr tail = stream->tail();
    if (tail && !tail->done()) retired.push_back({tail, stream->is_blocking()});
}

}  // namespace standin
