// Streaming calls: each takes some of an input and fills some room, and is made again until all is taken and written.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CONVERSION_STREAMS_HPP
#define WG_CONVERSION_STREAMS_HPP

#include <algorithm>
#include <limits>

#include "wg/conversion/result_buffer.hpp"

namespace wg {

/// Memory that is lent to the library by members of a C struct: the address, and what is left; or the address, the size, and
/// what is used.
template <auto data, auto count, auto... used_of_it>
struct Window {
    /// Lends as much of it as the struct can count; gives how much that is.
    template <class T>
    static usize lend(T &by, const char *from, usize size) {
        using Address = std::decay_t<decltype(by.*data)>;
        using Count = std::decay_t<decltype(by.*count)>;
        constexpr auto most = std::numeric_limits<Count>::max();
        by.*data = static_cast<Address>(static_cast<void *>(const_cast<char *>(from)));
        by.*count = size > static_cast<std::make_unsigned_t<Count>>(most) ? most : static_cast<Count>(size);
        ((by.*used_of_it = 0), ...);
        return static_cast<usize>(by.*count);
    }
    /// How much of it a call has used.
    template <class T>
    static usize used(const T &by, usize lent) {
        usize used = 0;
        if constexpr (sizeof...(used_of_it) == 0)
            used = lent - static_cast<usize>(by.*count);
        else
            ((used = static_cast<usize>(by.*used_of_it)), ...);
        if (used > lent) throw Own<std::runtime_error>("the library says that it used more memory than it was lent");
        return used;
    }
};

/// The place of an input where there is none.
struct NoWindow {
    template <class T>
    static usize lend(T &, const char *, usize) {
        return 0;
    }
    template <class T>
    static usize used(const T &, usize) {
        return 0;
    }
};

/// What a streaming call comes to; `value` is that of the last of its calls.
template <class Room, class V>
struct Streamed {
    Room room;
    usize taken;
    V value;
};

/// A call of a stream. `In` and `Out` are the windows by which `source` lends its input, and `sink` its room.
template <class In, class Out, class Engine, class Source, class Sink>
class Stream {
public:
    Stream(const Engine &engine, Source &source, Sink &sink) : engine_(engine), source_(source), sink_(sink) {}
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;
    ~Stream() {  // the library keeps no address of what is gone
        In::lend(source_, nullptr, 0);
        Out::lend(sink_, nullptr, 0);
    }

    /// Makes the call again and again: `call` gives its value, of which `is_last` says whether it was the last one, also by whether
    /// all input is taken and all output is there. `limit` is how much is written at most, or 0.
    template <class Call, class Last>
    auto run(std::string_view data, usize limit, const Call &call, const Last &is_last) {
        using Room = typename Engine::Room;
        Room room(bounded(first_room(data.size()), limit));
        for (usize taken = 0, filled = 0;;) {
            const usize lent = In::lend(source_, data.data() + taken, data.size() - taken);
            const usize free = Out::lend(sink_, room.data() + filled, room.size() - filled);
            auto value = engine_.run(call);
            const usize read = In::used(source_, lent), written = Out::used(sink_, free);
            taken += read;
            filled += written;
            const bool has_more = written != 0 && written == free, is_stuck = read == 0 && written == 0;
            const bool has_ended = is_last(value, taken == data.size() && !has_more);
            const bool is_full = room.size() - filled < (is_stuck ? least_room : 1);
            if (has_ended || (is_full && room.size() == limit)) {
                room.resize(filled);
                return Streamed<Room, decltype(value)>{std::move(room), taken, std::move(value)};
            }
            if (is_full)
                room.resize(bounded(room.size() * 2, limit));
            else if (is_stuck)
                throw Own<std::runtime_error>("the library takes no more of its input, and writes nothing");
        }
    }

private:
    /// A call that does nothing with this much room does nothing with more.
    static constexpr usize least_room = 1024;
    /// Enough for most of what a piece decompresses to; but not so much that malloc would ask the system for each.
    static usize first_room(usize size) { return std::clamp<usize>(size, 256, 30 * 1024) * 4; }
    static usize bounded(usize size, usize limit) { return limit == 0 ? size : std::min(size, limit); }

    const Engine &engine_;
    Source &source_;
    Sink &sink_;
};

template <class In, class Out, class Engine, class Source, class Sink>
Stream<In, Out, Engine, Source, Sink> stream(const Engine &engine, Source &source, Sink &sink) {
    return {engine, source, sink};
}

}  // namespace wg

#endif  // WG_CONVERSION_STREAMS_HPP
