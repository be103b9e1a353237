// A list of what there mostly are few of.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_BASE_SMALL_VECTOR_HPP
#define WG_BASE_SMALL_VECTOR_HPP

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace wg {

/// As std::vector, of plain values: up to `count` of them lie in the list itself, which takes no other memory then.
template <class T, std::size_t count>
class Few {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    Few() noexcept {}
    Few(const Few &other) : Few() { append(other); }
    Few(Few &&other) noexcept : Few() { take(other); }
    Few &operator=(const Few &other) {
        if (this == &other) return *this;
        size_ = 0;
        append(other);
        return *this;
    }
    Few &operator=(Few &&other) noexcept {
        if (this == &other) return *this;
        delete[] further_;
        further_ = nullptr;
        take(other);
        return *this;
    }
    ~Few() { delete[] further_; }

    T *begin() noexcept { return further_ == nullptr ? own_ : further_; }
    T *end() noexcept { return begin() + size_; }
    const T *begin() const noexcept { return further_ == nullptr ? own_ : further_; }
    const T *end() const noexcept { return begin() + size_; }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    /// Whether there have been more than lie in the list itself.
    bool has_grown() const noexcept { return further_ != nullptr; }
    T &operator[](std::size_t i) noexcept { return begin()[i]; }
    const T &operator[](std::size_t i) const noexcept { return begin()[i]; }
    T &back() noexcept { return end()[-1]; }

    void reserve(std::size_t size) {
        if (size > room_) move_to(std::max(size, 2 * static_cast<std::size_t>(room_)));
    }
    [[gnu::always_inline]] void push_back(T value) {
        if (size_ == room_) move_to(2 * static_cast<std::size_t>(room_));
        begin()[size_++] = value;
    }
    void pop_back() noexcept { --size_; }
    void clear() noexcept { size_ = 0; }
    void append(const Few &other) {
        const unsigned added = other.size_;  // which may be this one
        reserve(static_cast<std::size_t>(size_) + added);
        std::copy_n(other.begin(), added, end());
        size_ += added;
    }
    void erase(T *from, T *to) noexcept {
        size_ = static_cast<unsigned>(std::copy(to, end(), from) - begin());
    }

private:
    [[gnu::noinline]] void move_to(std::size_t room) {
        T *moved = new T[room];
        std::copy_n(begin(), size_, moved);
        delete[] further_;
        further_ = moved;
        room_ = static_cast<unsigned>(room);
    }
    void take(Few &other) noexcept {
        // GCC 14 does not see that there are no more in the list itself, and warns.
        if (other.further_ == nullptr) std::copy_n(other.own_, std::min<std::size_t>(other.size_, count), own_);
        further_ = other.further_;
        size_ = other.size_;
        room_ = other.room_;
        other.further_ = nullptr;
        other.size_ = 0;
        other.room_ = count;
    }

    T *further_ = nullptr;  // all of them, once there have been more
    unsigned size_ = 0;
    unsigned room_ = count;
    union {
        T own_[count];
    };
};

}  // namespace wg

#endif  // WG_BASE_SMALL_VECTOR_HPP
