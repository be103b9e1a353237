// Buffers that a call fills: memory of a capacity that the caller says, and how much of it was written.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CALLS_BUFFERS_HPP
#define WG_CALLS_BUFFERS_HPP

#include <algorithm>

#include "wg/calls/out_parameters.hpp"
#include "wg/conversion/result_buffer.hpp"

namespace wg {

/// Takes the place of text or bytes that a call writes.
template <class Room>
class Buffer {
public:
    template <class N>
    Buffer(N capacity, const char *name) : name_(name), room_(made(size_of(capacity, name), name)) {
        said_ = room_.size();
    }
    /// Of a size that the call says, which is made without a buffer first.
    explicit Buffer(const char *name) : name_(name), room_(made(0, name)), said_(0), is_asking_(true) {}

    char *data() { return is_asking_ ? nullptr : room_.data(); }
    usize capacity() const { return room_.size(); }
    /// What the call says that it has written, or wants.
    template <class N>
    void set_written(N count) {
        static_assert(std::is_integral_v<N>, "wrapper-gen: `length` of a buffer is no number; `value` is what the call returns");
        is_negative_ = count < 0;
        said_ = static_cast<u64>(count);
        is_said_ = true;
    }
    /// After a call: whether it is to be made again, with as much room as it has said. A text has room for its NUL, which
    /// some libraries count and others do not.
    bool asks_again(bool is_text) {
        if (is_negative_) static_cast<void>(written());
        if (!is_asking_) {
            if (said_ >= capacity() + (is_text ? 0 : 1)) return grow();
            if (is_text && said_ != 0 && data()[said_ - 1] == '\0') --said_;
            return false;
        }
        check_wanted(said_);
        named(static_cast<usize>(said_), name_, [&] { room_.resize(static_cast<usize>(said_) + (is_text ? 1 : 0)); });
        is_asking_ = false;
        return true;
    }
    /// Makes more room: as much as the call wants, at least twice as much as there was.
    bool grow() {
        const usize had = capacity();
        const u64 wanted = !is_negative_ && said_ > had ? said_ : had;
        check_wanted(wanted);
        const usize doubled = had < 32 ? 64 : had > most_grown / 2 ? most_grown : 2 * had;
        const usize size = wanted < doubled ? doubled : static_cast<usize>(wanted) + 1;
        named(size, name_, [&] { room_.resize(size); });
        is_negative_ = false;
        said_ = size;
        return true;
    }
    /// Of a call that may fill less, and does not say so: what it leaves is no memory of others.
    void start_bytes() {
        named(capacity(), name_, [&] { room_.clear(); });
    }
    /// Of a call that ends what it writes with a NUL, unless it says how much that is.
    void start_text() {
        if (capacity() != 0) *data() = '\0';
    }
    void end_text() {
        if (!is_said_) said_ = static_cast<u64>(std::find(data(), data() + capacity(), '\0') - data());
    }
    Room take() {
        room_.resize(written());
        return std::move(room_);
    }
    std::string_view view() { return {room_.data(), written()}; }

private:
    static constexpr usize most_grown = usize{1} << 30;

    void check_wanted(u64 wanted) const {
        if (wanted >= most_grown)
            throw Own<std::runtime_error>(std::string(name_) + ": the library asks for more than " + std::to_string(most_grown) + " bytes");
    }

    template <class N>
    static usize size_of(N capacity, const char *name) {
        if constexpr (std::is_signed_v<N>)
            if (capacity < 0) throw Own<std::invalid_argument>(std::string(name) + ": " + std::to_string(capacity) + " is negative, and the size of a buffer");
        return checked<usize>(capacity, name);
    }
    /// Makes room; where there is none, it says for what.
    template <class Make>
    static decltype(auto) named(usize size, const char *name, const Make &make) {
        try {
            return make();
        } catch (const std::bad_alloc &) {
            throw Own<std::length_error>(std::string(name) + ": there is no memory for " + std::to_string(size) + " bytes");
        }
    }
    static Room made(usize size, const char *name) {
        return named(size, name, [&] { return Room(size); });
    }
    usize written() const {
        if (is_negative_ || said_ > capacity())
            throw Own<std::runtime_error>("the library says that it wrote " +
                                          (is_negative_ ? std::to_string(static_cast<i64>(said_)) : std::to_string(said_)) +
                                          " bytes into a buffer of " + std::to_string(capacity()));
        return static_cast<usize>(said_);
    }

    const char *name_;
    Room room_;
    u64 said_;
    bool is_negative_ = false, is_said_ = false, is_asking_ = false;
};

/// The address of a buffer, as whatever pointer to bytes the call takes.
template <class Room>
struct BufferIn {
    using Asked = const BufferIn &;
    Buffer<Room> &buffer;

