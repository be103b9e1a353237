// Arrays as results: memory that C++ owns, or that handles have, with its shape, and without a copy.
// Static: the same for all packages. Included by generated C++ only, where a spec has such results.
#ifndef WG_ARRAYS_ARRAYS_HPP
#define WG_ARRAYS_ARRAYS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "wg/base/once.hpp"
#include "wg/base/overflow.hpp"
#include "wg/memory/array_dimensions.hpp"
#include "wg/base/calls.hpp"
#include "wg/memory/devices.hpp"
#include "wg/memory/element_order.hpp"
#include "wg/base/is_view.hpp"
#include "wg/ownership/owners.hpp"
#include "wg/wire/wire.hpp"

namespace wg {

class Array;
namespace types {
/// `A` is what C has of one.
template <class D, class A>
struct Array {
    using Value = wg::Array;
};
}  // namespace types

/// Dimensions that an array may have at most.
constexpr std::size_t most_dimensions = 8;

/// An array uses the memory of a handle, which it keeps alive: to close that would not release the memory.
inline void add_export(Held held) {
    const KeptLocked locked(*held.type);
    ++kept_of(held).exports;
}
inline void remove_export(Held held) noexcept {
    const KeptLocked locked(*held.type);
    --held.cell->kept.load()->exports;
}

inline bool is_exported(const Cell &cell) {
    const KeptLocked locked;
    const KeptList *kept = cell.kept;
    return kept != nullptr && kept->exports != 0;
}

/// Before a call that ends what `lender` lends: arrays use neither its memory nor that of the call's own object.
inline void check_no_exports(const Held &lender, const Held &own) {
    for (const Held &each : {lender, own})
        if (each.cell != nullptr && is_exported(*each.cell)) throw Exported(memory_in_use);
}

/// What the memory of a type of numbers is called by Python's buffers, and by DLPack.
struct ElementKind {
    const char *format;
    std::uint8_t code, bits;
};
template <class T>
constexpr ElementKind kind_of_element() {
    constexpr bool is_signed = std::is_signed_v<T>;
    constexpr std::uint8_t bits = 8 * sizeof(T);
    if constexpr (std::is_same_v<T, bool>) return {"?", 6, bits};
    else if constexpr (is_complex<T>) return {sizeof(T) == 8 ? "Zf" : "Zd", 5, bits};
    else if constexpr (std::is_floating_point_v<T>) return {sizeof(T) == 4 ? "f" : "d", 2, bits};
    else if constexpr (sizeof(T) == 1) return {is_signed ? "b" : "B", is_signed ? std::uint8_t{0} : std::uint8_t{1}, bits};
    else if constexpr (sizeof(T) == 2) return {is_signed ? "h" : "H", is_signed ? std::uint8_t{0} : std::uint8_t{1}, bits};
    else if constexpr (sizeof(T) == 4) return {is_signed ? "i" : "I", is_signed ? std::uint8_t{0} : std::uint8_t{1}, bits};
    else return {sizeof(long) == 8 ? (is_signed ? "l" : "L") : (is_signed ? "q" : "Q"), is_signed ? std::uint8_t{0} : std::uint8_t{1}, bits};
}

/// Memory with a shape, what owns it, and the handles that keep it alive. It is moved, never copied.
class Array {
public:
    void *data = nullptr;
    std::int32_t dimensions = 0;
    std::int64_t shape[most_dimensions] = {}, strides[most_dimensions] = {};  // strides count bytes
    ElementKind kind = {"B", 1, 8};
    std::size_t itemsize = 1;
    bool is_readonly = true;
    Device device;
    std::uintptr_t stream = 0;  // of a device: the one that fills the memory
    void (*wait)(std::uintptr_t waiting, std::uintptr_t other, int number) = nullptr;  // lets a stream wait for another one

