// Memory whose address a call returns: read, and then released where it is ours.
// Static: the same for all packages. Included by generated C++ only, for specs with such calls.
#ifndef WG_TYPES_RETURNED_HPP
#define WG_TYPES_RETURNED_HPP

#include "wg/types/representations.hpp"

namespace wg {

/// What releases memory that the library keeps.
struct LeftAlone {
    template <class T>
    void operator()(T *) const {}
};

/// Where a call writes how much there is.
class WrittenLength {
public:
    static constexpr usize capacity() { return 0; }
    template <class N>
    void set_written(N length) {
        if (!fits<usize>(length)) throw Own<std::invalid_argument>("the library returned a length below 0");
        value_ = static_cast<usize>(length);
    }
    usize value() const { return value_; }

private:
    usize value_ = 0;
};

/// Held from the call on: it is released once, also where its status or what is there becomes an exception.
template <class P, class Free>
class ReturnedMemory {
public:
    static_assert(std::is_pointer_v<P>, "wrapper-gen: `release` and `length` of a call that returns no pointer");

    ReturnedMemory(P address, const Free &free) : address_(address), free_(free) {}
    ReturnedMemory(const ReturnedMemory &) = delete;
    ReturnedMemory &operator=(const ReturnedMemory &) = delete;
    ~ReturnedMemory() {
        if (address_ != nullptr) free_(const_cast<std::remove_const_t<std::remove_pointer_t<P>> *>(address_));
    }

    /// Text that ends with a NUL.
    const char *text() const { return static_cast<const char *>(static_cast<const void *>(address_)); }
    P address() const { return address_; }

private:
    P address_;
    const Free &free_;
};
template <class P, class Free>
ReturnedMemory(const P &, const Free &) -> ReturnedMemory<P, Free>;

/// So many elements, or (with `is_text`) characters of it; nothing where there is no address, if that may be.
template <bool is_text, bool is_optional, class P, class Free, class N>
auto run_in(const ReturnedMemory<P, Free> &memory, const N &length) {
    static_assert(std::is_integral_v<N>, "wrapper-gen: `length` is no number");
    using Run = decltype(run_of<is_text>(memory.address(), length));
    if constexpr (is_optional)
        return memory.address() == nullptr ? std::optional<Run>() : std::optional<Run>(run_of<is_text>(memory.address(), length));
    else
        return run_of<is_text>(memory.address(), length);
}

}  // namespace wg

#endif  // WG_TYPES_RETURNED_HPP
