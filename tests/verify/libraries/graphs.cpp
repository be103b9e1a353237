#include "graphs.hpp"

namespace graphs {

const char *describe(Result result) { return result == Result::Missing ? "missing" : "circular"; }
Graph::Graph() = default;
Graph::~Graph() = default;
Node *Graph::add(const std::string &name) {
    nodes_.push_back(std::make_unique<Node>());
    nodes_.back()->name_ = name;
    nodes_.back()->graph_ = this;
    return nodes_.back().get();
}
Node *Graph::find(const std::string &name) const {
    for (const auto &each : nodes_)
        if (each->name_ == name) return each.get();
    return nullptr;
}
Result Graph::connect(const Node *source, const Node *target, double) {
    if (source == target) return Result::Circular;
    ++const_cast<Node *>(source)->degree_;
    return Result::Fine;
}
Result Graph::cost(const Node *source, const Node *target, double *least, double *most) const {
    if (source == target) return Result::Missing;
    *least = source->degree();
    *most = 10;
    return Result::Fine;
}
void Graph::rate_with(const Rating *rating) { rating_ = rating; }
void Graph::adopt(Rating *rating) { own_.reset(rating); }
Graph *Graph::clone() const {
    auto *made = new Graph;
    for (const auto &each : nodes_) made->add(each->name_);
    return made;
}
std::size_t Graph::size() const { return nodes_.size(); }
Limits Graph::limits() const { return limits_; }
void Graph::set_limits(const Limits &limits) { limits_ = limits; }
Weight Graph::heaviest() const { return {1.5F, 2, 3, 4}; }
void Graph::walk(const std::function<bool(const std::string &)> &visit, Order) const {
    for (const auto &each : nodes_)
        if (!visit(each->name_)) break;
}
std::vector<unsigned char> Graph::picture(int width, int height) const {
    return std::vector<unsigned char>(static_cast<std::size_t>(width * height), 200);
}
int Graph::edges_between(int lower, int upper) const { return upper - lower; }
Graph *parse(const std::string &text) {
    auto *made = new Graph;
    made->add(text);
    return made;
}

}  // namespace graphs