    Array() = default;
    Array(Array &&other) noexcept  // copies as many extents as there are: an array is moved whenever one is returned
        : data(std::exchange(other.data, nullptr)), dimensions(other.dimensions), kind(other.kind), itemsize(other.itemsize),
          is_readonly(other.is_readonly), device(other.device), stream(other.stream), wait(other.wait), owner_(std::exchange(other.owner_, nullptr)), release_(other.release_), kept_(std::move(other.kept_)) {
        std::copy_n(other.shape, dimensions, shape);
        std::copy_n(other.strides, dimensions, strides);
    }
    Array &operator=(Array &&other) noexcept {
        swap(other);
        return *this;
    }
    ~Array() {
        if (owner_ != nullptr) release_(owner_);  // before the handles that its memory may belong to
        for (const Held &each : kept_) {
            remove_export(each);
            let_go_of(each);
        }
    }

    /// Takes over what `release` ends.
    void own(void *owner, void (*release)(void *) noexcept) {
        owner_ = owner;
        release_ = release;
    }
    /// Keeps handles alive: their memory is in use from now on.
    WG_ONCE void keep(const Owners &owners) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        kept_.reserve(kept_.size() + owners.held().size());
        for (const Held &each : owners.held()) {
            add_export(each);
            hold(each);
            kept_.push_back(each);
        }
    }
#endif
    const HeldList &kept() const { return kept_; }

    std::int64_t size() const {
        std::int64_t out = 1;
        for (std::int32_t i = 0; i < dimensions; ++i) out *= shape[i];
        return out;
    }
    /// Whether there are no gaps, in one of both orders.
    bool is_contiguous(char order) const {
        std::int64_t expected = static_cast<std::int64_t>(itemsize);
        if (size() == 0) return true;
        for (std::int32_t j = 0; j < dimensions; ++j) {
            const std::int32_t i = order == 'C' ? dimensions - 1 - j : j;
            if (shape[i] > 1 && strides[i] != expected) return false;
            expected *= shape[i];
        }
        return true;
    }

private:
    WG_ONCE void swap(Array &other) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        std::swap(data, other.data);
        std::swap(dimensions, other.dimensions);
        std::swap(shape, other.shape);
        std::swap(strides, other.strides);
        std::swap(kind, other.kind);
        std::swap(itemsize, other.itemsize);
        std::swap(is_readonly, other.is_readonly);
        std::swap(device, other.device);
        std::swap(stream, other.stream);
        std::swap(wait, other.wait);
        std::swap(owner_, other.owner_);
        std::swap(release_, other.release_);
        std::swap(kept_, other.kept_);
    }
#endif

    void *owner_ = nullptr;
    void (*release_)(void *) noexcept = nullptr;
    HeldList kept_;
};

// --- what is returned ---------------------------------------------------------------------------

/// Whether elements of a type may be said to be `T`.
template <class U, class T>
constexpr bool is_element =
    std::is_void_v<U> || std::is_same_v<U, T> || (std::is_same_v<U, std::byte> && std::is_same_v<T, u8>) ||
    (std::is_same_v<U, char> && sizeof(T) == 1 && !std::is_same_v<T, bool>) ||
    (std::is_integral_v<U> && std::is_integral_v<T> && !std::is_same_v<U, bool> && !std::is_same_v<T, bool> && sizeof(U) == sizeof(T) &&
     std::is_signed_v<U> == std::is_signed_v<T>);

/// How many elements there are, if the value knows. An address of arrays is that of one, if these have all the dimensions.
template <std::size_t N, class V>
std::int64_t elements_of(V &value) {
    [[maybe_unused]] constexpr auto within = static_cast<std::int64_t>(InnerArraysOf<V>::count);
    if constexpr (std::is_array_v<V>)
        return static_cast<std::int64_t>(std::extent_v<V>) * within;
    else if constexpr (points_to_arrays<V>)
        return N <= InnerArraysOf<V>::rank ? within : -1;
    else if constexpr (gives_size<V>)
        return static_cast<std::int64_t>(value.size()) * within;
    else
        return -1;
}

[[noreturn, gnu::cold]] inline void fail_array(const std::string &why) { throw Own<std::runtime_error>("the array that is returned " + why); }

[[noreturn, gnu::cold]] inline void fail_count(std::int64_t known, std::int64_t wanted) {
    fail_array("has " + std::to_string(known) + " elements, and its dimensions are of " + std::to_string(wanted));
}

