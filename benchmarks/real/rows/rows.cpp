/* The database of rows. */
#include "rows.h"

#include <deque>
#include <string>
#include <unordered_map>

struct rows_row {
    int64_t id;
    std::string name;
    double score;
    rows_row *next, *previous;
};

struct rows_db {
    std::string name;
    std::deque<rows_row> memory;
    std::unordered_map<int64_t, rows_row *> by_id;
    rows_row *first = nullptr, *last = nullptr;
};

struct rows_query {
    double least;
    rows_row *next, *at;
};

extern "C" {

rows_db *rows_open(const char *name) { return *name == 0 ? nullptr : new rows_db{name, {}, {}}; }
void rows_close(rows_db *db) { delete db; }
const char *rows_name(const rows_db *db) { return db->name.c_str(); }
const char *rows_message(int status) { return status == ROWS_MISSING ? "no such row" : status == ROWS_TWICE ? "there is such a row" : "no error"; }
int64_t rows_count(const rows_db *db) { return static_cast<int64_t>(db->by_id.size()); }

int rows_insert(rows_db *db, int64_t id, const char *name, double score) {
    if (db->by_id.count(id) != 0) return ROWS_TWICE;
    rows_row *row = &db->memory.emplace_back(rows_row{id, name, score, nullptr, db->last});
    (db->last == nullptr ? db->first : db->last->next) = row;
    db->last = db->by_id[id] = row;
    return ROWS_OK;
}

int rows_remove(rows_db *db, int64_t id) {
    const auto found = db->by_id.find(id);
    if (found == db->by_id.end()) return ROWS_MISSING;
    rows_row *row = found->second;
    (row->previous == nullptr ? db->first : row->previous->next) = row->next;
    (row->next == nullptr ? db->last : row->next->previous) = row->previous;
    row->next = row->previous = nullptr;
    db->by_id.erase(found);
    return ROWS_OK;
}

int rows_score(const rows_db *db, int64_t id, double *score) {
    const auto found = db->by_id.find(id);
    if (found == db->by_id.end()) return ROWS_MISSING;
    *score = found->second->score;
    return ROWS_OK;
}

rows_row *rows_find(rows_db *db, int64_t id) {
    const auto found = db->by_id.find(id);
    return found == db->by_id.end() ? nullptr : found->second;
}
rows_row *rows_first(rows_db *db) { return db->first; }
rows_row *rows_match(rows_db *db, int (*wanted)(rows_row *, void *), void *data) {
    for (rows_row *row = db->first; row != nullptr; row = row->next)
        if (wanted(row, data) != 0) return row;
    return nullptr;
}
rows_row *rows_row_next(const rows_row *row) { return row->next; }
int64_t rows_row_id(const rows_row *row) { return row->id; }
const char *rows_row_name(const rows_row *row) { return row->name.c_str(); }
double rows_row_score(const rows_row *row) { return row->score; }
void rows_row_set_score(rows_row *row, double score) { row->score = score; }

rows_query *rows_select(rows_db *db, double least) { return new rows_query{least, db->first, nullptr}; }
void rows_query_free(rows_query *query) { delete query; }
int rows_query_step(rows_query *query) {
    while (query->next != nullptr && query->next->score < query->least) query->next = query->next->next;
    query->at = query->next;
    if (query->at == nullptr) return ROWS_DONE;
    query->next = query->at->next;
    return ROWS_OK;
}
int64_t rows_query_id(const rows_query *query) { return query->at == nullptr ? 0 : query->at->id; }
const char *rows_query_name(const rows_query *query) { return query->at == nullptr ? "" : query->at->name.c_str(); }
double rows_query_score(const rows_query *query) { return query->at == nullptr ? 0 : query->at->score; }

}  // extern "C"
