// Callables with a probe that says which arguments they take in braces.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_BASE_IN_BRACES_HPP
#define WG_BASE_IN_BRACES_HPP

#include <utility>

namespace wg {

/// A callable, and a probe that takes the same arguments where each stands in braces.
template <class F, class Probe>
struct AlsoInBraces : F {};
namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
template <class F, class Probe>
AlsoInBraces<F, Probe> also_in_braces(F call, Probe) {
    return {std::move(call)};
}
}  // namespace hidden
using namespace hidden;

/// The probe of a callable that has one, also within others, which give it arguments that they change or add; else void.
template <class F>
struct InBraces {
    using type = void;
};
template <class F, class Probe>
struct InBraces<AlsoInBraces<F, Probe>> {
    using type = Probe;
};
template <class F>
struct InBraces<const F> : InBraces<F> {};

}  // namespace wg

#endif  // WG_BASE_IN_BRACES_HPP
