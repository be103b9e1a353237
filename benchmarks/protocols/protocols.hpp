// A vector of numbers with operators: what classes of C++ libraries look like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace protocols {

class Vector {
public:
    Vector(double x, double y) : x_(x), y_(y) {}
    Vector operator+(const Vector &other) const { return {x_ + other.x_, y_ + other.y_}; }
    Vector operator*(double by) const { return {x_ * by, y_ * by}; }
    Vector &operator+=(const Vector &other) {
        x_ += other.x_;
        y_ += other.y_;
        return *this;
    }
    Vector operator-() const { return {-x_, -y_}; }
    bool operator==(const Vector &other) const { return x_ == other.x_ && y_ == other.y_; }
    bool operator<(const Vector &other) const { return x_ < other.x_; }
    explicit operator bool() const { return x_ != 0 || y_ != 0; }
    double operator()(double t) const { return x_ + t * y_; }
    std::size_t hash() const { return static_cast<std::size_t>(x_) * 31 + static_cast<std::size_t>(y_); }

private:
    double x_, y_;
};

class Numbers {
public:
    explicit Numbers(std::size_t size) : values_(size, 1.5) {}
    std::size_t size() const { return values_.size(); }
    double at(std::size_t i) const { return values_.at(i); }
    double &at(std::size_t i) { return values_.at(i); }
    bool contains(double value) const { return values_[0] == value; }

private:
    std::vector<double> values_;
};

struct Place {
    double x, y;
    std::string name;
    double reach(double by) const { return x * by + y; }
};
inline Place place(const std::string &name) { return {1.5, 0, name}; }

class Shape {
public:
    virtual ~Shape() = default;
    virtual double area(double scale) const = 0;
};

inline double total(const Shape &shape, int times) {
    double sum = 0;
    for (int i = 0; i < times; ++i) sum += shape.area(i);
    return sum;
}

/// Part of a tree, which owns it.
struct Node {
    std::int64_t number = 0;
    Node *below = nullptr, *following = nullptr;

    std::int64_t value() const { return number; }
    Node *first_child() const { return below; }
    Node *next() const { return following; }
};

/// A root with so many children.
class Tree {
public:
    explicit Tree(std::size_t size) : nodes_(size), children_(size) {
        for (std::size_t i = 0; i < size; ++i) {
            nodes_[i].number = static_cast<std::int64_t>(i);
            nodes_[i].below = &nodes_[0];
            nodes_[i].following = &nodes_[(i + 1) % size];
            children_[i] = &nodes_[i];
        }
        root_.below = nodes_.data();
    }
    Node *root() { return &root_; }
    const std::vector<Node *> &children() const { return children_; }
    void clear() { root_.below = nullptr; }

private:
    Node root_;
    std::vector<Node> nodes_;
    std::vector<Node *> children_;
};

}  // namespace protocols
