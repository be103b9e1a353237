#include "stream.hpp"

#include <map>
#include <utility>

namespace vulkan {
namespace {

constexpr std::uint64_t forever = ~std::uint64_t{0};

std::uint64_t nanoseconds(std::chrono::milliseconds time) { return static_cast<std::uint64_t>(time.count()) * 1'000'000; }

}  // namespace

// --- streams

Stream::Stream(Device& device, int priority) : queue_(std::make_shared<Queue>(device)), priority_(priority) {
    device.add(queue_);
}

Stream::~Stream() {
    if (!queue_) return;
    Device& device = on();
    device.free_later(std::move(queue_));
}

void Stream::synchronize() const {
    queue_->timeline()->wait(queue_->last(), forever);
    queue_->recycle();
    on().collect();
}

bool Stream::wait_for(std::chrono::milliseconds time) const {
    if (!queue_->timeline()->wait(queue_->last(), nanoseconds(time))) return false;
    queue_->recycle();
    on().collect();
    return true;
}

bool Stream::query() const {
    const bool idle = queue_->is_idle();
    if (idle) queue_->recycle();
    return idle;
}

void Stream::record(Event& event) const { event.record(*this); }
void Stream::wait_event(const Event& event) const { event.block(*this); }

// --- events

void Event::record(const Stream& stream) {
    Device& device = stream.on();
    Queue& queue = stream.queue();
    queue.require_submitting();
    auto recording = std::make_shared<Recording>();
    if (timing_ && device.timestamp_bits > 0) {
        recording->query = device.query();
        const Device::Query query = *recording->query;
        queue.push(
            [&](VkCommandBuffer commands) {
                device.call.CmdResetQueryPool(commands, query.pool, query.number, 1);
                device.call.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, query.pool, query.number);
            },
            {recording->query});
    }
    recording->mark = {queue.timeline(), queue.last()};
    std::atomic_store(&recording_, std::move(recording));
}

void Event::block(const Stream& stream) const {
    const auto recording = latest();
    if (!recording || recording->mark.value == 0) return;
    if (device_ != &stream.on()) {  // a semaphore is of one device
        synchronize();
    } else {
        stream.queue().wait_for(recording->mark);
    }
}

void Event::synchronize() const {
    check_not_forked();
    if (const auto recording = latest()) recording->mark.timeline->wait(recording->mark.value, forever);
}

bool Event::wait_for(std::chrono::milliseconds time) const {
    check_not_forked();
    const auto recording = latest();
    return !recording || recording->mark.timeline->wait(recording->mark.value, nanoseconds(time));
}

bool Event::query() const {
    check_not_forked();
    const auto recording = latest();
    return !recording || recording->mark.timeline->has_reached(recording->mark.value);
}

std::uint64_t Event::ticks() const {
    const auto recording = latest();
    if (!recording) throw Error("the event was never recorded: record it on a stream first");
    if (!recording->mark.timeline->has_reached(recording->mark.value)) {
        throw Error("the event is not complete yet: synchronize it before asking for times");
    }
    if (!timing_) throw Error("an event with DISABLE_TIMING has no time");
    if (!recording->query) throw Unsupported("the device has no timestamps");
    std::uint64_t result = 0;
    check(device_->call.GetQueryPoolResults(device_->handle, recording->query->pool, recording->query->number, 1,
                                            sizeof result, &result, sizeof result,
                                            VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
          "vkGetQueryPoolResults");
    return result;
}

double Event::elapsed_time(const Event& end) const {
    check_not_forked();
    const std::uint64_t first = ticks(), second = end.ticks();
    const std::uint64_t mask = device_->timestamp_bits >= 64 ? forever : (std::uint64_t{1} << device_->timestamp_bits) - 1;
    std::uint64_t passed = (second - first) & mask;
    const bool is_before = passed > mask / 2;  // the other event came first
    if (is_before) passed = (first - second) & mask;
    return (is_before ? -1 : 1) * static_cast<double>(passed) * device_->timestamp_period / 1e6;
}

// --- all streams

const Stream& default_stream(Device& device) {
    static std::mutex* mutex = new std::mutex;
    static auto* streams = new std::map<int, Stream>;  // never destroyed, as the device
    check_not_forked();
    const std::lock_guard<std::mutex> lock(*mutex);
    return streams->try_emplace(device.index, device).first->second;
}

void synchronize_device(Device& device) {
    check_not_forked();
    for (const Mark& each : device.busy()) each.timeline->wait(each.value, forever);
    device.collect();
    device.check_submitted();
}

}  // namespace vulkan
