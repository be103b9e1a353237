// Callables with a probe that says which arguments they take in braces.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_BASE_IN_BRACES_HPP
#define WG_BASE_IN_BRACES_HPP

#include <utility>

namespace wg {

/// A callable, and a probe that takes the same arguments where each stands in braces. An aggregate, as all that each call in generated
/// code makes one of: a function that made it would be one more for the compiler in each entry.
template <class F, class Probe>
struct AlsoInBraces : F {
    Probe probe;
};
template <class F, class Probe>
AlsoInBraces(F, Probe) -> AlsoInBraces<F, Probe>;
namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
template <class F, class Probe>
AlsoInBraces<F, Probe> also_in_braces(F call, Probe probe) {
    return {std::move(call), probe};
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
