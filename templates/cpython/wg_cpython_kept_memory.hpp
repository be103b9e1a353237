// Memory of Python objects that results keep alive, as arguments of the cpython engine.
// Static: the same for all packages. Included by generated C++ only, where a spec has such parameters.
#ifndef WG_CPYTHON_KEPT_MEMORY_HPP
#define WG_CPYTHON_KEPT_MEMORY_HPP

#include "wg_cpython_arguments.hpp"
#include "wg_gil.hpp"
#include "wg_kept_memory.hpp"

namespace wg::cpython {

/// Memory as `M` takes it, which is exported until the call is over and nothing keeps it alive.
template <class M>
class KeptMemory {
public:
    KeptMemory() = default;
    KeptMemory(const KeptMemory &) = delete;
    KeptMemory &operator=(const KeptMemory &) = delete;
    ~KeptMemory() {
        if (cell_ != nullptr) leave(held());
    }

    bool take(PyObject *value, const char *name) {
        cell_ = new MemoryCell;
        return cell_->memory.take(value, name);
    }
    auto value() const { return cell_->memory.value(); }
    template <class Owners>
    void add_to(Owners &owners) const {
        owners.add(held());
    }

private:
    struct MemoryCell : UsedCell {
        /// The thread may be one of the library's, which has no GIL.
        static void end(Cell &cell) noexcept {
            auto *ended = static_cast<MemoryCell *>(&cell);
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

        M memory;
        static constexpr HandleType own_type = {&end};
    };

    Held held() const { return {cell_, &MemoryCell::own_type}; }

    MemoryCell *cell_ = nullptr;
};

inline PyObject *end_memory(PyObject *, PyObject *) {
    PyThreadState *state = PyEval_SaveThread();
    MemoryOpen::end();
    PyEval_RestoreThread(state);
    Py_RETURN_NONE;
}

/// At import: what is called at the interpreter's end.
inline bool start_memory() {
    static PyMethodDef definition = {"end_memory", &end_memory, METH_NOARGS, nullptr};
    const Strong atexit(PyImport_ImportModule("atexit"));
    const Strong end(PyCFunction_New(&definition, nullptr));
    const Strong none(atexit && end ? PyObject_CallMethod(atexit.get(), "register", "O", end.get()) : nullptr);
    return static_cast<bool>(none);
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_KEPT_MEMORY_HPP