template <class P, std::size_t N>
void set_shape(Array &array, P *data, const i64 (&extents)[N], const i64 *strides, Order order, std::int64_t known) {
    using T = std::remove_const_t<P>;
    array.data = const_cast<T *>(data);
    array.is_readonly = std::is_const_v<P>;
    array.kind = kind_of_element<T>();
    array.itemsize = sizeof(T);
    array.dimensions = static_cast<std::int32_t>(N);
    std::int64_t bytes = sizeof(T), last = 0;
    bool is_empty = false;
    for (std::size_t i = 0; i < N; ++i) {
        if (extents[i] < 0) fail_array("has " + std::to_string(extents[i]) + " elements in dimension " + std::to_string(i));
        is_empty = is_empty || extents[i] == 0;
        array.shape[i] = extents[i];
    }
    for (std::size_t i = 0; i < N && !is_empty; ++i)
        if (multiply_overflows(bytes, extents[i], &bytes)) fail_array("has dimensions that no memory has");
    std::int64_t next = sizeof(T);
    for (std::size_t j = 0; j < N; ++j) {
        const std::size_t i = order == Order::F ? j : N - 1 - j;
        array.strides[i] = next;
        if (!is_empty) next *= extents[i];
        if (strides != nullptr && !is_empty) {
            std::int64_t reach = 0;
            if (strides[i] < 0 || multiply_overflows(strides[i], static_cast<std::int64_t>(sizeof(T)), &array.strides[i]) ||
                multiply_overflows(extents[i] - 1, strides[i], &reach) || add_overflows(last, reach, &last))
                fail_array("has strides that no memory has");
        }
    }
    const std::int64_t wanted = is_empty ? 0 : strides == nullptr ? bytes / static_cast<std::int64_t>(sizeof(T)) : last + 1;
    if (known >= 0 && (wanted > known || (strides == nullptr && wanted != known))) fail_count(known, wanted);
    if (data == nullptr && !is_empty) fail_array("is a null pointer");
}

/// The order that a spec says of the result, else that of the type; C where neither says it.
template <class V, std::size_t N>
constexpr Order order_of(Order said) {
    if (said != Order::any) return said;
    return own_order<V, N>() == Order::F ? Order::F : Order::C;
}

/// How many elements lie between neighbours, as a value says it; whether it does.
template <std::size_t N, class V>
bool read_own_strides([[maybe_unused]] V &value, [[maybe_unused]] i64 (&out)[N]) {
    if constexpr (N == 2 && has_row_strides<V>) {
        out[0] = extent(value.rowStride()), out[1] = extent(value.colStride());
        return true;
    } else if constexpr (N == 1 && has_inner_stride<V>) {
        out[0] = extent(value.innerStride());
        return true;
    } else if constexpr (gives_extents<V> && has_strides_of<V>) {
        for (std::size_t i = 0; i < N; ++i) out[i] = extent(value.stride(i));
        return true;
    } else {
        return false;
    }
}

/// A vector or matrix that says how its elements lie has as many of them, rows and columns as the spec says.
template <std::size_t N, class V>
void check_own_extents([[maybe_unused]] V &value, [[maybe_unused]] const i64 (&extents)[N]) {
    if constexpr (N == 1 && gives_size<V>) {
        if (extents[0] != extent(value.size())) fail_count(extent(value.size()), extents[0]);
    } else if constexpr (gives_extents<V>) {
        for (std::size_t i = 0; i < N; ++i)
            if (extents[i] != extent(value.extent(i)))
                fail_array("has " + std::to_string(extents[i]) + " elements in dimension " + std::to_string(i) + ", and the value has " +
                           std::to_string(extent(value.extent(i))));
    } else if constexpr (N == 2 && gives_rows<V>) {
        if (extents[0] != extent(value.rows()) || extents[1] != extent(value.cols()))
            fail_array("has dimensions " + std::to_string(extents[0]) + " and " + std::to_string(extents[1]) + ", and the matrix has " +
                       std::to_string(extent(value.rows())) + " and " + std::to_string(extent(value.cols())) + "; the spec has to say `order:` or `strides:`");
    }
}

