// Where the runtime makes a call: wg/calls/explained_calls.hpp, which no package includes, lets the compiler name it.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_BASE_EXPLAINED_HPP
#define WG_BASE_EXPLAINED_HPP

#ifndef WG_EXPLAINED_READING
#define WG_EXPLAINED_READING(F, Reading, Result, ...)
#define WG_EXPLAINED_PLAIN(Call, Result, ...)
#endif

#endif  // WG_BASE_EXPLAINED_HPP
