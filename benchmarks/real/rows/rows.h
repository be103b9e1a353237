/* A database in memory, as C has it: rows that it owns, statuses, queries. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rows_db rows_db;
typedef struct rows_row rows_row;
typedef struct rows_query rows_query;

enum { ROWS_OK, ROWS_DONE, ROWS_MISSING = -1, ROWS_TWICE = -2 };

rows_db *rows_open(const char *name); /* null for an empty name */
void rows_close(rows_db *db);
const char *rows_name(const rows_db *db);
const char *rows_message(int status);
int64_t rows_count(const rows_db *db);
int rows_insert(rows_db *db, int64_t id, const char *name, double score);
int rows_remove(rows_db *db, int64_t id); /* its memory stays until the database is closed */
int rows_score(const rows_db *db, int64_t id, double *score);

rows_row *rows_find(rows_db *db, int64_t id); /* null where there is none */
rows_row *rows_first(rows_db *db);
rows_row *rows_match(rows_db *db, int (*wanted)(rows_row *row, void *data), void *data);
rows_row *rows_row_next(const rows_row *row);
int64_t rows_row_id(const rows_row *row);
const char *rows_row_name(const rows_row *row);
double rows_row_score(const rows_row *row);
void rows_row_set_score(rows_row *row, double score);

rows_query *rows_select(rows_db *db, double least); /* rows with that score, or more */
void rows_query_free(rows_query *query);
int rows_query_step(rows_query *query); /* ROWS_DONE after the last one */
int64_t rows_query_id(const rows_query *query);
const char *rows_query_name(const rows_query *query);
double rows_query_score(const rows_query *query);

#ifdef __cplusplus
}
#endif
