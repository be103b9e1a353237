// One void * of C's for several callables of one call.
// Static: the same for all packages. Included by generated C++ only, of specs with such calls.
#ifndef WG_CALLBACKS_SHARED_USER_DATA_HPP
#define WG_CALLBACKS_SHARED_USER_DATA_HPP

#include "wg/callbacks/callable_arguments.hpp"

namespace wg {

/// It stands for all of them: each callable's number is so many after it as its place among them says.
struct SharedUserData {
    void *data;

    template <class T, class = std::enable_if_t<std::is_same_v<T, void *> || std::is_same_v<T, const void *>>>
    operator T() const {
        return data;
    }
};

/// Null where none of them is there.
template <class... F>
auto shared_user_data_in(const Callable<F> &...callables) {
    void *data = nullptr;
    if ((static_cast<bool>(callables) || ...)) {
        const std::uintptr_t first = Registry::instance().reserve(sizeof...(F));
        (void(callables ? callables.target()->take_token(first + 2 * F::place) : void()), ...);
        data = reinterpret_cast<void *>(first);
    }
    if constexpr ((F::has_type || ...)) return TypedPart<void *>{data};
    else return CallablePart<SharedUserData>{{data}};
}

}  // namespace wg

#endif  // WG_CALLBACKS_SHARED_USER_DATA_HPP
