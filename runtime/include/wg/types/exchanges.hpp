// Memory that goes to another library by DLPack, and belongs to that library then.
// Static: the same for all packages. Included by generated C++ only, where a spec has such results.
#ifndef WG_TYPES_EXCHANGES_HPP
#define WG_TYPES_EXCHANGES_HPP

#include <type_traits>
#include <utility>
#include <variant>

#include "wg/base/calls.hpp"
#include "wg/conversion/results.hpp"

namespace wg {

namespace types {
struct Exchange {};
}  // namespace types

/// Whether it is a struct of DLPack, by whatever header: it has a tensor, and what releases that. DLPack 1 has flags as well.
template <class T, class = void>
struct is_exchanged : std::false_type {};
template <class T>
struct is_exchanged<T, std::void_t<decltype(std::declval<T &>().dl_tensor), decltype(std::declval<T &>().deleter)>> : std::true_type {};
template <class T, class = void>
struct is_versioned : std::false_type {};
template <class T>
struct is_versioned<T, std::void_t<decltype(std::declval<T &>().flags)>> : std::true_type {};

/// A struct of DLPack, which belongs to this until it is taken. It is moved, never copied.
class Exchange {
public:
    Exchange() = default;
    template <class T, class = std::enable_if_t<is_exchanged<T>::value>>
    explicit Exchange(T *managed) : managed_(managed), is_versioned_(wg::is_versioned<T>::value), release_(&release<T>) {
        if (managed == nullptr) throw Own<std::runtime_error>("the memory that is returned is null");
    }
    Exchange(Exchange &&other) noexcept : Exchange() { *this = std::move(other); }
    Exchange &operator=(Exchange &&other) noexcept {
        std::swap(managed_, other.managed_);
        std::swap(is_versioned_, other.is_versioned_);
        std::swap(release_, other.release_);
        return *this;
    }
    ~Exchange() {
        if (managed_ != nullptr) release_(managed_);
    }

    bool is_versioned() const { return is_versioned_; }
    void (*release() const)(void *) { return release_; }
    void *take() { return std::exchange(managed_, nullptr); }

private:
    template <class T>
    static void release(void *managed) {
        auto *const own = static_cast<T *>(managed);
        if (own->deleter != nullptr) own->deleter(own);
    }

    void *managed_ = nullptr;
    bool is_versioned_ = false;
    void (*release_)(void *) = nullptr;
};

template <>
struct Convert<Exchange> {
    template <class From>
    static Exchange from(From &&value) {
        using T = std::decay_t<From>;
        if constexpr (std::is_same_v<T, Exchange>) {
            return std::forward<From>(value);
        } else if constexpr (std::is_pointer_v<T>) {
            static_assert(is_exchanged<std::remove_pointer_t<T>>::value, "wrapper-gen: the result is no pointer to a DLManagedTensorVersioned or DLManagedTensor");
            return Exchange(value);
        } else {
            return std::visit([](auto *managed) { return Exchange(managed); }, value);
        }
    }
};

/// The same for C.
template <class E>
E *give_exchange(Exchange &&value) {
    auto *const out = new E{nullptr, value.is_versioned(), value.release()};
    out->managed = value.take();
    return out;
}

template <class E>
void free_exchange(E *memory) {
    if (memory == nullptr) return;
    if (memory->managed != nullptr) memory->release(memory->managed);
    delete memory;
}

}  // namespace wg

#endif  // WG_TYPES_EXCHANGES_HPP