/// An array has as many elements in the dimensions that the type knows as the spec says.
template <std::size_t N, class V>
void check_inner_extents(const i64 (&extents)[N]) {
    constexpr std::size_t outer = outer_dimensions<V, N>();
    for (std::size_t i = outer; i < N; ++i) {
        const auto own = static_cast<i64>(InnerArraysOf<V>::extent(i - outer));
        if (extents[i] != own)
            fail_array("has " + std::to_string(extents[i]) + " elements in dimension " + std::to_string(i) + ", and its C++ type has " + std::to_string(own));
    }
}

/// The shape of an array over the memory of `value`: a spec that says neither order nor strides leaves them to the type.
template <class T, class P, std::size_t N, Order order, class V>
void set_shape_of(Array &array, P *data, const i64 (&extents)[N], const i64 *strides, V &value) {
    using D = std::remove_cv_t<V>;
    static_assert(order == Order::any || own_order<D, N>() == Order::any || own_order<D, N>() == order,
                  "wrapper-gen: this value has its elements in the other order; drop `order`: its type says it");
    static_assert(order != Order::F || InnerArraysOf<V>::rank == 0, "wrapper-gen: this value has its elements in the other order; drop `order`: its type says it");
    if (strides == nullptr) check_inner_extents<N, V>(extents);
    if constexpr (order == Order::any && std::is_class_v<D>) {
        i64 own[N] = {};
        if (strides == nullptr && read_own_strides(value, own)) {
            check_own_extents(value, extents);
            return set_shape(array, data, extents, own, Order::C, -1);
        }
        if constexpr (order_of<D, N>(order) == Order::F)
            if (strides == nullptr) check_own_extents(value, extents);
    }
    set_shape(array, data, extents, strides, order_of<D, N>(order), elements_of<N>(value));
}

/// An array over the memory of a value: one that is given over becomes its owner, anything else is kept alive by what `keeps`.
template <class T, std::size_t N, Order order, bool keeps, class V>
Array made_array(V &&value, const i64 (&extents)[N], const i64 *strides) {
    using D = std::remove_cv_t<std::remove_reference_t<V>>;
    using U = typename InnerArray<std::remove_pointer_t<decltype(memory_of(value))>>::Element;
    static_assert(is_element<std::remove_cv_t<U>, T>, "wrapper-gen: the memory that is returned has elements of another type");
    using P = std::conditional_t<std::is_const_v<U>, const T, T>;
    constexpr bool is_owned = !std::is_lvalue_reference_v<V> && !std::is_pointer_v<D>;
    static_assert(is_owned || keeps, "wrapper-gen: the memory belongs to something else; say what that is, belongs_to: self, or return a value that owns it");
    static_assert(keeps || !is_view<D>, "wrapper-gen: the value that is returned is a view, which does not own its memory; say what does, belongs_to: self, or return "
                                        "a value that owns it");
    Array out;
    if constexpr (is_owned) {
        auto owner = std::make_unique<D>(std::forward<V>(value));
        auto *data = static_cast<P *>(static_cast<std::conditional_t<std::is_const_v<U>, const void *, void *>>(memory_of(*owner)));
        set_shape_of<T, P, N, order>(out, data, extents, strides, pointed(*owner));
        if constexpr (!keeps && std::is_trivially_destructible_v<D>) {
            const auto start = reinterpret_cast<std::uintptr_t>(owner.get()), at = reinterpret_cast<std::uintptr_t>(data);
            if (out.size() != 0 && (at < start || at >= start + sizeof(D))) fail_array("does not own its memory; the spec has to say what does: belongs_to: self");
        }
        out.own(owner.release(), [](void *owned) noexcept { delete static_cast<D *>(owned); });
    } else {
        auto *data = static_cast<P *>(static_cast<std::conditional_t<std::is_const_v<U>, const void *, void *>>(memory_of(value)));
        set_shape_of<T, P, N, order>(out, data, extents, strides, pointed(value));
    }
    return out;
}
/// The same of a method of `object`: a pointer does not say how elements lie.
template <class T, std::size_t N, Order order, bool keeps, class V, class H>
Array made_array(V &&value, const i64 (&extents)[N], const i64 *strides, H &) {
    static_assert(!std::is_pointer_v<std::remove_reference_t<V>> || own_order<std::remove_cv_t<H>, N>() != Order::F,
                  "wrapper-gen: a pointer does not say how elements lie, and those of the object lie column by column; say `order: F` of the result, or `order: C`");
    return made_array<T, N, order, keeps>(std::forward<V>(value), extents, strides);
}

