// Classes over the database of C, which peers bind: they have no other way to a type that C does not show.
#pragma once

#include <functional>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "rows.h"

struct Failed : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct Missing : Failed {
    using Failed::Failed;
};

inline void check(int status) {
    if (status == ROWS_MISSING) throw Missing(rows_message(status));
    if (status != ROWS_OK) throw Failed(rows_message(status));
}

class Row {
public:
    explicit Row(rows_row *row) : row_(row) {}
    static std::optional<Row> of(rows_row *row) { return row == nullptr ? std::nullopt : std::optional<Row>(row); }
    int64_t id() const { return rows_row_id(row_); }
    const char *name() const { return rows_row_name(row_); }
    double score() const { return rows_row_score(row_); }
    void set_score(double score) { rows_row_set_score(row_, score); }
    std::optional<Row> next() const { return of(rows_row_next(row_)); }

private:
    rows_row *row_;
};

class RowCursor {
public:
    using iterator_category = std::input_iterator_tag;
    using difference_type = std::ptrdiff_t;
    using value_type = Row;
    using pointer = const Row *;
    using reference = Row;

    explicit RowCursor(rows_row *at) : at_(at) {}
    Row operator*() const { return Row(at_); }
    RowCursor &operator++() {
        at_ = rows_row_next(at_);
        return *this;
    }
    bool operator==(const RowCursor &other) const { return at_ == other.at_; }
    bool operator!=(const RowCursor &other) const { return at_ != other.at_; }

private:
    rows_row *at_;
};

class Query {
public:
    explicit Query(rows_query *query) : query_(query) {}
    Query(Query &&other) noexcept : query_(other.query_) { other.query_ = nullptr; }
    ~Query() { rows_query_free(query_); }
    bool step() { return rows_query_step(query_) == ROWS_OK; }
    int64_t id() const { return rows_query_id(query_); }
    const char *name() const { return rows_query_name(query_); }
    double score() const { return rows_query_score(query_); }

private:
    rows_query *query_;
};

class Database {
public:
    explicit Database(const char *name) : db_(rows_open(name)) {
        if (db_ == nullptr) throw std::invalid_argument("a database has a name");
    }
    Database(const Database &) = delete;
    Database &operator=(const Database &) = delete;
    ~Database() { rows_close(db_); }
    const char *name() const { return rows_name(db_); }
    int64_t count() const { return rows_count(db_); }
    void insert(int64_t id, const char *name, double score) { check(rows_insert(db_, id, name, score)); }
    void remove(int64_t id) { check(rows_remove(db_, id)); }
    double score(int64_t id) const {
        double found = 0;
        check(rows_score(db_, id, &found));
        return found;
    }
    std::optional<Row> find(int64_t id) { return Row::of(rows_find(db_, id)); }
    std::optional<Row> first() { return Row::of(rows_first(db_)); }
    std::optional<Row> match(const std::function<bool(Row)> &wanted) {
        // What is thrown goes through C++ only: the library is compiled as such.
        const auto call = [](rows_row *row, void *data) -> int { return (*static_cast<const std::function<bool(Row)> *>(data))(Row(row)); };
        return Row::of(rows_match(db_, call, const_cast<std::function<bool(Row)> *>(&wanted)));
    }
    Query select(double least) { return Query(rows_select(db_, least)); }
    RowCursor begin() const { return RowCursor(rows_first(db_)); }
    RowCursor end() const { return RowCursor(nullptr); }

private:
    rows_db *db_;
};
