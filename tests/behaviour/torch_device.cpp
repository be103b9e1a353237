// A torch device for tests: host memory, and a thread for each stream. With it a torch without accelerator has streams
// that really run beside the host. Copies wait at a gate while it is closed, so that a test can look at unfinished work.
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/view_native.h>
#include <c10/core/Allocator.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/DeviceType.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <array>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace {

constexpr c10::DeviceType TYPE = c10::DeviceType::PrivateUse1;
constexpr c10::DeviceIndex DEVICES = 2;

struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_open = true;

    void set(bool open) {
        const std::lock_guard lock(mutex);
        is_open = open;
        changed.notify_all();
    }
    void pass() {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return is_open; });
    }
};

Gate &gate() {
    static auto *only = new Gate;
    return *only;
}

struct Queue {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> work;
    std::size_t given = 0;
    std::size_t done = 0;

    Queue() {
        std::thread([this] {
            while (true) run_one();
        }).detach();
    }
    void run_one() {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return !work.empty(); });
        const std::function<void()> next = std::move(work.front());
        work.pop_front();
        lock.unlock();
        next();
        lock.lock();
        ++done;
        changed.notify_all();
    }
    void give(std::function<void()> next) {
        const std::lock_guard lock(mutex);
        work.push_back(std::move(next));
        ++given;
        changed.notify_all();
    }
    std::size_t ticket() {
        const std::lock_guard lock(mutex);
        return given;
    }
    bool reached(std::size_t ticket) {
        const std::lock_guard lock(mutex);
        return done >= ticket;
    }
    void wait(std::size_t ticket) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this, ticket] { return done >= ticket; });
    }
};

struct Event {
    Queue *queue;
    std::size_t ticket;
};

std::mutex streams_mutex;
std::deque<Queue> &streams() {  // the first ones are the devices' default streams
    static auto *all = new std::deque<Queue>(DEVICES);
    return *all;
}

thread_local std::array<c10::StreamId, DEVICES> current{0, 1};
thread_local c10::DeviceIndex current_device = 0;

Queue &queue(c10::StreamId id) {
    const std::lock_guard lock(streams_mutex);
    return streams().at(static_cast<std::size_t>(id));
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override { return TYPE; }
    c10::Device exchangeDevice(c10::Device device) const override { return {TYPE, std::exchange(current_device, device.index())}; }
    c10::Device getDevice() const override { return {TYPE, current_device}; }
    void setDevice(c10::Device device) const override { current_device = device.index(); }
    void uncheckedSetDevice(c10::Device device) const noexcept override { current_device = device.index(); }
    c10::DeviceIndex deviceCount() const noexcept override { return DEVICES; }

    static c10::Stream stream(c10::DeviceIndex device, c10::StreamId id) {
        return c10::Stream(c10::Stream::UNSAFE, {TYPE, device}, id);
    }
    c10::Stream getStream(c10::Device device) const override { return stream(device.index(), current[device.index()]); }
    c10::Stream getNewStream(c10::Device device, int) const override {
        const std::lock_guard lock(streams_mutex);
        streams().emplace_back();
        return stream(device.index(), static_cast<c10::StreamId>(streams().size() - 1));
    }
    c10::Stream exchangeStream(c10::Stream next) const override {
        return stream(next.device_index(), std::exchange(current[next.device_index()], next.id()));
    }
    void *getStreamNativeHandle(c10::Stream stream) const override { return &queue(stream.id()); }
    bool queryStream(const c10::Stream &stream) const override {
        Queue &asked = queue(stream.id());
        return asked.reached(asked.ticket());
    }
    void synchronizeStream(const c10::Stream &stream) const override {
        Queue &asked = queue(stream.id());
        asked.wait(asked.ticket());
    }

    void record(void **event, const c10::Stream &stream, c10::DeviceIndex, c10::EventFlag) const override {
        if (*event == nullptr) *event = new Event;
        Queue &recorded = queue(stream.id());
        *static_cast<Event *>(*event) = {&recorded, recorded.ticket()};
    }
    void block(void *event, const c10::Stream &stream) const override {
        queue(stream.id()).give([reached = *static_cast<Event *>(event)] { reached.queue->wait(reached.ticket); });
    }
    void destroyEvent(void *event, c10::DeviceIndex) const noexcept override { delete static_cast<Event *>(event); }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

struct HostAllocator final : c10::Allocator {
    c10::DataPtr allocate(std::size_t size) override {
        void *memory = std::malloc(size ? size : 1);
        return {memory, memory, &std::free, c10::Device(TYPE, current_device)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &std::free; }
    void copy_data(void *to, const void *from, std::size_t size) const override { std::memcpy(to, from, size); }
};
HostAllocator allocator;

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                 std::optional<at::Device> device, std::optional<bool>, std::optional<at::MemoryFormat> format) {
    const c10::DeviceGuard there(device.value());
    return at::detail::empty_generic(size, &allocator, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                     dtype.value_or(at::kFloat), format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout>, std::optional<at::Device> device, std::optional<bool>) {
    const c10::DeviceGuard there(device.value());
    return at::detail::empty_strided_generic(size, stride, &allocator, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                             dtype.value_or(at::kFloat));
}

at::Tensor as_host(const at::Tensor &tensor) {
    return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(), tensor.options().device(at::kCPU));
}

at::Tensor copy_from(const at::Tensor &from, const at::Tensor &to, bool non_blocking) {
    const at::Tensor &placed = to.device().type() == TYPE ? to : from;
    Queue &on = queue(current[placed.device().index()]);
    on.give([from, to] {
        gate().pass();
        as_host(to).copy_(as_host(from));
    });
    if (!non_blocking) on.wait(on.ticket());
    return to;
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
    m.impl("empty.memory_format", &empty);
    m.impl("empty_strided", &empty_strided);
    m.impl("_copy_from", &copy_from);
    m.impl("view", &at::native::view);
}

struct Hooks final : at::PrivateUse1HooksInterface {
    void init() const override {}
    bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
    bool isBuilt() const override { return true; }
    bool isAvailable() const override { return true; }
    c10::DeviceIndex deviceCount() const override { return DEVICES; }
};

[[maybe_unused]] const bool registered = [] {
    c10::register_privateuse1_backend("gated");
    c10::SetAllocator(TYPE, &allocator);
    at::RegisterPrivateUse1HooksInterface(new Hooks);
    return true;
}();

}  // namespace

extern "C" void open_gate(bool open) { gate().set(open); }
