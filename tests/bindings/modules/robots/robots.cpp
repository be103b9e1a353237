// A module of nanobind: properties, policies, classes that Python overrides, arrays, overloads and placement constructors.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/operators.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <nanobind/trampoline.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace robots {

struct Pose {
    float x = 0, y = 0, angle = 0;
    bool operator==(const Pose &other) const { return x == other.x && y == other.y && angle == other.angle; }
    Pose operator+(const Pose &other) const { return {x + other.x, y + other.y, angle + other.angle}; }
};

enum class State : std::uint8_t { Idle, Moving, Failed };
enum Access { Read = 1, Write = 2 };

struct RobotError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Controller {
public:
    virtual ~Controller() = default;
    virtual float speed(float distance) const { return distance / 2; }
    virtual bool allows(const Pose &to) = 0;
};

class Robot {
public:
    Robot(std::string name, Pose start) : name(std::move(name)), pose_(start) {}
    void move(float x, float y) {
        if (x < 0) throw RobotError("behind the wall");
        pose_.x += x;
        pose_.y += y;
        state = State::Moving;
    }
    void move(const Pose &to) { pose_ = to; }
    Pose &pose() { return pose_; }
    bool drive(Controller &by, const Pose &to) {
        if (!by.allows(to)) return false;
        last_speed = by.speed(to.x - pose_.x);
        pose_ = to;
        return true;
    }
    Robot *leader = nullptr;
    void follow(Robot *other) { leader = other; }
    std::vector<float> path() const { return {pose_.x, pose_.y}; }
    std::string name;
    State state = State::Idle;
    std::optional<float> last_speed;
    std::map<std::string, int> sensors;

private:
    Pose pose_;
};

class Fleet {
public:
    Robot &add(const std::string &name) {
        robots_.push_back(new Robot(name, {}));
        return *robots_.back();
    }
    ~Fleet() {
        for (Robot *each : robots_) delete each;
    }
    Fleet() = default;
    Fleet(const Fleet &) = delete;
    std::size_t size() const { return robots_.size(); }
    Robot *get(std::size_t i) { return i < robots_.size() ? robots_[i] : nullptr; }
    std::vector<Robot *>::const_iterator begin() const { return robots_.begin(); }
    std::vector<Robot *>::const_iterator end() const { return robots_.end(); }

private:
    std::vector<Robot *> robots_;
};

struct Counter {
    explicit Counter(int from) : count(from) {}
    int operator()(int by) { return count += by; }
    int count;
    static int made() { return 7; }
};

inline float length(const std::vector<float> &path) {
    float sum = 0;
    for (float each : path) sum += each;
    return sum;
}
inline Robot *clone(const Robot &robot) { return new Robot(robot.name + " 2", {}); }
inline std::pair<int, std::string> version() { return {2, "two"}; }

}  // namespace robots

using robots::Pose;
using robots::Robot;

struct PyController : robots::Controller {
    NB_TRAMPOLINE(robots::Controller, 2);
    float speed(float distance) const override { NB_OVERRIDE(speed, distance); }
    bool allows(const Pose &to) override { NB_OVERRIDE_PURE(allows, to); }
};

