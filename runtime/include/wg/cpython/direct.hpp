// Functions of CPython that run for each value of many, called through their address rather than through the linker's table of
// calls. To know that address, the loader looks each of them up at once, which is worth it for these few only.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_CPYTHON_DIRECT_HPP
#define WG_CPYTHON_DIRECT_HPP

#if defined(__GNUC__) && __has_attribute(noplt)  // clang has none
#define WG_DIRECT(function) __attribute__((noplt)) decltype(function) function

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wredundant-decls"
extern "C" {
WG_DIRECT(_Py_Dealloc);
WG_DIRECT(PyBytes_FromStringAndSize);
WG_DIRECT(PyDict_New);
WG_DIRECT(PyDict_SetItem);
WG_DIRECT(PyFloat_FromDouble);
WG_DIRECT(PyList_New);
WG_DIRECT(PyLong_FromLong);
WG_DIRECT(PyLong_FromLongLong);
WG_DIRECT(PyLong_FromUnsignedLongLong);
WG_DIRECT(PySet_Add);
WG_DIRECT(PyTuple_New);
WG_DIRECT(PyUnicode_DecodeUTF8);
}
#pragma GCC diagnostic pop

#undef WG_DIRECT
#endif

#endif  // WG_CPYTHON_DIRECT_HPP
