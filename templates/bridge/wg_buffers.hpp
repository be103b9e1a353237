// Buffers that a call fills: memory of a capacity that the caller says, and how much of it was written.
// Static: the same for all packages. Included by generated C++ only.
#pragma once

#include <algorithm>

#include "wg_outs.hpp"
#include "wg_rooms.hpp"

namespace wg {

/// Takes the place of text or bytes that a call writes.
template <class Room>
class Buffer {
public:
    template <class N>
    Buffer(N capacity, const char *name) : room_(room_of<Room>(checked<usize>(capacity, name))), written_(room_.size()) {}

    char *data() { return room_.data(); }
    usize capacity() const { return room_.size(); }
    /// What the call says that it has written.
    template <class N>
    void set_written(N count) {
        if (count < 0 || static_cast<std::make_unsigned_t<N>>(count) > room_.size())
            throw Own<std::runtime_error>("the library says that it wrote " + std::to_string(count) + " bytes into a buffer of " +
                                          std::to_string(room_.size()));
        written_ = static_cast<usize>(count);
    }
    /// Of a call that ends what it writes with a NUL.
    void start_text() {
        if (capacity() != 0) *data() = '\0';
    }
    Room take_text() {
        written_ = static_cast<usize>(std::find(data(), data() + capacity(), '\0') - data());
        return take();
    }
    Room take() {
        room_.resize(written_);
        return std::move(room_);
    }
    template <class N>
    Room take(N count) {
        static_assert(std::is_integral_v<N>, "wrapper-gen: `length: result` of a call that returns no number");
        set_written(count);
        return take();
    }

private:
    Room room_;
    usize written_;
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
template <class Room, class U>
struct WrittenSlot {
    Buffer<Room> &buffer;
    U value;
    /// After the call.
    void finish() const { buffer.set_written(value); }
};
template <class Room>
struct WrittenIn {
    using Integers = typename Joined<WideIntegers, SmallIntegers>::type;
    using Asked = AnyOut<Integers> &;
    Buffer<Room> &buffer;
    const char *name;

    template <class Whole, class Given, std::size_t At>
    auto given() const {
        return slot(out_type<Whole, Given, At>(Integers()));
    }

private:
    template <class U>
    WrittenSlot<Room, U> slot(Types<U>) const {
        return {buffer, checked<U>(buffer.capacity(), name)};
    }
};

template <class Room>
WrittenIn(Buffer<Room> &, const char *) -> WrittenIn<Room>;

template <class A>
constexpr bool is_written = false;
template <class Room, class U>
constexpr bool is_written<WrittenSlot<Room, U>> = true;

}  // namespace wg
