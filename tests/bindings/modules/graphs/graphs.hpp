// A library of its own: graphs of nodes that are shared.
#pragma once
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace graphs {

using Weight = double;

class Node : public std::enable_shared_from_this<Node> {
public:
    explicit Node(std::string name) : name(std::move(name)) {}
    virtual ~Node() = default;
    virtual std::string kind() const { return "node"; }
    std::string name;
    std::vector<std::shared_ptr<Node>> next;
};

class Leaf final : public Node {
public:
    Leaf(std::string name, Weight weight) : Node(std::move(name)), weight(weight) {}
    std::string kind() const override { return "leaf"; }
    Weight weight;
};

struct Edge {
    std::size_t from, to;
    bool operator==(const Edge &other) const { return from == other.from && to == other.to; }
    bool operator<(const Edge &other) const { return from < other.from; }
};

class Path {
public:
    void add(Edge edge) { edges_.push_back(edge); }
    std::size_t size() const { return edges_.size(); }
    const Edge &operator[](std::size_t i) const { return edges_.at(i); }
    auto begin() const { return edges_.begin(); }
    auto end() const { return edges_.end(); }

private:
    std::vector<Edge> edges_;
};

class Graph {
public:
    static Graph chain(int length) {
        Graph out;
        for (int i = 0; i < length; ++i) out.add(std::make_shared<Node>("n" + std::to_string(i)));
        return out;
    }
    void add(std::shared_ptr<Node> node) { nodes_.push_back(std::move(node)); }
    std::shared_ptr<Node> find(const std::string &name) const {
        for (const auto &each : nodes_)
            if (each->name == name) return each;
        return nullptr;
    }
    std::shared_ptr<Node> operator[](const std::string &name) const {
        if (auto found = find(name)) return found;
        throw std::out_of_range("no node " + name);
    }
    const std::vector<std::shared_ptr<Node>> &nodes() const { return nodes_; }
    std::size_t size() const { return nodes_.size(); }
    std::unique_ptr<Path> path() const {
        auto out = std::make_unique<Path>();
        for (std::size_t i = 1; i < nodes_.size(); ++i) out->add({i - 1, i});
        return out;
    }
    double length(std::unique_ptr<Path> path, Weight scale) const { return static_cast<double>(path->size()) * scale; }

private:
    std::vector<std::shared_ptr<Node>> nodes_;
};

template <class T>
class Box {
public:
    explicit Box(T value) : value(std::move(value)) {}
    const T &get() const { return value; }
    void set(const T &to) { value = to; }
    T value;
};

}  // namespace graphs
