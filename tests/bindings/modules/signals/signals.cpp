// A module of pybind11 with NumPy's arrays, buffers, iterators and calls without the GIL.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace py = pybind11;
namespace dsp {

/// Samples of one channel.
class Signal {
public:
    Signal(std::size_t size, double rate) : samples_(size), rate_(rate) {}
    explicit Signal(const std::vector<double> &samples) : samples_(samples), rate_(1) {}
    double *data() { return samples_.data(); }
    const double *data() const { return samples_.data(); }
    std::size_t size() const { return samples_.size(); }
    double rate() const { return rate_; }
    void set_rate(double rate) { rate_ = rate; }
    double &operator[](std::size_t i) { return samples_[i]; }
    double operator[](std::size_t i) const { return samples_[i]; }
    std::vector<double>::const_iterator begin() const { return samples_.begin(); }
    std::vector<double>::const_iterator end() const { return samples_.end(); }
    double mean() const { return std::accumulate(begin(), end(), 0.0) / static_cast<double>(size()); }
    void push(double sample) { samples_.push_back(sample); }

private:
    std::vector<double> samples_;
    double rate_;
};

class Image {
public:
    Image(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), pixels_(rows * cols) {}
    float *data() { return pixels_.data(); }
    std::size_t rows() const { return rows_; }
    std::size_t cols() const { return cols_; }

private:
    std::size_t rows_, cols_;
    std::vector<float> pixels_;
};

struct Spectrum {
    std::map<std::string, double> bands;
    std::complex<double> phase{0, 1};
};

inline double energy(const double *samples, std::size_t size) {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += samples[i] * samples[i];
    return sum;
}

}  // namespace dsp

double gain(double x, double by) { return x * by; }

double power(py::array_t<double> samples) {
    py::buffer_info info = samples.request();
    if (info.ndim != 1) throw std::runtime_error("one dimension is needed");
    return dsp::energy(static_cast<double *>(info.ptr), info.size) / static_cast<double>(info.shape[0]);
}

PYBIND11_MODULE(signals, m) {
    m.doc() = R"doc(Signals and images.)doc";

    py::class_<dsp::Signal>(m, "Signal", py::buffer_protocol())
        .def(py::init<std::size_t, double>(), py::arg("size"), py::arg("rate") = 44100.0)
        .def(py::init<const std::vector<double> &>(), py::arg("samples"))
        .def_property("rate", &dsp::Signal::rate, &dsp::Signal::set_rate, "Samples a second.")
        .def("mean", &dsp::Signal::mean, py::call_guard<py::gil_scoped_release>())
        .def("push", &dsp::Signal::push, py::arg("sample"))
        .def("__len__", &dsp::Signal::size)
        .def("__iter__", [](const dsp::Signal &s) { return py::make_iterator(s.begin(), s.end()); }, py::keep_alive<0, 1>())
        .def("__getitem__",
             [](const dsp::Signal &s, std::size_t i) {
                 if (i >= s.size()) throw py::index_error();
                 return s[i];
             })
        .def("__setitem__",
             [](dsp::Signal &s, std::size_t i, double value) {
                 if (i >= s.size()) throw py::index_error();
                 s[i] = value;
             })
        .def("values", [](const dsp::Signal &s) { return std::vector<double>(s.begin(), s.end()); })
        .def_buffer([](dsp::Signal &s) -> py::buffer_info {
            return py::buffer_info(s.data(), sizeof(double), py::format_descriptor<double>::format(), 1, {s.size()}, {sizeof(double)});
        });

    py::class_<dsp::Image>(m, "Image", py::buffer_protocol())
        .def(py::init<std::size_t, std::size_t>(), py::arg("rows"), py::arg("cols"))
        .def_property_readonly("shape", [](const dsp::Image &image) { return py::make_tuple(image.rows(), image.cols()); })
        .def("fill",
             [](dsp::Image &image, float value) {
                 py::gil_scoped_release release;
                 for (std::size_t i = 0; i < image.rows() * image.cols(); ++i) image.data()[i] = value;
             })
        .def_buffer([](dsp::Image &image) -> py::buffer_info {
            return py::buffer_info(
                image.data(), sizeof(float), py::format_descriptor<float>::format(), 2, {image.rows(), image.cols()},
                {sizeof(float) * image.cols(), sizeof(float)});
        });

    py::class_<dsp::Spectrum>(m, "Spectrum")
        .def(py::init<>())
        .def_readwrite("bands", &dsp::Spectrum::bands)
        .def_readwrite("phase", &dsp::Spectrum::phase)
        .def("__setitem__", [](dsp::Spectrum &s, const std::string &name, double value) { s.bands[name] = value; })
        .def("__getitem__",
             [](const dsp::Spectrum &s, const std::string &name) {
                 auto found = s.bands.find(name);
                 if (found == s.bands.end()) throw py::key_error(name);
                 return found->second;
             })
        .def("items", [](dsp::Spectrum &s) { return py::make_iterator(s.bands.begin(), s.bands.end()); }, py::keep_alive<0, 1>());

    m.def("power", &power, py::arg("samples"));
    m.def("gain", py::vectorize(gain));
    m.def(
        "total",
        [](py::array_t<double, py::array::c_style | py::array::forcecast> values) {
            auto r = values.unchecked<1>();
            double sum = 0;
            for (py::ssize_t i = 0; i < r.shape(0); i++) sum += r(i);
            return sum;
        },
        py::arg("values"));
    m.def("trace", [](const py::array_t<float> &matrix) {
        auto r = matrix.unchecked<2>();
        float sum = 0;
        for (py::ssize_t i = 0; i < std::min(r.shape(0), r.shape(1)); ++i) sum += r(i, i);
        return sum;
    });
    m.def("scale", [](py::array_t<double> values, double by) {
        auto r = values.mutable_unchecked<1>();
        for (py::ssize_t i = 0; i < r.shape(0); ++i) r(i) *= by;
    });
    m.def("ramp", [](int n) {
        py::array_t<int> result(n);
        auto r = result.mutable_unchecked<1>();
        for (int i = 0; i < n; ++i) r(i) = i;
        return result;
    });
    m.def("outer", [](py::array_t<double> a, py::array_t<double> b) {
        auto left = a.unchecked<1>(), right = b.unchecked<1>();
        auto result = py::array_t<double>({a.size(), b.size()});
        auto out = result.mutable_unchecked<2>();
        for (py::ssize_t i = 0; i < left.shape(0); ++i)
            for (py::ssize_t j = 0; j < right.shape(0); ++j) out(i, j) = left(i) * right(j);
        return result;
    });
    m.def("doubled", [](py::array_t<double> values) {
        py::buffer_info info = values.request();
        auto result = py::array_t<double>(info.size);
        py::buffer_info made = result.request();
        const double *from = static_cast<double *>(info.ptr);
        double *to = static_cast<double *>(made.ptr);
        for (py::ssize_t i = 0; i < info.shape[0]; ++i) to[i] = 2 * from[i];
        return result;
    });
    m.def("stats", [](py::array_t<double> values) {
        double low = values.at(0), high = values.at(0);
        for (py::ssize_t i = 0; i < values.size(); ++i) low = std::min(low, values.data()[i]), high = std::max(high, values.at(i));
        return std::make_pair(low, high);
    });
    m.def("rotate", [](std::complex<double> z) { return z * std::complex<double>(0, 1); });
    m.def("bits", [](const py::bytes &data) {
        std::string text = data;
        return text.size() * 8;
    });
}
