// The C function of an entry, which has one text with the library and without it:
//
//     WG_C_STATUS(rt_leveldb_db_compact, (wg_handle_leveldb_db *wg_h), wg::Pin wg_pin(wg_h, "DB"); ...)
//
// Its result, what it returns where it fails, its name and parameters; then its statements. Without the library (`WG_STUB`)
// it says what is missing.
#ifndef WG_ENTRIES_C_FUNCTIONS_HPP
#define WG_ENTRIES_C_FUNCTIONS_HPP

#include "wg/base/failures.hpp"

namespace wg {

/// Records that there is no library; `text` says what is missing.
inline void record_unavailable(const char *text) { record(static_cast<int32_t>(Kind::unavailable), std::nullopt, text, ""); }

}  // namespace wg

#ifdef WG_STUB
#define WG_C_VALUE(result, failed, name, parameters, ...) \
    result name parameters { return wg::record_unavailable(wg_unavailable), failed; }
#define WG_C_DROP(name, handle) \
    void name(handle *wg_h) { static_cast<void>(wg_h); }
#else
/// No exception leaves a C function: it becomes this thread's failure, and the function's own "look there" value.
#define WG_C_VALUE(result, failed, name, parameters, ...) \
    result name parameters {                              \
        try {                                             \
            WG_IN_CALL                                    \
            __VA_ARGS__                                   \
        }                                                 \
        WG_FAILED(failed)                                 \
    }
#define WG_C_DROP(name, handle) \
    void name(handle *wg_h) { wg::drop(wg_h); }
#endif
/// The usual results: a new object, and none, where the failure says by itself whether there is one.
#define WG_C_POINTER(result, name, parameters, ...) WG_C_VALUE(result, nullptr, name, parameters, __VA_ARGS__)
#define WG_C_STATUS(name, parameters, ...) WG_C_VALUE(int32_t, wg::failure().kind, name, parameters, __VA_ARGS__ return 0;)

#endif  // WG_ENTRIES_C_FUNCTIONS_HPP
