// Positions of items: counted from the start, and checked against how many there are.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_BASE_POSITIONS_HPP
#define WG_BASE_POSITIONS_HPP

#include <stdexcept>
#include <string>

#include "wg/base/failures.hpp"

namespace wg::operators {

/// Where a position is, counted from the start: a negative one counts from the end. Below 0 where there is none such.
template <class N>
i64 counted(i64 given, N length) {
    const i64 count = static_cast<i64>(length);
    const i64 at = given < 0 ? given + count : given;
    return at < count ? at : -1;
}

template <class N>
i64 position(i64 given, N length, const char *shown) {
    const i64 at = operators::counted(given, length);
    if (at < 0) throw Own<std::out_of_range>(std::string(shown) + " index out of range");
    return at;
}

/// A key that says a position, which the engine may have counted.
class Key {
public:
    Key(i64 given) : value_(given) {}
    static Key counted(i64 at) {
        Key key(at);
        key.is_counted_ = true;
        return key;
    }
    template <class Length>
    i64 at(Length &&length, const char *shown) const {
        return is_counted_ ? value_ : operators::position(value_, length(), shown);
    }

private:
    i64 value_;
    bool is_counted_ = false;
};

}  // namespace wg::operators

#endif  // WG_BASE_POSITIONS_HPP
