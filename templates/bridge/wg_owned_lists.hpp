// Lists of handles that a call hands over: where one is missing, the others are released.
// Static: the same for all packages. Included by generated C++ only, of specs with such calls.
#ifndef WG_OWNED_LISTS_HPP
#define WG_OWNED_LISTS_HPP

#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

#include "wg_results.hpp"

namespace wg {

/// All handles of a result, each of which is dropped by who has it.
template <class H>
struct OwnedList : std::vector<H> {
    OwnedList() = default;
    OwnedList(std::initializer_list<H> values) : OwnedList(wg::convert<OwnedList>(values)) {}
};

template <class H>
struct Convert<OwnedList<H>> {
    template <class From>
    static OwnedList<H> from(From &&value) {
        OwnedList<H> out;
        bool is_whole = true;
        for (auto &&element : value) {
            H made = one<From>(element);
            if (has_resource(made)) out.push_back(std::move(made));
            else is_whole = false;
        }
        if (!is_whole) fail(std::move(out));
        return out;
    }

private:
    template <class From, class E>
    static H one(E &element) {
        if constexpr (is_vector<From>::value || std::is_same_v<From, OwnedList<H>>)  // ours alone, elements and all: they may be moved out
            return Convert<H>::unchecked(std::move(element));
        else
            return Convert<H>::unchecked(element);
    }

    [[gnu::cold, gnu::noinline, noreturn]] static void fail(OwnedList<H> &&made) {
        for (H &each : made) CellOf<H>::type::drop_value(each);
        throw no_resource<H>();
    }
};

}  // namespace wg

#endif  // WG_OWNED_LISTS_HPP
