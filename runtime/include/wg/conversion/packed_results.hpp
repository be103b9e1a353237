// Results as C gets them: buffers that own what they point to, and cells of handles.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CONVERSION_PACKED_RESULTS_HPP
#define WG_CONVERSION_PACKED_RESULTS_HPP

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "wg/ownership/handles.hpp"

namespace wg {

/// A C struct of ours with what it points to; `B` is the package's buffer struct.
template <class B>
struct OwnedBuffer : B {
    OwnedBuffer() : B() {}
    OwnedBuffer(const OwnedBuffer &) = delete;
    OwnedBuffer &operator=(const OwnedBuffer &) = delete;
    virtual ~OwnedBuffer() = default;
};

template <class B, class V>
struct Holding final : OwnedBuffer<B> {
    V values;
    explicit Holding(V &&v) : values(std::move(v)) {
        this->present = true;
        this->data = reinterpret_cast<const char *>(values.data());
        this->size = values.size();
    }
};

template <class B>
struct HoldingTexts final : OwnedBuffer<B> {
    std::string joined;
    std::vector<std::size_t> lengths;
    explicit HoldingTexts(const std::vector<std::string> &texts) {
        for (const std::string &text : texts) {
            joined += text;
            lengths.push_back(text.size());
        }
        this->present = true;
        this->data = joined.data();
        this->size = lengths.size();
        this->sizes = lengths.data();
    }
};

template <class B>
B *buffer(std::string &&value) {
    return new Holding<B, std::string>(std::move(value));
}
template <class B, class T>
B *buffer(std::vector<T> &&value) {
    return new Holding<B, std::vector<T>>(std::move(value));
}
template <class B>
B *buffer(std::vector<bool> &&value) {
    return new Holding<B, std::vector<unsigned char>>(std::vector<unsigned char>(value.begin(), value.end()));
}
template <class B>
B *buffer(std::vector<std::string> &&value) {
    return new HoldingTexts<B>(value);
}

/// A text of a failure; null when there is no memory left for it.
template <class B>
B *copied(const std::string &text) noexcept {
    try {
        return buffer<B>(std::string(text));
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

template <class B, class T>
B *optional_buffer(std::optional<T> &&value) {
    if (!value) return new OwnedBuffer<B>();
    if constexpr (std::is_enum_v<T>)
        return buffer<B>(std::vector<i64>{static_cast<i64>(*value)});
    else if constexpr (std::is_arithmetic_v<T>)
        return buffer<B>(std::vector<T>{*value});
    else
        return buffer<B>(std::move(*value));
}

template <class B>
void buffer_free(B *buffer) noexcept {
    delete static_cast<OwnedBuffer<B> *>(buffer);
}

/// A new cell around what `make` returns, constructed in place.
template <class C, class Make>
C *give(Make &&make) {
    return cell_for<C>(std::forward<Make>(make));
}

/// The same of a constructor.
template <class C, class Make>
C *give_new(Make &&make) {
    return cell_for<C, true>(std::forward<Make>(make));
}

template <class C>
C *give_optional(std::optional<typename C::Struct> &&value) {
    if (!value) return nullptr;
    return cell_for<C>([&value] { return typename C::Struct(std::move(*value)); });
}

template <class C, class B>
B *give_all(std::vector<typename C::Struct> &&values, const Owners &owners = no_owners) {
    std::vector<std::unique_ptr<C, Release>> cells;
    for (auto &value : values) {
        cells.emplace_back(cell_for<C>([&value] { return typename C::Struct(std::move(value)); }));
        owners.attach_to(held(cells.back().get()));
    }
    std::vector<C *> pointers;
    pointers.reserve(cells.size());
    for (auto &cell : cells) pointers.push_back(cell.get());
    B *out = buffer<B>(std::move(pointers));
    for (auto &cell : cells) cell.release();
    return out;
}

}  // namespace wg

#endif  // WG_CONVERSION_PACKED_RESULTS_HPP
