#include "queue.hpp"

#include <ATen/DeviceAccelerator.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <thread>

namespace torch_ffi {
namespace {

c10::impl::VirtualGuardImpl devices_of(c10::Device device) { return c10::impl::VirtualGuardImpl(device.type()); }

c10::IntArrayRef one_size(const std::int64_t& size) { return c10::IntArrayRef(&size, 1); }

// Not more than a signed size can say.
std::int64_t length(std::size_t size) {
    return static_cast<std::int64_t>(std::min<std::size_t>(size, std::numeric_limits<std::int64_t>::max()));
}

// Host memory; a size can only fail for want of memory.
at::Tensor host_bytes(std::size_t size, bool pins = false) {
    try {
        return at::empty(length(size), at::TensorOptions().dtype(at::kByte).pinned_memory(pins));
    } catch (const c10::Error& error) {
        throw c10::OutOfMemoryError(
            {__func__, __FILE__, __LINE__},
            c10::str("the host has no ", size, " bytes of memory left: ", error.what_without_backtrace()));
    }
}

// Memory of the CPU as a device, aligned as CUDA's is; torch itself aligns it to 64 bytes only.
at::Tensor aligned_bytes(std::size_t size) {
    constexpr std::size_t alignment = 256;
    const std::size_t whole = (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment;
    void* data = whole < size ? nullptr : std::aligned_alloc(alignment, whole);
    if (data == nullptr) {
        throw c10::OutOfMemoryError({__func__, __FILE__, __LINE__},
                                    c10::str("the host has no ", size, " bytes of memory left"));
    }
    return at::from_blob(data, {length(size)}, [](void* freed) { std::free(freed); }, at::kByte);
}

// All pinned memory by its address.
struct Pinned {
    std::mutex mutex;
    std::map<const char*, at::Tensor> all;

    // These bytes as a tensor that keeps their memory, if they are pinned.
    std::optional<at::Tensor> find(const char* data, std::size_t size) {
        const std::lock_guard<std::mutex> lock(mutex);
        auto next = all.upper_bound(data);
        if (next == all.begin()) return std::nullopt;
        const auto& [first, bytes] = *--next;
        const std::size_t offset = static_cast<std::size_t>(data - first);
        if (offset > bytes.nbytes() || size > bytes.nbytes() - offset) return std::nullopt;
        return bytes_of(Memory{bytes}, offset, size);
    }
};

Pinned& pinned() {
    static auto* result = new Pinned;  // never destroyed: handles are released while the process exits
    return *result;
}

// Bytes that are there for the time of one call only.
at::Tensor borrowed(const void* data, std::size_t size) {
    return at::from_blob(const_cast<void*>(data), {static_cast<std::int64_t>(size)}, at::kByte);
}

at::Tensor copied(std::string_view data) {
    at::Tensor result = host_bytes(data.size());
    if (!data.empty()) std::memcpy(result.data_ptr(), data.data(), data.size());
    return result;
}

// Threads of ours must not be within torch while it is taken down.
void work_ends_before_torch() {
    static const int once = std::atexit([] {
        if (!cpu::is_forked()) cpu::wait_for_queued_work();
    });
    static_cast<void>(once);
}

std::variant<c10::Stream, cpu::Stream> new_stream(c10::Device device, int priority) {
    if (!at::isAccelerator(device.type())) {
        TORCH_CHECK(device.is_cpu(), "queues are for the CPU and accelerators, not for ", device);
        work_ends_before_torch();
        return cpu::Stream(0, priority);
    }
    return devices_of(device).getNewStream(device, priority);
}

}  // namespace

// --- memory ----------------------------------------------------------------------------------------------------------

Memory allocate(std::size_t size, c10::Device device) {
    if (device.is_cpu()) return {aligned_bytes(size)};
    // Queues never use the default stream, so that the allocator learns of every use, see Queue::hold.
    const c10::StreamGuard current(devices_of(device).getDefaultStream(device));
    return {at::empty(length(size), at::device(device).dtype(at::kByte))};
}

Memory memory_at(std::uintptr_t pointer, std::size_t size, c10::Device device) {
    const at::TensorOptions options = at::device(device).dtype(at::kByte);
    return {at::from_blob(reinterpret_cast<void*>(pointer), {static_cast<std::int64_t>(size)}, options)};
}

at::Tensor bytes_of(const Memory& memory, std::size_t offset, std::size_t size) {
    const auto count = static_cast<std::int64_t>(size);
    const std::int64_t step = 1;
    return view(memory, offset, at::kByte, one_size(count), one_size(step));
}

at::Tensor view(const Memory& memory, std::size_t offset, at::ScalarType dtype, c10::IntArrayRef shape,
                c10::IntArrayRef strides) {
    const std::size_t element = c10::elementSize(dtype);
    TORCH_CHECK_VALUE(shape.size() == strides.size(), "there are ", strides.size(), " strides for ", shape.size(),
                      " dimensions");
    TORCH_CHECK_VALUE(offset % element == 0, "offset ", offset, " is not a multiple of the element's ", element,
                      " bytes");
    const std::size_t room = memory.bytes.nbytes();
    TORCH_CHECK_VALUE(offset <= room, "offset ", offset, " is beyond the memory's ", room, " bytes");
    const std::size_t elements = (room - offset) / element;
    std::size_t last = 0;  // the element that lies furthest
    bool is_empty = false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        TORCH_CHECK_VALUE(shape[i] >= 0 && strides[i] >= 0, "shape and strides must not be negative");
        is_empty |= shape[i] == 0;
    }
    for (std::size_t i = 0; i < shape.size() && !is_empty; ++i) {
        const auto steps = static_cast<std::size_t>(shape[i] - 1), stride = static_cast<std::size_t>(strides[i]);
        const bool fits = stride == 0 || steps <= (std::numeric_limits<std::size_t>::max() - last) / stride;
        last = fits ? last + steps * stride : std::numeric_limits<std::size_t>::max();
        if (!fits) break;
    }
    TORCH_CHECK_VALUE(is_empty || last < elements, "shape ", shape, " with strides ", strides, " at offset ", offset,
                      " does not fit in memory of ", room, " bytes");
    auto result = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(memory.bytes.storage()), memory.bytes.key_set(),
                                                           c10::scalarTypeToTypeMeta(dtype));
    const auto first = static_cast<std::int64_t>(offset / element);
    result.unsafeGetTensorImpl()->set_sizes_and_strides(shape, strides, first);
    return result;
}

