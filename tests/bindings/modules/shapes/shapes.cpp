// A module of pybind11 with classes that derive from each other, that Python overrides, operators, an enum and errors.
#include <pybind11/operators.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace py = pybind11;
using namespace pybind11::literals;

namespace geo {

struct Vec {
    double x = 0, y = 0;
    Vec() = default;
    Vec(double x, double y) : x(x), y(y) {}
    Vec operator+(const Vec &other) const { return {x + other.x, y + other.y}; }
    Vec operator-(const Vec &other) const { return {x - other.x, y - other.y}; }
    Vec operator-() const { return {-x, -y}; }
    Vec operator*(double by) const { return {x * by, y * by}; }
    double operator*(const Vec &other) const { return x * other.x + y * other.y; }
    Vec &operator+=(const Vec &other) { return *this = *this + other; }
    bool operator==(const Vec &other) const { return x == other.x && y == other.y; }
    bool operator!=(const Vec &other) const { return !(*this == other); }
    double norm() const { return std::sqrt(x * x + y * y); }
    static Vec unit(double angle) { return {std::cos(angle), std::sin(angle)}; }
};
inline Vec operator*(double by, const Vec &v) { return v * by; }

enum class Color { Red = 1, Green = 2, Blue = 4 };
enum Style { Plain, Dotted };

class GeometryError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Shape {
public:
    Shape(std::string name, Color color = Color::Red) : name_(std::move(name)), color(color) {}
    virtual ~Shape() = default;
    virtual double area() const = 0;
    virtual std::string describe(int digits) const { return name_ + " of " + std::to_string(area()).substr(0, digits); }
    const std::string &name() const { return name_; }
    void set_name(const std::string &name) {
        if (name.empty()) throw std::invalid_argument("a name is needed");
        name_ = name;
    }
    Vec &center() { return center_; }

protected:
    std::string name_;
    Vec center_;

public:
    Color color;
};

class Circle : public Shape {
public:
    explicit Circle(double radius) : Shape("circle"), radius(radius) {
        if (radius < 0) throw GeometryError("a radius is not negative");
    }
    double area() const override { return 3 * radius * radius; }
    void scale(double by) { radius *= by; }
    void scale(const std::string &word) { radius *= word == "twice" ? 2 : 1; }
    double radius;
};

class Square : public Shape {
public:
    explicit Square(double side) : Shape("square"), side_(side) {}
    double area() const override { return side_ * side_; }

private:
    double side_;
};

inline double total(const std::vector<std::shared_ptr<Shape>> &shapes) {
    double sum = 0;
    for (const auto &each : shapes) sum += each->area();
    return sum;
}
inline std::shared_ptr<Shape> largest(std::shared_ptr<Shape> a, std::shared_ptr<Shape> b) { return a->area() < b->area() ? b : a; }
inline std::string text_of(Color color) { return color == Color::Red ? "red" : "other"; }

}  // namespace geo

class PyShape : public geo::Shape {
public:
    using geo::Shape::Shape;
    double area() const override { PYBIND11_OVERRIDE_PURE(double, geo::Shape, area, ); }
    std::string describe(int digits) const override { PYBIND11_OVERRIDE(std::string, geo::Shape, describe, digits); }
};

static double twice(double x) { return 2 * x; }

void bind_tools(py::module_ &m) {
    m.def("twice", &twice, "x"_a, "Twice a number.");
    m.def("clamp", [](double x, double low, double high) { return x < low ? low : x > high ? high : x; }, "x"_a, py::kw_only(), "low"_a = 0.0, "high"_a = 1.0);
}

PYBIND11_MODULE(shapes, m) {
    m.doc() = "Shapes in the plane.";

    py::enum_<geo::Color>(m, "Color", py::arithmetic(), "Colors of shapes.")
        .value("Red", geo::Color::Red)
        .value("Green", geo::Color::Green)
        .value("Blue", geo::Color::Blue);
    py::enum_<geo::Style>(m, "Style").value("Plain", geo::Plain).value("Dotted", geo::Dotted).export_values();

    py::register_exception<geo::GeometryError>(m, "GeometryError", PyExc_ValueError);

    py::class_<geo::Vec>(m, "Vec", "A vector of the plane.")
        .def(py::init<>())
        .def(py::init<double, double>(), py::arg("x"), py::arg("y") = 0.0)
        .def_readwrite("x", &geo::Vec::x)
        .def_readwrite("y", &geo::Vec::y)
        .def_property_readonly("norm", &geo::Vec::norm)
        .def_static("unit", &geo::Vec::unit, py::arg("angle"))
        .def(py::self + py::self)
        .def(py::self - py::self)
        .def(-py::self)
        .def(py::self * double())
        .def(double() * py::self)
        .def(py::self * py::self)
        .def(py::self += py::self)
        .def(py::self == py::self)
        .def(py::self != py::self)
        .def("__repr__", [](const geo::Vec &v) { return "Vec(" + std::to_string(int(v.x)) + ", " + std::to_string(int(v.y)) + ")"; })
        .def("__len__", [](const geo::Vec &) { return 2; })
        .def("__getitem__",
             [](const geo::Vec &v, int i) {
                 if (i < 0 || i > 1) throw py::index_error("a vector has two coordinates");
                 return i == 0 ? v.x : v.y;
             })
        .def(py::pickle([](const geo::Vec &v) { return py::make_tuple(v.x, v.y); },
                        [](py::tuple t) { return geo::Vec(t[0].cast<double>(), t[1].cast<double>()); }));

    py::class_<geo::Shape, PyShape, std::shared_ptr<geo::Shape>>(m, "Shape")
        .def(py::init<std::string, geo::Color>(), py::arg("name"), py::arg("color") = geo::Color::Red)
        .def("area", &geo::Shape::area, "How large it is.")
        .def("describe", &geo::Shape::describe, py::arg("digits") = 4)
        .def_property("name", &geo::Shape::name, &geo::Shape::set_name)
        .def_readwrite("color", &geo::Shape::color)
        .def_property_readonly("center", &geo::Shape::center);

    py::class_<geo::Circle, geo::Shape, std::shared_ptr<geo::Circle>>(m, "Circle")
        .def(py::init<double>(), py::arg("radius"))
        .def_readonly("radius", &geo::Circle::radius)
        .def("scale", py::overload_cast<double>(&geo::Circle::scale), py::arg("by"))
        .def("scale", py::overload_cast<const std::string &>(&geo::Circle::scale), py::arg("word"));

    py::class_<geo::Square, geo::Shape, std::shared_ptr<geo::Square>>(m, "Square")
        .def(py::init([](double side) { return std::make_shared<geo::Square>(side); }), py::arg("side"));

    m.def("total", &geo::total, py::arg("shapes"), py::call_guard<py::gil_scoped_release>());
    m.def("largest", &geo::largest, py::arg("a"), py::arg("b"));
    m.def("text_of", &geo::text_of);
    m.def("twice", [](const std::string &text) { return text + text; });

    py::module_ tools = m.def_submodule("tools", "Helpers.");
    bind_tools(tools);
    m.attr("VERSION") = "1.2";
    m.attr("LIMIT") = 64;
}
