// Paths of files and folders: std::filesystem's.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_TYPES_PATHS_HPP
#define WG_TYPES_PATHS_HPP

#include <filesystem>
#include <string>

#include "wg/conversion/containers.hpp"
#include "wg/wire/wire.hpp"

namespace wg {

// A path as Python encodes it: in the file system's own bytes, which are UTF-8 on Windows.
#ifdef _WIN32
inline std::string bytes_of(const std::filesystem::path &path) {
    const auto text = path.u8string();
    return std::string(text.begin(), text.end());
}
inline std::filesystem::path path_of(std::string_view bytes) {
#ifdef __cpp_char8_t
    return std::filesystem::path(std::u8string(bytes.begin(), bytes.end()));
#else
    return std::filesystem::u8path(bytes);
#endif
}
#else
inline const std::string &bytes_of(const std::filesystem::path &path) { return path.native(); }
inline std::filesystem::path path_of(std::string_view bytes) { return std::filesystem::path(bytes); }
#endif

/// A path, without embedded null characters: what a C function takes as `const char *` is all of it.
struct Path : std::filesystem::path {
    Path() = default;
    Path(std::filesystem::path from) : std::filesystem::path(std::move(from)) {}

#ifdef _WIN32
    template <class T, class = std::enable_if_t<std::is_same_v<T, const char *>>>
    operator T() const {
        bytes_ = bytes_of(*this);
        return bytes_.c_str();
    }
#else
    template <class T, class = std::enable_if_t<std::is_same_v<T, const char *>>>
    operator T() const noexcept {
        return c_str();
    }
#endif
    friend bool operator==(const Path &path, const char *other) { return path == std::filesystem::path(other); }
    friend bool operator!=(const Path &path, const char *other) { return path != std::filesystem::path(other); }

#ifdef _WIN32
private:
    mutable std::string bytes_;  // what a C function reads
#endif
};

/// A path that may be missing: to a C function its characters, or null.
struct MaybePath : std::optional<Path> {
    using std::optional<Path>::optional;
    MaybePath() = default;
    MaybePath(std::optional<Path> path) : std::optional<Path>(std::move(path)) {}

    template <class T, class = std::enable_if_t<std::is_same_v<T, const char *>>>
    operator T() const {
        return this->has_value() ? static_cast<const char *>(**this) : nullptr;
    }
};

namespace types {

struct Path {
    using Value = wg::Path;
};
template <>
struct Optional<Path> {
    using Value = MaybePath;
};

}  // namespace types

/// By descriptor, what a call may write (`wg/calls/out_parameters.hpp`).
template <class D>
struct OutTypes;
template <>
struct OutTypes<types::Path> {
    using type = Types<const char *, char *, std::string, std::filesystem::path>;
};

namespace sorts {
struct Path {};
}  // namespace sorts

template <class T>
struct SortOf<T, std::enable_if_t<std::is_base_of_v<std::filesystem::path, T>>> {
    using type = sorts::Path;
};

template <>
struct KeyBytes<types::Path> {
    static void append(std::string &out, const Path &key) { KeyBytes<types::Text>::append(out, bytes_of(key)); }
};

template <>
struct Convert<Path> {
    template <class From>
    static Path from(From &&value) {
        using T = std::decay_t<From>;
        if constexpr (std::is_same_v<T, Path>) {
            return std::forward<From>(value);
        } else if constexpr (std::is_base_of_v<std::filesystem::path, T>) {
            return Path(std::filesystem::path(std::forward<From>(value)));
        } else if constexpr (std::is_convertible_v<From, const std::filesystem::path &> && std::is_class_v<T> &&
                             !std::is_convertible_v<From, std::string_view>) {  // such as a directory_entry
            return Path(static_cast<const std::filesystem::path &>(value));
        } else {
            return Path(std::filesystem::path(wg::convert<std::string>(std::forward<From>(value))));
        }
    }
};

template <>
struct is_optional<MaybePath> : std::true_type {};
template <>
struct Convert<MaybePath> {
    template <class From>
    static MaybePath from(From &&value) {
        return wg::convert<std::optional<Path>>(std::forward<From>(value));
    }
};

/// As text is on the wire, in the file system's own bytes.
template <>
struct Wire<types::Path> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        Wire<types::Text>::write(out, count, [&each](auto &&use) {
            each([&use](const Path &value) { use(bytes_of(value)); });
        });
    }
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        Wire<types::Text>::read(in, count, [&each](auto &&use) {
            each([&use](Path &out) {
                std::string native;
                use(native);
                out = Path(path_of(native));
            });
        });
    }
};

}  // namespace wg

#endif  // WG_TYPES_PATHS_HPP
