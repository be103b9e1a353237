// Graphs: a C++ library that gives raw pointers, for the tests of `verify`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace graphs {

enum class Order { BreadthFirst, DepthFirst };

/// What calls return that can fail.
enum class Result {
    Fine,
    Missing,   ///< an error: there is no such node
    Circular,  ///< an error: the edge would close a circle
};

/// Describes a result.
const char *describe(Result result);

struct Weight {
    float value;
    std::uint8_t kind;
    std::uint16_t level;
    std::int64_t stamp;
};

struct Limits {
    std::uint32_t nodes;
    std::uint32_t edges;
    double cost;
};

class Graph;

/// A node, which belongs to its graph.
class Node {
public:
    /// The name.
    const std::string &name() const { return name_; }
    /// How many edges leave it.
    unsigned degree() const { return degree_; }
    /// How often it was visited: more than 32 bits.
    std::uint64_t visits() const { return visits_; }
    /// The graph that it is in, which owns it: it must not be deleted.
    Graph *graph() const { return graph_; }

private:
    friend class Graph;
    std::string name_;
    unsigned degree_ = 0;
    std::uint64_t visits_ = 0;
    Graph *graph_ = nullptr;
};

/// What rates nodes.
class Rating {
public:
    explicit Rating(double base) : base_(base) {}
    double of(const Node &node) const { return base_ + node.degree(); }

private:
    double base_;
};

class Graph {
public:
    /// An empty graph.
    Graph();
    ~Graph();
    Graph(const Graph &) = delete;

    /// Adds a node. The graph owns it: the node lives as long as the graph.
    Node *add(const std::string &name);

    /// The node of a name, or nullptr if there is none. It belongs to the graph.
    Node *find(const std::string &name) const;

    /// Connects two nodes. Returns Result::Fine on success.
    Result connect(const Node *source, const Node *target, double weight);

    /// The cost from one node to another one. Returns Result::Fine on success.
    Result cost(const Node *source, const Node *target, double *least, double *most) const;

    /// Rates nodes with this. It is not copied: the rating must outlive the graph.
    void rate_with(const Rating *rating);

    /// Rates nodes with this as well. The graph takes ownership of the rating.
    void adopt(Rating *rating);

    /// Another graph with the same content, which the caller must delete.
    Graph *clone() const;

    /// How many nodes there are.
    std::size_t size() const;

    /// The limits.
    Limits limits() const;
    /// Sets the limits.
    void set_limits(const Limits &limits);

    /// The heaviest edge.
    Weight heaviest() const;

    /// Calls visit for each node before it returns.
    void walk(const std::function<bool(const std::string &)> &visit, Order order) const;

    /// A picture: bytes.
    std::vector<unsigned char> picture(int width, int height) const;

    /// The number of edges between two levels.
    int edges_between(int lower, int upper) const;

private:
    std::vector<std::unique_ptr<Node>> nodes_;
    Limits limits_{10, 20, 0.5};
    const Rating *rating_ = nullptr;
    std::unique_ptr<Rating> own_;
};

/// Reads a graph from text. The caller must delete it.
Graph *parse(const std::string &text);

}  // namespace graphs
