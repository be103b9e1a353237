// A C++ library in its header, for a test that imports it.
#pragma once
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace plane {

struct bad_path : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class Join { flat, sharp };

/// A pair of numbers.
class Vec {
public:
    Vec(double x, double y = 0) : x(x), y(y) {}
    double norm() const { return std::hypot(x, y); }
    Vec operator+(const Vec &other) const { return {x + other.x, y + other.y}; }
    bool operator==(const Vec &other) const { return x == other.x && y == other.y; }
    double x, y;
};

class Path {
public:
    explicit Path(const std::vector<Vec> &points, Join join = Join::flat) : points_(points), join_(join) {
        if (points.empty()) throw bad_path("a path has points");
    }
    virtual ~Path() = default;
    std::size_t size() const { return points_.size(); }
    Join join() const { return join_; }
    void add(const Vec &point) { points_.push_back(point); }
    std::vector<Vec>::const_iterator begin() const { return points_.begin(); }
    std::vector<Vec>::const_iterator end() const { return points_.end(); }

private:
    std::vector<Vec> points_;
    Join join_;
};

struct Visitor {
    virtual ~Visitor() = default;
    virtual bool visit(const std::string &name, double length) = 0;
};

inline std::shared_ptr<Path> line(const Vec &from, const Vec &to) {
    return std::make_shared<Path>(std::vector<Vec>{from, to});
}

inline int walk(const Path &path, Visitor &visitor) {
    int count = 0;
    for (const Vec &each : path) count += visitor.visit("point", each.norm());
    return count;
}

}  // namespace plane
