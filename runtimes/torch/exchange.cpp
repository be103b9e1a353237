#define AT_PER_OPERATOR_HEADERS  // one header an operation compiles much faster
#include "exchange.hpp"

#include <c10/core/DeviceGuard.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <ATen/DeviceAccelerator.h>

namespace at {

// Of ATen/DLConvertor.h, which would include all operations.
TORCH_API DLManagedTensor* toDLPack(const Tensor& src);
TORCH_API DLManagedTensorVersioned* toDLPackVersioned(const Tensor& src);
TORCH_API Tensor maybeCopyTensor(const Tensor& data, std::optional<DLDevice> device, std::optional<bool> copy);
TORCH_API DLDevice torchDeviceToDLDevice(at::Device device);

}  // namespace at

namespace torch_ffi {
namespace {

// Makes a stream of the consumer's wait for the current one: -1 is none that has to, None and 1 are the default one.
void wait_for_current(const at::Device& device, std::optional<std::int64_t> stream) {
    if (stream == -1) return;
    TORCH_CHECK_BUFFER(stream != 0, "stream: 0 may be either of two streams; 1 is the legacy default one");
    TORCH_CHECK_BUFFER(stream != 2, "stream: the default stream of each thread is not supported");
    const c10::DeviceGuard on(device);
    const c10::impl::VirtualGuardImpl devices(device.type());
    const c10::Stream current = devices.getStream(device), usual = devices.getDefaultStream(device);
    if (!stream || stream == 1) {
        if (current == usual) return;
        c10::Event event(device.type());
        event.record(current);
        event.block(usual);
    } else if (static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(current.native_handle())) != *stream) {
        current.synchronize();  // torch has no stream for one of another library's, unless it is that of a CUDA torch
    }
}

}  // namespace

Exchanged exchanged(const at::Tensor& x, std::optional<std::int64_t> stream, const std::optional<Pair>& max_version,
                    const std::optional<Pair>& dl_device, std::optional<bool> copy) {
    TORCH_CHECK_BUFFER(!x.requires_grad(), "Can't export tensors that require gradient, use detach()");
    TORCH_CHECK_BUFFER(!x.is_conj() && !x.is_neg(), "Can't export tensors whose elements are computed when they are read");
    TORCH_CHECK_BUFFER(x.layout() == at::kStrided, "Can't export tensors with layout other than torch.strided");
    if (at::isAccelerator(x.device().type())) {
        wait_for_current(x.device(), stream);
    } else {
        TORCH_CHECK_BUFFER(!stream || stream == -1, "stream: the memory is the CPU's, which has no streams");
    }
    std::optional<DLDevice> device;
    if (dl_device)
        device = DLDevice{static_cast<DLDeviceType>(std::get<0>(*dl_device)), static_cast<std::int32_t>(std::get<1>(*dl_device))};
    const at::Tensor given = at::maybeCopyTensor(x, device, copy);
    if (!max_version || std::get<0>(*max_version) < 1) return at::toDLPack(given);
    DLManagedTensorVersioned* out = at::toDLPackVersioned(given);
    if (given.data_ptr() != x.data_ptr()) out->flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
    return out;
}

std::pair<std::int32_t, std::int32_t> exchange_device(const at::Tensor& x) {
    const DLDevice device = at::torchDeviceToDLDevice(x.device());
    return {device.device_type, device.device_id};
}

}  // namespace torch_ffi
