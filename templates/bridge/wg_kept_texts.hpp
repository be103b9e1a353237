// Texts that results keep alive: C++ may keep the address of one after the call.
// Static: the same for all packages. Included by generated C++ only, where a spec has such parameters.
#ifndef WG_KEPT_TEXTS_HPP
#define WG_KEPT_TEXTS_HPP

#include <string>
#include <utility>

#include "wg_owners.hpp"

namespace wg {

/// A text at an address of its own, until the call is over and nothing keeps it alive.
class KeptText {
public:
    explicit KeptText(std::string &&text) : cell_(new TextCell(std::move(text))) {}
    KeptText(const KeptText &) = delete;
    KeptText &operator=(const KeptText &) = delete;
    ~KeptText() { leave(held()); }

    const std::string &value() const { return cell_->text; }
    Held held() const { return {cell_, &TextCell::own_type}; }

private:
    struct TextCell : UsedCell {
        explicit TextCell(std::string &&given) : text(std::move(given)) {}

        static void release(Cell &cell) noexcept { delete static_cast<TextCell *>(&cell); }

        std::string text;
        static constexpr HandleType own_type = {&release};
    };

    TextCell *const cell_;
};

}  // namespace wg

#endif  // WG_KEPT_TEXTS_HPP
