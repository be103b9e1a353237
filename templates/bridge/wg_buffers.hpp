// Buffers that a call fills: memory of a capacity that the caller says, and how much of it was written.
// Static: the same for all packages. Included by generated C++ only.
#pragma once

#include "wg_outs.hpp"

namespace wg {

/// Takes the place of text or bytes that a call writes.
class Buffer {
public:
    template <class N>
    Buffer(N capacity, const char *name) : bytes_(checked<usize>(capacity, name), '\0'), written_(bytes_.size()) {}

    char *data() { return bytes_.data(); }
    usize capacity() const { return bytes_.size(); }
    /// What the call says that it has written.
    template <class N>
    void set_written(N count) {
        if (count < 0 || static_cast<std::make_unsigned_t<N>>(count) > bytes_.size())
            throw Own<std::runtime_error>("the library says that it wrote " + std::to_string(count) + " bytes into a buffer of " +
                                          std::to_string(bytes_.size()));
        written_ = static_cast<usize>(count);
    }
    std::string take() {
        bytes_.resize(written_);
        return std::move(bytes_);
    }
    template <class N>
    std::string take(N count) {
        static_assert(std::is_integral_v<N>, "wrapper-gen: `length: result` of a call that returns no number");
        set_written(count);
        return take();
    }

private:
    std::string bytes_;
    usize written_;
};

/// The address of a buffer, as whatever pointer to bytes the call takes.
struct BufferIn {
    using Asked = const BufferIn &;
    Buffer &buffer;

    template <class P, class = std::enable_if_t<std::is_pointer_v<P> && IsIn<std::remove_pointer_t<P>, Types<char, unsigned char, signed char, std::byte, void>>::value>>
    operator P() const {
        return static_cast<P>(static_cast<void *>(buffer.data()));
    }
    template <class Whole, class Given, std::size_t At>
    const BufferIn &given() const {
        return *this;
    }
};

/// Where the call finds the capacity, and leaves how much it has written.
template <class U>
struct WrittenSlot {
    Buffer &buffer;
    U value;
    /// After the call.
    void finish() const { buffer.set_written(value); }
};
struct WrittenIn {
    using Integers = typename Joined<WideIntegers, SmallIntegers>::type;
    using Asked = AnyOut<Integers> &;
    Buffer &buffer;
    const char *name;

    template <class Whole, class Given, std::size_t At>
    auto given() const {
        return slot(out_type<Whole, Given, At>(Integers()));
    }

private:
    template <class U>
    WrittenSlot<U> slot(Types<U>) const {
        return {buffer, checked<U>(buffer.capacity(), name)};
    }
};

template <class A>
constexpr bool is_written = false;
template <class U>
constexpr bool is_written<WrittenSlot<U>> = true;

}  // namespace wg
