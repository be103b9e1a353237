// Where the runtime makes a call: wg/calls/explained_calls.hpp, which no package includes, lets the compiler name it.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_BASE_EXPLAINED_HPP
#define WG_BASE_EXPLAINED_HPP

#ifdef WG_CALLS_EXPLAINED_CALLS_HPP
#define WG_EXPLAINED_READING(F, Reading, Result, ...) static_cast<void>(wg::explains_reading<F, Reading, Result, wg::explained::Given<__VA_ARGS__>>());
#define WG_EXPLAINED_PLAIN(Call, Result, ...) static_cast<void>(wg::explains_plain<Call, Result, wg::explained::Given<__VA_ARGS__>>());
#else
#define WG_EXPLAINED_READING(F, Reading, Result, ...)
#define WG_EXPLAINED_PLAIN(Call, Result, ...)
#endif

#endif  // WG_BASE_EXPLAINED_HPP