at::Tensor element(std::string_view data, at::ScalarType dtype) {
    TORCH_CHECK_VALUE(data.size() == c10::elementSize(dtype), "an element of ", dtype, " has ", c10::elementSize(dtype),
                      " bytes, not ", data.size());
    at::Tensor result = at::empty({}, dtype);
    std::memcpy(result.data_ptr(), data.data(), data.size());
    return result;
}

// Asked for memory that no device of its can pin, torch fails; plain memory then is as good as it gets.
PinnedMemory::PinnedMemory(std::size_t size, c10::Device device) : bytes_(host_bytes(size, device.is_cuda())) {
    if (size == 0) return;
    const std::lock_guard<std::mutex> lock(pinned().mutex);
    pinned().all.emplace(static_cast<const char*>(bytes_.const_data_ptr()), bytes_);
}

PinnedMemory::~PinnedMemory() {
    if (!bytes_.defined() || size() == 0) return;
    const std::lock_guard<std::mutex> lock(pinned().mutex);
    pinned().all.erase(static_cast<const char*>(bytes_.const_data_ptr()));
}

// --- queues ----------------------------------------------------------------------------------------------------------

Queue::Queue(c10::Device device, int priority)
    : device_(device), priority_(priority), stream_(new_stream(device, priority)) {}

Queue::Queue(c10::Device device, std::uintptr_t stream) : device_(device), stream_(c10::Stream(c10::Stream::DEFAULT, device)) {
    TORCH_CHECK_NOT_IMPLEMENTED(device.is_cuda(), "only CUDA has streams that can be told by an address, not ", device);
    // 0 and 1 are CUDA's names of the default stream; torch numbers streams that it did not make by their address.
    if (stream > 1) stream_ = c10::Stream(c10::Stream::UNSAFE, device, static_cast<c10::StreamId>(stream));
}

std::uintptr_t Queue::pointer() const {
    if (const auto* stream = std::get_if<c10::Stream>(&stream_)) {
        return reinterpret_cast<std::uintptr_t>(stream->native_handle());
    }
    return std::get<cpu::Stream>(stream_).pointer();
}

const cpu::Stream& Queue::thread() const {
    const auto* found = std::get_if<cpu::Stream>(&stream_);
    TORCH_CHECK_VALUE(found != nullptr, "this queue is of ", device_, ", and such work is done by queues of the CPU");
    return *found;
}

void Queue::hold(const at::Tensor& tensor) const {
    if (tensor.device() == device_) {
        devices_of(device_).recordDataPtrOnStream(tensor.storage().data_ptr(), std::get<c10::Stream>(stream_));
    }
}

void Queue::upload(const at::Tensor& out, std::string_view data) const {
    const auto copy = [](const at::Tensor& to, const at::Tensor& from) { to.copy_(from, /*non_blocking=*/true); };
    if (const auto bytes = pinned().find(data.data(), data.size())) {
        run(copy, out, *bytes);
    } else if (const auto* stream = std::get_if<cpu::Stream>(&stream_); stream && stream->is_idle()) {
        copy(out, borrowed(data.data(), data.size()));
    } else if (device_.is_cuda()) {  // which reads ordinary memory before its call returns
        run(copy, out, borrowed(data.data(), data.size()));
    } else {
        run(copy, out, copied(data));
    }
}

