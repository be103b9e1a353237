// Tensors for other libraries, by DLPack: what torch's Python does.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/dlpack.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

namespace torch_ffi {

using Pair = std::tuple<std::int64_t, std::int64_t>;
using Exchanged = std::variant<DLManagedTensor*, DLManagedTensorVersioned*>;

// The tensor's memory. Work on `stream` that comes later starts after what is queued on the current stream. Throws
// c10::BufferError for what DLPack cannot say, and for streams that are none.
Exchanged exchanged(const at::Tensor& x, std::optional<std::int64_t> stream, const std::optional<Pair>& max_version,
                    const std::optional<Pair>& dl_device, std::optional<bool> copy);

// DLPack's kind of device, and its number.
std::pair<std::int32_t, std::int32_t> exchange_device(const at::Tensor& x);

}  // namespace torch_ffi
