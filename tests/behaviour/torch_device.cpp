// A torch device for tests: host memory, and a thread for each stream. With it a torch without accelerator has streams
// that really run beside the host. Work waits at a gate while it is closed, so that a test can look at it unfinished.
// Memory that is given back is overwritten in the order of the stream that it was allocated on, as if that stream's next
// work had it, and after the streams that it was recorded on.
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/view_native.h>
#include <c10/core/Allocator.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/DeviceType.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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
    std::string failure;
    std::vector<std::chrono::steady_clock::time_point> done_at;

    Queue() {
        std::thread([this] {
            const c10::InferenceMode without_gradients;
            while (true) run_one();
        }).detach();
    }
    void run_one() {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return !work.empty(); });
        std::function<void()> next = std::move(work.front());
        work.pop_front();
        lock.unlock();
        std::string failed;
        try {
            next();
        } catch (const c10::Error &error) {
            failed = error.what_without_backtrace();
        }
        next = nullptr;  // what it held may come back to this queue
        lock.lock();
        if (failure.empty()) failure = failed;
        ++done;
        done_at.push_back(std::chrono::steady_clock::now());
        changed.notify_all();
    }
    std::chrono::steady_clock::time_point reached_at(std::size_t ticket) {
        const std::lock_guard lock(mutex);
        return ticket == 0 ? std::chrono::steady_clock::time_point() : done_at.at(ticket - 1);
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
    // As a device would: what its work has thrown is told to whoever asks next.
    void tell() {
        const std::lock_guard lock(mutex);
        const std::string told = std::exchange(failure, std::string());
        TORCH_CHECK(told.empty(), told);
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

// Which streams use memory that belongs to another; it counts how far they are when the memory is given back.
struct Uses {
    std::mutex mutex;
    std::map<void *, std::vector<Queue *>> recorded;

    void add(void *memory, Queue &queue) {
        const std::lock_guard lock(mutex);
        const auto found = recorded.find(memory);
        if (found != recorded.end()) found->second.push_back(&queue);
    }
    std::vector<Event> take(void *memory) {
        const std::lock_guard lock(mutex);
        std::vector<Event> events;
        for (Queue *queue : recorded[memory]) events.push_back({queue, queue->ticket()});
        recorded.erase(memory);
        return events;
    }
    void begin(void *memory) {
        const std::lock_guard lock(mutex);
        recorded[memory];
    }
};

Uses &uses() {
    static auto *only = new Uses;
    return *only;
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
    c10::Stream getDefaultStream(c10::Device device) const override { return stream(device.index(), device.index()); }
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
        asked.tell();
        return asked.reached(asked.ticket());
    }
    void synchronizeStream(const c10::Stream &stream) const override {
        Queue &asked = queue(stream.id());
        asked.wait(asked.ticket());
        asked.tell();
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
    bool queryEvent(void *event) const override {
        const auto [queue, ticket] = *static_cast<Event *>(event);
        return queue->reached(ticket);
    }
    void synchronizeEvent(void *event) const override {
        const auto [queue, ticket] = *static_cast<Event *>(event);
        queue->wait(ticket);
    }
    double elapsedTime(void *first, void *second, c10::DeviceIndex) const override {
        const auto [begun, begin] = *static_cast<Event *>(first);
        const auto [ended, end] = *static_cast<Event *>(second);
        const auto time = ended->reached_at(end) - begun->reached_at(begin);
        return std::chrono::duration<double, std::milli>(time).count();
    }
    void synchronizeDevice(c10::DeviceIndex) const override {
        std::unique_lock lock(streams_mutex);
        for (std::size_t i = 0; i < streams().size(); ++i) {  // of all devices: more than asked for
            Queue &each = streams()[i];
            lock.unlock();
            each.wait(each.ticket());
            lock.lock();
        }
    }
    void recordDataPtrOnStream(const c10::DataPtr &memory, const c10::Stream &stream) const override {
        uses().add(memory.get(), queue(stream.id()));
    }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

std::atomic<std::size_t> in_use{0};

struct HostAllocator final : c10::Allocator {
    struct Block {
        void *memory;
        std::size_t size;
        Queue *owner;
    };

    static void give_back(void *context) {
        in_use -= static_cast<Block *>(context)->size;
        const Block block = *static_cast<Block *>(context);
        delete static_cast<Block *>(context);
        block.owner->give([block, events = uses().take(block.memory)] {
            for (const auto &[queue, ticket] : events) {
                if (queue != block.owner) queue->wait(ticket);
            }
            std::memset(block.memory, 0xA5, block.size);
            std::free(block.memory);
        });
    }
    c10::DataPtr allocate(std::size_t size) override {
        void *memory = std::malloc(size ? size : 1);
        uses().begin(memory);
        in_use += size;
        auto *block = new Block{memory, size, &queue(current[current_device])};
        return {memory, block, &give_back, c10::Device(TYPE, current_device)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
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

// Where a raw address is all that a queued operation has: as a kernel on a GPU, it keeps nothing alive.
at::Tensor address_of(const at::Tensor &tensor) { return tensor.device().type() == TYPE ? as_host(tensor) : tensor; }

at::Tensor copy_from(const at::Tensor &from, const at::Tensor &to, bool non_blocking) {
    const bool both = from.device().type() == TYPE && to.device().type() == TYPE;
    const at::Tensor &placed = from.device().type() == TYPE ? from : to;
    Queue &on = queue(current[placed.device().index()]);
    // As CUDA does: between devices it is work of the one that is read, and in the order of the other one's stream too.
    Queue &other = both ? queue(current[to.device().index()]) : on;
    if (&other != &on) on.give([&other, ticket = other.ticket()] { other.wait(ticket); });
    on.give([from = address_of(from), to = address_of(to)] {
        gate().pass();
        to.copy_(from);
    });
    if (&other != &on) other.give([&on, ticket = on.ticket()] { on.wait(ticket); });
    if (!non_blocking) on.wait(on.ticket());
    return to;
}

// What torch's fallback makes an output with that has no room yet.
at::Tensor copy_from_and_resize(const at::Tensor &from, const at::Tensor &to) {
    if (to.sizes() != from.sizes()) {
        const at::Tensor room = empty(from.sizes(), to.scalar_type(), {}, to.device(), {}, {});
        to.unsafeGetTensorImpl()->set_storage_keep_dtype(room.storage());
        to.unsafeGetTensorImpl()->set_sizes_contiguous(from.sizes());
    }
    return copy_from(from, to, false);
}

// Operations that write into an output with room are queued, others are done at once.
void queued_on_the_cpu(const c10::OperatorHandle &op, c10::DispatchKeySet, torch::jit::Stack *stack) {
    const auto &schema = op.schema();
    const auto arguments = schema.arguments().size();
    const bool has_output = arguments > 0 && schema.arguments().back().is_out();
    const bool in_place = arguments > 0 && !has_output && schema.arguments().front().alias_info() != nullptr &&
                          schema.arguments().front().alias_info()->isWrite();
    const bool writes = has_output || in_place;
    const c10::IValue out = writes ? (*stack)[stack->size() - (has_output ? 1 : arguments)] : c10::IValue();
    if (!writes || out.toTensor().numel() == 0) {
        at::native::cpu_fallback(op, stack);
        return;
    }
    torch::jit::Stack queued;
    for (auto it = stack->end() - static_cast<std::ptrdiff_t>(arguments); it != stack->end(); ++it) {
        queued.push_back(it->isTensor() ? c10::IValue(address_of(it->toTensor())) : *it);
    }
    stack->erase(stack->end() - static_cast<std::ptrdiff_t>(arguments), stack->end());
    stack->push_back(out);
    queue(current[out.toTensor().device().index()]).give([op, queued]() mutable {
        gate().pass();
        op.callBoxed(&queued);
    });
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&queued_on_the_cpu>()); }

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
    m.impl("empty.memory_format", &empty);
    m.impl("empty_strided", &empty_strided);
    m.impl("_copy_from", &copy_from);
    m.impl("_copy_from_and_resize", &copy_from_and_resize);
    m.impl("as_strided", &at::native::as_strided_tensorimpl);
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
extern "C" std::size_t bytes_in_use() { return in_use; }