void Queue::download(void* data, const at::Tensor& bytes) const {
    const std::size_t size = bytes.nbytes();
    if (const auto to = pinned().find(static_cast<const char*>(data), size)) {
        run([](const at::Tensor& out, const at::Tensor& from) { out.copy_(from, /*non_blocking=*/true); }, *to, bytes);
        return;
    }
    run([](const at::Tensor& out, const at::Tensor& from) { out.copy_(from); }, borrowed(data, size), bytes);
    synchronize();
}

void Queue::synchronize() const {
    std::visit([](const auto& stream) { stream.synchronize(); }, stream_);
}

bool Queue::query() const {
    return std::visit([](const auto& stream) { return stream.query(); }, stream_);
}

namespace {

// Ask until `query` says yes or the time is over, ever more rarely: that costs little, and adds little to the wait.
template <class Query>
bool within(std::chrono::milliseconds time, const Query& query) {
    const auto start = cpu::Clock::now();
    while (!query()) {
        const auto passed = cpu::Clock::now() - start;
        if (passed >= time) return false;
        std::this_thread::sleep_for(std::min<cpu::Clock::duration>(passed / 8, std::chrono::milliseconds(1)));
    }
    return true;
}

}  // namespace

bool Queue::wait_for(std::chrono::milliseconds time) const {
    if (const auto* stream = std::get_if<cpu::Stream>(&stream_)) return stream->wait_for(time);
    return within(time, [this] { return query(); });
}

void synchronize_device(c10::Device device) {
    if (at::isAccelerator(device.type())) {
        devices_of(device).synchronizeDevice(device.index());
    } else {
        cpu::synchronize_device(0);
    }
}

// --- events ----------------------------------------------------------------------------------------------------------

Event::Event(c10::Device device, bool timing) {
    if (at::isAccelerator(device.type())) {
        const auto flag = timing ? c10::EventFlag::BACKEND_DEFAULT : c10::EventFlag::PYTORCH_DEFAULT;
        event_ = std::unique_ptr<Accelerated>(new Accelerated{c10::Event(device.type(), flag), {}});
    } else {
        event_ = std::make_unique<cpu::Event>(timing);
    }
}

namespace {

// Both are of the same kind of device, or the call is refused.
template <class Wanted, class Variant>
const Wanted& same_kind(const Variant& variant) {
    const auto* found = std::get_if<Wanted>(&variant);
    TORCH_CHECK_VALUE(found != nullptr, "one is the CPU's and the other an accelerator's");
    return *found;
}

}  // namespace

void Event::record(const Queue& queue) {
    if (auto* accelerated = std::get_if<0>(&event_)) {
        const auto& stream = same_kind<c10::Stream>(queue.stream_);
        const std::lock_guard<std::mutex> lock((*accelerated)->mutex);
        (*accelerated)->event.record(stream);
    } else {
        std::get<1>(event_)->record(same_kind<cpu::Stream>(queue.stream_));
    }
}

void Event::block(const Queue& queue) const {
    if (const auto* accelerated = std::get_if<0>(&event_)) {
        const auto& stream = same_kind<c10::Stream>(queue.stream_);
        const std::lock_guard<std::mutex> lock((*accelerated)->mutex);
        (*accelerated)->event.block(stream);
    } else {
        std::get<1>(event_)->block(same_kind<cpu::Stream>(queue.stream_));
    }
}

void Event::synchronize() const {
    if (const auto* accelerated = std::get_if<0>(&event_)) {
        (*accelerated)->event.synchronize();  // without the lock: others may go on while this waits
    } else {
        std::get<1>(event_)->synchronize();
    }
}

bool Event::query() const {
    if (const auto* accelerated = std::get_if<0>(&event_)) {
        const std::lock_guard<std::mutex> lock((*accelerated)->mutex);
        return (*accelerated)->event.query();
    }
    return std::get<1>(event_)->query();
}

bool Event::wait_for(std::chrono::milliseconds time) const {
    if (const auto* event = std::get_if<1>(&event_)) return (*event)->wait_for(time);
    return within(time, [this] { return query(); });
}

double Event::elapsed_time(const Event& end) const {
    if (const auto* accelerated = std::get_if<0>(&event_)) {
        const auto& other = same_kind<std::unique_ptr<Accelerated>>(end.event_);
        for (const Accelerated* each : {accelerated->get(), other.get()}) {
            const std::lock_guard<std::mutex> lock(each->mutex);
            TORCH_CHECK(each->event.flag() != c10::EventFlag::PYTORCH_DEFAULT, "an event without timing has no time");
            TORCH_CHECK(each->event.was_marked_for_recording(), "the event was never recorded: record it first");
            TORCH_CHECK(each->event.query(), "the event is not complete yet: synchronize it before asking for times");
        }
        return (*accelerated)->event.elapsedTime(other->event);
    }
    return std::get<1>(event_)->elapsed_time(*same_kind<std::unique_ptr<cpu::Event>>(end.event_));
}

std::uintptr_t Event::pointer() const {
    if (const auto* accelerated = std::get_if<0>(&event_)) {
        return reinterpret_cast<std::uintptr_t>((*accelerated)->event.eventId());
    }
    return std::get<1>(event_)->pointer();
}

}  // namespace torch_ffi
