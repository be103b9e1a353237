// Paths between Python and C++: from a str or an os.PathLike of one, to a pathlib.Path.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_CPYTHON_PATHS_HPP
#define WG_CPYTHON_PATHS_HPP

#include "wg/cpython/containers.hpp"
#include "wg/types/paths.hpp"

namespace wg::cpython {

template <>
struct FromPython<types::Path> {
    static constexpr const char *wanted = "a str or os.PathLike";

    static bool quick(PyObject *value, Path &out, bool = false) {
        std::string_view ascii;
        if (!python::ascii(value, ascii) || ascii.find('\0') != std::string_view::npos) return false;
        out = Path(path_of(ascii));
        return true;
    }
    [[gnu::noinline]] static bool take(PyObject *value, Path &out, Call &call) {
        if (PyUnicode_Check(value)) {
            if (call.is_strict && !PyUnicode_CheckExact(value)) return call.refuse(wanted, value);
            return encoded(value, out, call);
        }
        if (PyObject_HasAttrString(reinterpret_cast<PyObject *>(Py_TYPE(value)), "__fspath__") == 0) return call.refuse(wanted, value);
        const Strong text(PyOS_FSPath(value));
        if (!text) return call.raised();
        return PyUnicode_Check(text.get()) ? encoded(text.get(), out, call) : call.refuse(wanted, text.get());
    }

private:
    static bool encoded(PyObject *text, Path &out, Call &call) {
        const Strong bytes(PyUnicode_EncodeFSDefault(text));
        char *data = nullptr;
        Py_ssize_t size = 0;
        if (!bytes || PyBytes_AsStringAndSize(bytes.get(), &data, &size) != 0) return call.raised();
        const std::string_view native(data, static_cast<std::size_t>(size));
        if (native.find('\0') != std::string_view::npos) return call.refuse("embedded null character", text, Refusal::Reason::value);
        out = Path(path_of(native));
        return true;
    }
};

template <>
struct ToPython<types::Path> {
    static PyObject *give(const Path &value, const Owners &) {
        static Imported kind;
        PyObject *path = kind.get("pathlib", "Path");
        const std::string &native = bytes_of(value);
        const Strong text(path == nullptr ? nullptr : PyUnicode_DecodeFSDefaultAndSize(native.data(), static_cast<Py_ssize_t>(native.size())));
        return text ? PyObject_CallFunctionObjArgs(path, text.get(), nullptr) : nullptr;
    }
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_PATHS_HPP
