// Streams of devices, by their handles.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_TYPES_DEVICE_STREAMS_HPP
#define WG_TYPES_DEVICE_STREAMS_HPP

#include <cstdint>

#include "wg/conversion/containers.hpp"
#include "wg/wire/wire.hpp"

namespace wg {

/// The handle of a stream, which a library has as a pointer or a number; 0 is the default stream.
class DeviceStream {
public:
    DeviceStream() = default;
    explicit DeviceStream(std::uintptr_t handle) : handle_(handle) {}

    std::uintptr_t handle() const { return handle_; }
    template <class T, class = std::enable_if_t<std::is_pointer_v<T> || (std::is_integral_v<T> && sizeof(T) == sizeof(std::uintptr_t))>>
    operator T() const {
        if constexpr (std::is_pointer_v<T>) return reinterpret_cast<T>(handle_);
        else return static_cast<T>(handle_);
    }

private:
    std::uintptr_t handle_ = 0;
};

namespace types {
struct DeviceStream {
    using Value = wg::DeviceStream;
};
}  // namespace types

namespace sorts {
struct DeviceStream {};
}  // namespace sorts
template <>
struct SortOf<DeviceStream> {
    using type = sorts::DeviceStream;
};

template <>
struct Wire<types::DeviceStream> {
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        const char *at = in.run(count, sizeof(u64));
        each([&at](DeviceStream &out) {
            u64 handle = 0;
            std::memcpy(&handle, at, sizeof(handle));
            at += sizeof(handle);
            out = DeviceStream(static_cast<std::uintptr_t>(handle));
        });
    }
};

}  // namespace wg

#endif  // WG_TYPES_DEVICE_STREAMS_HPP
