// Texts that results keep alive, as arguments of the cpython engine.
// Static: the same for all packages. Included by generated C++ only, where a spec has such parameters.
#ifndef WG_CPYTHON_KEPT_TEXTS_HPP
#define WG_CPYTHON_KEPT_TEXTS_HPP

#include <optional>

#include "wg/cpython/arguments.hpp"
#include "wg/ownership/kept_values.hpp"

namespace wg::cpython {

class KeptText {
public:
    bool take(PyObject *value, const char *name) {
        Text given;
        if (!given.take(value, name)) return false;
        kept_.emplace(given.value());
        return true;
    }
    const std::string &value() const { return kept_->value(); }
    template <class Owners>
    void add_to(Owners &owners) const {
        owners.add(kept_->held());
    }

private:
    std::optional<wg::KeptValue<std::string>> kept_;
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_KEPT_TEXTS_HPP
