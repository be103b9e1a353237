// Functions of the runtime that are no templates: in each unit that calls them, or compiled once.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_BASE_ONCE_HPP
#define WG_BASE_ONCE_HPP

// A function that takes long to compile, and that no call runs where it matters how long it takes to get there, is written
//
//     WG_ONCE bool refuse(PyObject *value) WG_ELSEWHERE
//     #if WG_HAS_BODIES
//     {
//         ...
//     }
//     #endif
//
// `WG_RUNTIME_APART`: the unit is linked with an object of the runtime, and has declarations of them. `WG_RUNTIME_OBJECT`: that
// object, which has them all. Without either they are inline.
#if defined(WG_RUNTIME_APART)
#define WG_HAS_BODIES 0
#define WG_ONCE
#define WG_ELSEWHERE ;
#elif defined(WG_RUNTIME_OBJECT)
#define WG_HAS_BODIES 1
#define WG_ONCE __attribute__((used)) inline
#define WG_ELSEWHERE
#else
#define WG_HAS_BODIES 1
#define WG_ONCE inline
#define WG_ELSEWHERE
#endif

#endif