/// The device of an array, that of an argument or a number, and the stream whose work fills it. Both are asked before the array takes what
/// its value owns, which may be what the device is asked of.
template <class Kind, class D, class Stream>
struct OnDevice {
    const D device;
    const Stream &stream;

    /// The same array there.
    Array of(Array &&array) const {
        if constexpr (std::is_same_v<D, Device>) array.device = device;
        else array.device = {2, static_cast<std::int32_t>(device)};
        if (array.device.is_cpu()) return std::move(array);
        static_assert(!std::is_same_v<decltype(stream_wait<Kind>), const std::nullptr_t>,
                      "wrapper-gen: nothing says how a stream waits for another one, as those do that use the memory which is returned; say it in the cpp_prelude: "
                      "template <> inline constexpr auto wg::stream_wait<wg::Cuda> = [](cudaStream_t waiting, cudaStream_t other, int number) { ... };");
        if (array.device.number < 0)
            fail_array(std::is_same_v<D, Device> ? "lies on a device of which nothing says the number: the memory that was passed comes by the CUDA array interface"
                                                 : "lies on device " + std::to_string(array.device.number));
        array.stream = stream.handle();
        array.wait = [](std::uintptr_t waiting, std::uintptr_t other, int number) { stream_wait<Kind>(Stream(waiting), Stream(other), number); };
        return std::move(array);
    }
};
template <class Kind, class D, class Stream>
OnDevice<Kind, D, Stream> on_device(const D &device, const Stream &stream) {
    return {device, stream};
}

// --- the C ABI ----------------------------------------------------------------------------------

/// Whether a struct in C says where its memory lies.
template <class A, class = void>
constexpr bool says_device = false;
template <class A>
constexpr bool says_device<A, std::void_t<decltype(std::declval<A &>().device_kind)>> = true;

template <class A>
struct GivenArray : A {
    explicit GivenArray(Array &&given) : A(), array(std::move(given)) {
        this->data = array.data;
        this->ndim = array.dimensions;
        this->shape = array.shape;
        this->strides = array.strides;
        this->format = array.kind.format;
        this->itemsize = array.itemsize;
        this->readonly = array.is_readonly;
        this->owner = &array;
        if constexpr (says_device<A>) {
            this->device_kind = array.device.kind;
            this->device_number = array.device.number;
            this->stream = array.stream;
        }
    }
    Array array;
};

template <class A>
A *give_array(Array &&array) {
    return new GivenArray<A>(std::move(array));
}
template <class A>
A *give_array(Array &&array, const Owners &owners) {
    array.keep(owners);
    return give_array<A>(std::move(array));
}
template <class A>
void free_array(A *array) noexcept {
    delete static_cast<GivenArray<A> *>(array);
}

// --- as items of a result -------------------------------------------------------------------------

template <>
struct Convert<Array> {
    static Array from(Array &&array) { return std::move(array); }
};

template <class D, class A>
struct Wire<types::Array<D, A>> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        char *at = out.room(count * sizeof(u64));
        each([&](Array &value) {
            A *made = out.own(give_array<A>(std::move(value)), [](void *array) noexcept { free_array(static_cast<A *>(array)); });
            const auto address = static_cast<u64>(reinterpret_cast<std::uintptr_t>(made));
            std::memcpy(at, &address, sizeof(address));
            at += sizeof(address);
        });
    }
};

}  // namespace wg

#endif  // WG_ARRAYS_ARRAYS_HPP
