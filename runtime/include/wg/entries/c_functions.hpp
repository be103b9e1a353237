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

// Which of the two it is, is asked where a function stands and not here, since this header may be precompiled: `WG_STUB` is nothing
// in a stub, and else a name without a meaning.
#define WG_C_JOINED(start, end) start##end
#define WG_C_OF(start, end) WG_C_JOINED(start, end)

/// A place of the spec, `spec.wrapper_spec:12`, for messages: by the macro for its line.
#define WG_LINE_SHOWN(line) #line
#define WG_AT_LINE(line) WG_SPEC ":" WG_LINE_SHOWN(line)
#define WG_AT(line) WG_AT_LINE(line)

/// No exception leaves a C function: it becomes this thread's failure, and the function's own "look there" value.
#define WG_C_BODY_WG_STUB(failed, ...) \
    {                                  \
        try {                          \
            WG_IN_CALL                 \
            __VA_ARGS__                \
        }                              \
        WG_FAILED(failed)              \
    }
#define WG_C_BODY_(failed, ...) \
    { return wg::record_unavailable(wg_unavailable), failed; }
#define WG_C_VALUE(result, failed, name, parameters, ...) result name parameters WG_C_OF(WG_C_BODY_, WG_STUB)(failed, __VA_ARGS__)

#define WG_C_END_WG_STUB(handle) wg::drop(handle)
#define WG_C_END_(handle) static_cast<void>(handle)
#define WG_C_DROP(name, handle) \
    void name(handle *wg_h) { WG_C_OF(WG_C_END_, WG_STUB)(wg_h); }
/// The usual results: a new object, and none, where the failure says by itself whether there is one.
#define WG_C_POINTER(result, name, parameters, ...) WG_C_VALUE(result, nullptr, name, parameters, __VA_ARGS__)
#define WG_C_STATUS(name, parameters, ...) WG_C_VALUE(int32_t, wg::failure().kind, name, parameters, __VA_ARGS__ return 0;)

#endif  // WG_ENTRIES_C_FUNCTIONS_HPP
