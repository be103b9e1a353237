// Where memory lies, and the caller's memory that may lie on a device.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_MEMORY_DEVICES_HPP
#define WG_MEMORY_DEVICES_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace wg {

/// Where memory lies: on a device of this kind, as DLPack numbers kinds, and which of them; -1 where nothing says it.
struct Device {
    std::int32_t kind = 1;
    std::int32_t number = 0;

    bool is_cpu() const { return kind == 1; }
    bool is_cuda() const { return kind == 2; }
};

/// Devices of CUDA, for `stream_wait`.
struct Cuda {};

/// How a stream waits for what another one has been given so far. A spec that returns memory of a device says it in its prelude:
///     template <> inline constexpr auto wg::stream_wait<wg::Cuda> = [](cudaStream_t waiting, cudaStream_t other, int number) { … };
template <class Kind>
inline constexpr auto stream_wait = nullptr;

}  // namespace wg

#endif  // WG_MEMORY_DEVICES_HPP
