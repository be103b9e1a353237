// Arguments that results keep alive: memory of Python objects, and lists.
// Static: the same for all packages. Included by generated C++ only, where a spec has such parameters.
#ifndef WG_CPYTHON_KEPT_ARGUMENTS_HPP
#define WG_CPYTHON_KEPT_ARGUMENTS_HPP

#include <optional>
#include <type_traits>
#include <utility>

#include "wg/base/once.hpp"
#include "wg/cpython/arguments.hpp"
#include "wg/base/gil.hpp"
#include "wg/ownership/kept_memory.hpp"

namespace wg::cpython {

/// An argument as `A` takes it: memory is exported, a list is there, until the call is over and nothing keeps it alive.
template <class A>
class KeptArgument {
public:
    KeptArgument() = default;
    KeptArgument(const KeptArgument &) = delete;
    KeptArgument &operator=(const KeptArgument &) = delete;
    ~KeptArgument() {
        if (cell_ != nullptr) leave(held());
    }

    bool take(PyObject *value, const char *name) {
        cell_ = new ArgumentCell;
        if (!cell_->argument.take(value, name)) return false;
        if constexpr (!std::is_reference_v<Value>) cell_->value.emplace(cell_->argument.value());
        return true;
    }
    decltype(auto) value() const {
        if constexpr (std::is_reference_v<Value>) return cell_->argument.value();
        else return (*cell_->value);
    }
    template <class Owners>
    void add_to(Owners &owners) const {
        owners.add(held());
    }

private:
    using Value = decltype(std::declval<A &>().value());

    struct ArgumentCell : UsedCell {
        /// The thread may be one of the library's, which has no GIL.
        static void end(Cell &cell) noexcept {
            auto *ended = static_cast<ArgumentCell *>(&cell);
            const MemoryOpen open;
            if (!open) return;  // the exporter stays to the end of the process
            if (gil::is_here()) {
                delete ended;
                return;
            }
            const PyGILState_STATE before = PyGILState_Ensure();
            delete ended;
            PyGILState_Release(before);
        }

        A argument;
        std::optional<std::decay_t<Value>> value;  // where the argument only makes one
        static constexpr HandleType own_type = type_of_argument(&end);
    };

    Held held() const { return {cell_, &ArgumentCell::own_type}; }

    ArgumentCell *cell_ = nullptr;
};

inline PyObject *end_memory(PyObject *, PyObject *) {
    PyThreadState *state = PyEval_SaveThread();
    MemoryOpen::end();
    PyEval_RestoreThread(state);
    Py_RETURN_NONE;
}

/// At import: what is called at the interpreter's end.
WG_ONCE bool start_memory() WG_ELSEWHERE
#if WG_HAS_BODIES
{
    static PyMethodDef definition = {"end_memory", &end_memory, METH_NOARGS, nullptr};
    const Strong atexit(PyImport_ImportModule("atexit"));
    const Strong end(PyCFunction_New(&definition, nullptr));
    const Strong none(atexit && end ? PyObject_CallMethod(atexit.get(), "register", "O", end.get()) : nullptr);
    return static_cast<bool>(none);
}
#endif

}  // namespace wg::cpython

#endif  // WG_CPYTHON_KEPT_ARGUMENTS_HPP
