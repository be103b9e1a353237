// Paths of files and folders: std::filesystem's.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_TYPES_PATHS_HPP
#define WG_TYPES_PATHS_HPP

#include <filesystem>
#include <string>

#include "wg/conversion/containers.hpp"
#include "wg/wire/wire.hpp"

namespace wg {

/// A path, without embedded null characters: what a C function takes as `const char *` is all of it.
struct Path : std::filesystem::path {
    Path() = default;
    Path(std::filesystem::path from) : std::filesystem::path(std::move(from)) {}

    template <class T, class = std::enable_if_t<std::is_same_v<T, const char *>>>
    operator T() const noexcept {
        return c_str();
    }
    friend bool operator==(const Path &path, const char *other) { return path == std::filesystem::path(other); }
    friend bool operator!=(const Path &path, const char *other) { return path != std::filesystem::path(other); }
};

/// A path that may be missing: to a C function its characters, or null.
struct MaybePath : std::optional<Path> {
    using std::optional<Path>::optional;
    MaybePath() = default;
    MaybePath(std::optional<Path> path) : std::optional<Path>(std::move(path)) {}

    template <class T, class = std::enable_if_t<std::is_same_v<T, const char *>>>
    operator T() const noexcept {
        return this->has_value() ? (*this)->c_str() : nullptr;
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
    static void append(std::string &out, const Path &key) { KeyBytes<types::Text>::append(out, key.native()); }
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
            each([&use](const Path &value) { use(value.native()); });
        });
    }
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        Wire<types::Text>::read(in, count, [&each](auto &&use) {
            each([&use](Path &out) {
                std::string native;
                use(native);
                out = Path(std::filesystem::path(std::move(native)));
            });
        });
    }
};

}  // namespace wg

#endif  // WG_TYPES_PATHS_HPP
