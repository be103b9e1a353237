// An index of vectors: what a library for nearest neighbours looks like.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace vectors {

/// A vector of an index.
struct Hit {
    std::int64_t id;
    float distance;
};

/// Vectors of one length, and the nearest of them.
class Index {
public:
    explicit Index(std::int64_t dimension) : dimension_(dimension) {
        if (dimension < 1) throw std::invalid_argument("an index has a dimension");
    }
    std::int64_t dimension() const { return dimension_; }
    std::int64_t size() const { return static_cast<std::int64_t>(data_.size()) / dimension_; }
    float scale() const { return scale_; }
    void set_scale(float scale) { scale_ = scale; }
    void add(const float *vectors, std::int64_t count, std::int64_t width) {
        check(width);
        data_.insert(data_.end(), vectors, vectors + count * width);
    }
    const float *vector(std::int64_t id) const {
        if (id < 0 || id >= size()) throw std::out_of_range("no such vector");
        return at(id);
    }

    Hit nearest(const float *to, std::int64_t width) const {
        check(width);
        Hit best{-1, std::numeric_limits<float>::infinity()};
        for (std::int64_t id = 0; id < size(); ++id) better(best, id, to);
        return best;
    }
    /// The nearest of those that are wanted.
    Hit nearest_if(const float *to, std::int64_t width, const std::function<bool(std::int64_t)> &wanted) const {
        check(width);
        Hit best{-1, std::numeric_limits<float>::infinity()};
        for (std::int64_t id = 0; id < size(); ++id)
            if (wanted(id)) better(best, id, to);
        return best;
    }
    /// For each of `count` vectors the nearest `k`; -1 where there are no more.
    void search(const float *to, std::int64_t count, std::int64_t width, std::int64_t k, float *distances, std::int64_t *labels) const {
        check(width);
        std::vector<std::pair<float, std::int64_t>> all(static_cast<std::size_t>(size()));
        for (std::int64_t i = 0; i < count; ++i) {
            for (std::int64_t id = 0; id < size(); ++id) all[static_cast<std::size_t>(id)] = {distance(id, to + i * dimension_), id};
            const std::int64_t found = std::min(k, size());
            std::partial_sort(all.begin(), all.begin() + found, all.end());
            for (std::int64_t j = 0; j < k; ++j) {
                distances[i * k + j] = j < found ? all[static_cast<std::size_t>(j)].first : std::numeric_limits<float>::infinity();
                labels[i * k + j] = j < found ? all[static_cast<std::size_t>(j)].second : -1;
            }
        }
    }

private:
    void check(std::int64_t width) const {
        if (width != dimension_) throw std::invalid_argument("the vectors of an index have its dimension");
    }
    const float *at(std::int64_t id) const { return data_.data() + id * dimension_; }
    float distance(std::int64_t id, const float *to) const {
        float sum = 0;
        for (std::int64_t i = 0; i < dimension_; ++i) sum += (at(id)[i] - to[i]) * (at(id)[i] - to[i]);
        return sum * scale_;
    }
    void better(Hit &best, std::int64_t id, const float *to) const {
        const float found = distance(id, to);
        if (found < best.distance) best = {id, found};
    }

    std::int64_t dimension_;
    float scale_ = 1;
    std::vector<float> data_;
};

/// Names for the vectors of an index, which it uses.
class Named {
public:
    explicit Named(Index &of) : of_(&of) {}
    std::int64_t size() const { return of_->size(); }
    std::int64_t nearest(const float *to, std::int64_t width) const { return of_->nearest(to, width).id + first_; }
    std::int64_t first() const { return first_; }
    void set_first(std::int64_t first) { first_ = first; }

private:
    Index *of_;
    std::int64_t first_ = 0;
};

}  // namespace vectors
