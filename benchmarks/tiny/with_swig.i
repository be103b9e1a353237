%module with_swig
%{
#include <stdexcept>
#include <vector>

#include "tiny.hpp"

static int64_t tiny_Counter_value_get(tiny::Counter *counter) { return counter->get(); }
static double total_of_list(const std::vector<double> &values) { return tiny::total(values.data(), values.size()); }
static double total(const void *memory, size_t bytes) {
    return tiny::total(static_cast<const double *>(memory), bytes / sizeof(double));
}
%}
%include <stdint.i>
%include <std_string.i>
%include <std_vector.i>
%include <exception.i>
%include <pybuffer.i>
%template(Doubles) std::vector<double>;

%exception {
    try {
        $action
    } catch (const std::exception &e) {
        SWIG_exception(SWIG_RuntimeError, e.what());
    }
}

%pybuffer_binary(const void *memory, size_t bytes);
double total(const void *memory, size_t bytes);
double total_of_list(const std::vector<double> &values);

namespace tiny {

class Counter {
public:
    explicit Counter(int64_t start);
    ~Counter();
    int64_t get() const;
    int64_t add(int64_t step);
    bool positive() const;
    Counter clone() const;
    void need(int64_t least) const;
    %extend {
        const int64_t value;
    }
};

int64_t alive();
int64_t add(int64_t a, int64_t b);
double scale(double x, double factor);
std::string upper(const std::string &text);

}  // namespace tiny
