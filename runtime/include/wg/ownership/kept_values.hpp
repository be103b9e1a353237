// Texts and lists that results keep alive: C++ may keep the address of one after the call.
// Static: the same for all packages. Included by generated C++ only, where a spec has such parameters.
#ifndef WG_OWNERSHIP_KEPT_VALUES_HPP
#define WG_OWNERSHIP_KEPT_VALUES_HPP

#include <utility>

#include "wg/ownership/owners.hpp"

namespace wg {

/// A value at an address of its own, until the call is over and nothing keeps it alive.
template <class T>
class KeptValue {
public:
    template <class... From>
    explicit KeptValue(From &&...from) : cell_(new ValueCell(std::forward<From>(from)...)) {}
    KeptValue(const KeptValue &) = delete;
    KeptValue &operator=(const KeptValue &) = delete;
    ~KeptValue() { leave(held()); }

    T &value() const { return cell_->value; }
    Held held() const { return {cell_, &ValueCell::own_type}; }

private:
    struct ValueCell : UsedCell {
        template <class... From>
        explicit ValueCell(From &&...from) : value(std::forward<From>(from)...) {}

        static void release(Cell &cell) noexcept { delete static_cast<ValueCell *>(&cell); }

        T value;
        static constexpr HandleType own_type = type_of_argument(&release);
    };

    ValueCell *const cell_;
};

}  // namespace wg

#endif  // WG_OWNERSHIP_KEPT_VALUES_HPP