NB_MODULE(robots, m) {
    m.doc() = "Robots that move.";

    nb::class_<Pose>(m, "Pose")
        .def(nb::init<>())
        .def("__init__", [](Pose *pose, float x, float y, float angle) { new (pose) Pose{x, y, angle}; }, "x"_a, "y"_a = 0.f, "angle"_a = 0.f)
        .def_rw("x", &Pose::x)
        .def_rw("y", &Pose::y, "Upwards.")
        .def_ro("angle", &Pose::angle)
        .def(nb::self + nb::self)
        .def(nb::self == nb::self)
        .def("__repr__", [](const Pose &pose) { return "Pose(" + std::to_string(int(pose.x)) + ")"; });

    nb::enum_<robots::State>(m, "State", "What a robot does.")
        .value("IDLE", robots::State::Idle, "It waits.")
        .value("MOVING", robots::State::Moving)
        .value("FAILED", robots::State::Failed);
    nb::enum_<robots::Access>(m, "Access", nb::is_arithmetic(), nb::is_flag()).value("Read", robots::Read).value("Write", robots::Write).export_values();

    nb::exception<robots::RobotError>(m, "RobotError", PyExc_ValueError);

    nb::class_<robots::Controller, PyController>(m, "Controller")
        .def(nb::init<>())
        .def("speed", &robots::Controller::speed, "distance"_a)
        .def("allows", &robots::Controller::allows, "to"_a);

    nb::class_<Robot>(m, "Robot", "A robot.")
        .def(nb::init<std::string, Pose>(), nb::arg("name"), nb::arg("start") = Pose{1, 2, 0})
        .def("move", nb::overload_cast<float, float>(&Robot::move), "x"_a, "y"_a = 0.0f, "Moves it.")
        .def("move", nb::overload_cast<const Pose &>(&Robot::move), "to"_a)
        .def("drive", &Robot::drive, "by"_a, "to"_a)
        .def("follow", &Robot::follow, "other"_a.none(), nb::keep_alive<1, 2>())
        .def("path", &Robot::path, nb::call_guard<nb::gil_scoped_release>())
        .def_rw("name", &Robot::name)
        .def_rw("state", &Robot::state)
        .def_ro("last_speed", &Robot::last_speed)
        .def_rw("sensors", &Robot::sensors)
        .def_ro("leader", &Robot::leader)
        .def_prop_ro("pose", &Robot::pose, nb::rv_policy::reference_internal)
        .def_prop_rw(
            "x", [](Robot &robot) { return robot.pose().x; }, [](Robot &robot, float x) { robot.pose().x = x; }, "How far to the right.");

    nb::class_<robots::Fleet>(m, "Fleet")
        .def(nb::init<>())
        .def("add", &robots::Fleet::add, "name"_a, nb::rv_policy::reference_internal)
        .def("get", &robots::Fleet::get, "i"_a, nb::rv_policy::reference_internal)
        .def("__len__", &robots::Fleet::size)
        .def("names", [](const robots::Fleet &fleet) {
            std::vector<std::string> out;
            for (const Robot *each : fleet) out.push_back(each->name);
            return out;
        });

    nb::class_<robots::Counter>(m, "Counter")
        .def(nb::init<int>(), "start"_a = 0)
        .def("__call__", &robots::Counter::operator(), "by"_a = 1)
        .def_static("made", &robots::Counter::made)
        .def("__getstate__", [](const robots::Counter &c) { return nb::make_tuple(c.count); });

    m.def("length", &robots::length, "path"_a);
    m.def("farthest", [](const std::vector<Pose> &poses, std::optional<Pose> from) {
        Pose out = from ? *from : Pose();
        for (const Pose &each : poses)
            if (each.x > out.x) out = each;
        return out;
    }, "poses"_a, "from"_a = nb::none());
    m.def("shifted", [](const Pose &pose, const std::array<float, 2> &by) { return Pose{pose.x + by[0], pose.y + by[1], 0}; });
    m.def("known", [](bool is_known) { return is_known ? std::optional<Pose>(Pose{1, 2, 3}) : std::nullopt; });
    m.def("clone", &robots::clone, "robot"_a, nb::rv_policy::take_ownership);
    m.def("version", &robots::version);
    m.def("apply", [](const std::function<int(int)> &f, int times) {
        int out = 1;
        for (int i = 0; i < times; ++i) out = f(out);
        return out;
    }, "f"_a, "times"_a = 3);
    m.def("mean", [](nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu> values) {
        float sum = 0;
        for (size_t i = 0; i < values.shape(0); ++i) sum += values(i);
        return values.size() == 0 ? 0 : sum / values.shape(0);
    });
    m.def("clear", [](nb::ndarray<double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu> points) {
        for (size_t i = 0; i < points.shape(0); ++i)
            for (size_t j = 0; j < 3; ++j) points(i, j) = 0;
    });
    m.def("grid", [](size_t rows, size_t cols) {
        float *data = new float[rows * cols];
        for (size_t i = 0; i < rows * cols; ++i) data[i] = static_cast<float>(i);
        nb::capsule owner(data, [](void *p) noexcept { delete[] static_cast<float *>(p); });
        return nb::ndarray<nb::numpy, float, nb::ndim<2>>(data, {rows, cols}, owner);
    });
    m.def("raw", [](nb::bytes data) { return nb::bytes(data.c_str(), data.size() / 2); });
    m.attr("LIMIT") = 1.5;
}
