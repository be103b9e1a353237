// What `wrapper-gen explain` reads: warnings of the compiler that name the call which was chosen.
#ifndef WG_ENTRIES_EXPLAINED_HPP
#define WG_ENTRIES_EXPLAINED_HPP

#include "wg/calls/argument_order.hpp"

namespace wg {

#ifdef WG_EXPLAIN
/// `Form` is how the call was found, `Units` its arguments in C's order (what it writes follows the others), `Lengths` a bit for each that
/// brings a length; then the C++ types of what goes in, and last of what the call returns.
namespace reported {
struct as_it_is;
struct found;
struct stated_order;
template <std::size_t... unit>
struct units;
template <std::size_t mask>
struct lengths;
template <class... T>
struct given;
}  // namespace reported
template <class Form, class Units, class Lengths, class In, class Result>
[[deprecated("wg-explain")]] constexpr void explain() {}
#define WG_EXPLAINED(...) wg::explain<__VA_ARGS__>();
template <class Order>
struct NamedUnits;
template <std::size_t... unit>
struct NamedUnits<std::index_sequence<unit...>> {
    using type = reported::units<unit...>;
};
template <class Form, class F, class Ins, class Outs, std::size_t mask, class U>
constexpr void explain_reading(Types<Reading<F, Ins, Outs, mask, U>>) {
    explain<Form, typename NamedUnits<U>::type, reported::lengths<mask>, typename Reading<F, Ins, Outs, mask, U>::Asked, typename Reading<F, Ins, Outs, mask, U>::Result>();
}
template <class Form>
constexpr void explain_reading(...) {}
#define WG_EXPLAINED_READING(form, R) wg::explain_reading<form>(R());
#else
#define WG_EXPLAINED(...)
#define WG_EXPLAINED_READING(form, R)
#endif

}  // namespace wg

#endif  // WG_ENTRIES_EXPLAINED_HPP
