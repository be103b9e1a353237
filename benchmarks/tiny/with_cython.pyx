# cython: language_level=3, boundscheck=False, wraparound=False
# distutils: language=c++
# As Cython's own documentation has it: cdef classes, typed memoryviews, a typed list.
cimport cython
from libc.stdint cimport int64_t
from libcpp cimport bool as cpp_bool
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "tiny.hpp" namespace "tiny":
    cdef cppclass CppCounter "tiny::Counter":
        CppCounter(int64_t) except +
        CppCounter(const CppCounter &) except +
        int64_t get() except +
        int64_t add(int64_t) except +
        cpp_bool positive() except +
        CppCounter clone() except +
        void need(int64_t) except +
    int64_t cpp_alive "tiny::alive" () except +
    int64_t cpp_add "tiny::add" (int64_t, int64_t) except +
    double cpp_scale "tiny::scale" (double, double) except +
    double cpp_total "tiny::total" (const double *, size_t) except +
    string cpp_upper "tiny::upper" (const string &) except +


def alive():
    return cpp_alive()


def add(int64_t a, int64_t b):
    return cpp_add(a, b)


def scale(double x, double factor):
    return cpp_scale(x, factor)


def total(const double[::1] values):
    return cpp_total(&values[0], values.shape[0])


def total_of_list(list values not None):
    cdef vector[double] numbers
    cdef double number
    numbers.reserve(len(values))
    for number in values:
        numbers.push_back(number)
    return cpp_total(numbers.data(), numbers.size())


def upper(str text not None):
    cdef string out = cpp_upper(text.encode())
    return out.decode()


@cython.final
@cython.freelist(8)
cdef class Counter:
    cdef CppCounter *counter

    def __cinit__(self, int64_t start=0, bint empty=False):
        if not empty:
            self.counter = new CppCounter(start)

    def __dealloc__(self):
        del self.counter

    def get(self):
        return self.counter.get()

    @property
    def value(self):
        return self.counter.get()

    def add(self, int64_t step):
        return self.counter.add(step)

    def positive(self):
        return self.counter.positive()

    def clone(self):
        cdef Counter copy = Counter.__new__(Counter, 0, True)
        copy.counter = new CppCounter(self.counter.clone())
        return copy

    def need(self, int64_t least):
        self.counter.need(least)
