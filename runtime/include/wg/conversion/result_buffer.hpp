// Room for bytes that a call fills and that become a result: where it lies, and whether others run while the call does.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CONVERSION_RESULT_BUFFER_HPP
#define WG_CONVERSION_RESULT_BUFFER_HPP

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "wg/base/once.hpp"
#include "wg/conversion/packed_results.hpp"
#include "wg/conversion/results.hpp"

namespace wg {

/// So much memory is asked for anew as zeros rather than filled with them: pages that no one writes cost nothing.
constexpr usize most_filled = usize{1} << 20;

/// Room on the heap. It is not initialised, unless it is cleared: no more of it is read than was written.
class HeapRoom {
public:
    explicit HeapRoom(usize size) { resize(size); }

    char *data() { return data_.get(); }
    const char *data() const { return data_.get(); }
    usize size() const { return size_; }
    /// Makes all of it zeros.
    WG_ONCE void clear() WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (size_ <= most_filled) {
            std::memset(data_.get(), 0, size_);
            return;
        }
        data_.reset();
        data_.reset(static_cast<char *>(std::calloc(size_, 1)));
        if (!data_) throw std::bad_alloc();
    }
#endif
    /// Makes it larger or smaller; what it holds stays.
    WG_ONCE void resize(usize size) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        void *moved = std::realloc(data_.get(), size == 0 ? 1 : size);
        if (moved == nullptr) throw std::bad_alloc();
        static_cast<void>(data_.release());
        data_.reset(static_cast<char *>(moved));
        size_ = size;
    }
#endif

private:
    struct Free {
        void operator()(char *data) const noexcept { std::free(data); }
    };
    std::unique_ptr<char, Free> data_;
    usize size_ = 0;
};

/// The room that calls of an engine fill.
template <class Engine>
using RoomOf = typename std::decay_t<Engine>::Room;

/// How a call of the C ABI fills room: on the heap. Who runs meanwhile is not its matter.
struct OnHeap {
    using Room = HeapRoom;
    template <class Call>
    decltype(auto) run(Call &&call) const {
        return call();
    }
};

template <class B>
B *buffer(HeapRoom &&room) {
    return new Holding<B, HeapRoom>(std::move(room));
}

}  // namespace wg

#endif  // WG_CONVERSION_RESULT_BUFFER_HPP