    template <class P, class = std::enable_if_t<std::is_pointer_v<P> && IsIn<std::remove_pointer_t<P>, Types<char, unsigned char, signed char, std::byte, void>>::value>>
    operator P() const {
        return static_cast<P>(static_cast<void *>(buffer.data()));
    }
    template <class Whole, class Given, std::size_t At>
    const BufferIn &given() const {
        return *this;
    }
};

template <class Room>
BufferIn(Buffer<Room> &) -> BufferIn<Room>;

/// Where the call finds the capacity, and leaves how much it has written.
template <class To, class U>
struct WrittenSlot {
    To &to;
    U value;
    /// After the call.
    void finish() const { to.set_written(value); }
};
template <class To>
struct WrittenIn {
    using Integers = typename Joined<WideIntegers, SmallIntegers>::type;
    using Asked = AnyOut<Integers> &;
    To &to;
    const char *name;

    template <class Whole, class Given, std::size_t At>
    auto given() const {
        return slot(out_type<Whole, Given, At>(Integers()));
    }

private:
    template <class U>
    WrittenSlot<To, U> slot(Types<U>) const {
        return {to, checked<U>(to.capacity(), name)};
    }
};
template <class To>
WrittenIn(To &, const char *) -> WrittenIn<To>;

template <class A>
constexpr bool is_written = false;
template <class To, class U>
constexpr bool is_written<WrittenSlot<To, U>> = true;

/// The check of a call that is made again while its value says that the buffer was too small.
template <class Small, class Room, class... Check>
auto unless_small(bool &again, const Small &small, const Buffer<Room> &buffer, const Check &...check) {
    return [&again, &small, &buffer, &check...](const auto &value, auto &...slots) {
        using V = std::decay_t<decltype(value)>;
        if constexpr (std::is_arithmetic_v<V>)
            again = small(value, static_cast<V>(buffer.capacity()));
        else
            again = small(value, buffer.capacity());
        if (!again) (static_cast<void>(check(value, slots...)), ...);
    };
}

/// The check of a call whose status may mean that there is no result, which is told apart from what the call has written.
template <class Check>
auto unless_none(bool &is_none, const Check &check) {
    return [&is_none, check](const auto &value, auto &...slots) { is_none = check(value, slots...); };
}

// --- memory that the call allocates ---------------------------------------------------------------

/// Takes the place of text or bytes that a call allocates and hands over; `Free` releases it once, whatever happens until then.
template <class Free>
class Allocated {
public:
    explicit Allocated(Free free) : free_(free) {}
    Allocated(const Allocated &) = delete;
    Allocated &operator=(const Allocated &) = delete;
    ~Allocated() {
        if (address_ != nullptr) release_(free_, address_);
    }

    template <class T>
    void hold(T *address) {
        using Plain = std::remove_const_t<T>;
        address_ = const_cast<Plain *>(address);
        release_ = [](const Free &free, void *held) { free(static_cast<Plain *>(held)); };
    }
    /// Before the call.
    static constexpr usize capacity() { return 0; }
    template <class N>
    void set_written(N count) {
        static_assert(std::is_integral_v<N>, "wrapper-gen: `length: value` of a call that returns no number");
        if (count < 0) throw Own<std::runtime_error>("the library says that it wrote " + std::to_string(count) + " bytes");
        length_ = static_cast<usize>(count);
    }
    std::string_view view() const {
        const char *start = static_cast<const char *>(address_);
        if (start == nullptr && length_.value_or(1) != 0) throw Own<std::invalid_argument>("the library returned a null string");
        return length_ ? std::string_view(start, *length_) : std::string_view(start);
    }
    /// The same where there may be none.
    std::optional<std::string_view> view_or_none() const {
        if (address_ == nullptr) return std::nullopt;
        return view();
    }

private:
    Free free_;
    void *address_ = nullptr;
    void (*release_)(const Free &, void *) = nullptr;
    std::optional<usize> length_;
};

/// Where the call leaves the address: it is held from then on, also where the call fails.
template <class Free, class U>
class AddressSlot {
public:
    U value = nullptr;

    explicit AddressSlot(Allocated<Free> &to) : to_(to) {}
    AddressSlot(AddressSlot &&other) noexcept : value(std::exchange(other.value, nullptr)), to_(other.to_) {}
    ~AddressSlot() { finish(); }
    void finish() {
        if (value != nullptr) to_.hold(std::exchange(value, nullptr));
    }

private:
    Allocated<Free> &to_;
};
template <class Free, class U>
constexpr bool is_written<AddressSlot<Free, U>> = true;
/// In place of what releases memory, where the spec does not say it.
struct NothingSaid {
    template <class T>
    void operator()(T *) const {}
};
template <class U>
constexpr bool may_leave<AddressSlot<NothingSaid, U>> = is_changeable_text<U>;

template <class Free>
struct AllocatedIn {
    using Pointers = Types<char *, const char *, unsigned char *, const unsigned char *, void *, const void *, signed char *, const signed char *>;
    using Asked = AnyOut<Pointers> &;
    Allocated<Free> &to;

    template <class Whole, class Given, std::size_t At>
    auto given() const {
        return slot(out_type<Whole, Given, At>(Pointers()));
    }

private:
    template <class U>
    AddressSlot<Free, U> slot(Types<U>) const {
        return AddressSlot<Free, U>(to);
    }
};
template <class Free>
AllocatedIn(Allocated<Free> &) -> AllocatedIn<Free>;

}  // namespace wg

#endif  // WG_CALLS_BUFFERS_HPP
