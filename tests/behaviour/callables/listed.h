/* Callbacks whose arguments a spec lists: readers that fill buffers, out-parameters, statuses, contexts. */
#pragma once

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

enum { CALL_OK, CALL_END = 1, CALL_DENIED = -2, CALL_BROKEN = -9 };

// fills a buffer, as libcurl, zlib and libarchive want it
typedef std::size_t (*read_fn)(char *buffer, std::size_t size, void *user);
inline std::string read_all(read_fn read, void *user, std::size_t size) {
  std::string whole, room(size, '?');
  while (std::size_t got = read(room.data(), size, user)) {
    if (got > size) return "failed with " + std::to_string(long(got));
    whole.append(room, 0, got);
  }
  return whole;
}
inline int set_option(int option, ...) {
  va_list all;
  va_start(all, option);
  read_fn read = va_arg(all, read_fn);
  void *user = va_arg(all, void *);
  va_end(all);
  char room[4];
  return int(read(room, 4, user)) * option;
}
// what the callback gave last
inline int &last_status() {
  static int status = 0;
  return status;
}
// the length before the data, and a count that is changed
inline int transform(int (*f)(void *, unsigned n, const unsigned char *data, char *room, int *count), void *user, int room, std::string &out) {
  out.assign(std::size_t(room), '.');
  int count = room;
  int status = last_status() = f(user, 3, reinterpret_cast<const unsigned char *>("a\0c"), out.data(), &count);
  out.resize(std::size_t(count));
  return status;
}
// out-parameters and a status
inline int measured(int (*f)(const char *name, long *width, double *weight, void *), void *user, long *width, double *weight) {
  return last_status() = f("box", width, weight, user);
}
// room that has to be filled, and room for a text that ends with a NUL
inline bool filled(void (*f)(double *values, int count, void *), void *user, int count) {
  std::vector<double> room(std::size_t(count), -1);
  f(room.data(), count, user);
  for (double each : room) if (each == -1) return false;
  return true;
}
inline std::string line(int (*f)(char *room, std::size_t size, void *), void *user) {
  char room[8] = "?";
  return f(room, sizeof(room), user) == 0 ? room : "failed";
}
inline std::string elsewhere(read_fn read, void *user) {
  std::string got;
  std::thread([&] { got = read_all(read, user, 4); }).join();
  return got;
}
inline const char *named(int (*f)(int, const char **, const char **, void *), void *user) {
  static std::string both;
  const char *first = "", *second = "";
  if (f(3, &first, &second, user) != 0) return "failed";
  both = std::string(first) + "/" + second;
  return both.c_str();
}
// a context that takes the result, as SQLite's functions do
struct engine { std::vector<double> values; void *user; std::string said; };
inline void *engine_user(engine *e) { return e->user; }
inline void engine_number(engine *e, double value) { e->said = std::to_string(value); }
inline void engine_error(engine *e, const char *text) { e->said = std::string("error: ") + text; }
inline std::string evaluated(void (*f)(engine *, int, const double *), void *user, int count) {
  engine e{{1.5, 2.5, 3.5, 4.5}, user, "nothing"};
  f(&e, count, e.values.data());
  return e.said;
}
// the text of an error
inline std::string checked_text(bool (*f)(const char *text, char **error, void *), void *user) {
  char *error = nullptr;
  std::string said = f("some", &error, user) ? "fine" : "bad";
  if (error) said += std::string(": ") + error;
  std::free(error);
  return said;
}
inline int of_cpp(const std::function<int(const char *, long *)> &f) { long got = 0; return f("cpp", &got) + int(got); }
inline int without(int (*f)(int n, const double *values)) { const double values[] = {1, 2}; return f(2, values); }
// memory of the caller's: the bytes through an address, how many there are as the value
template <class P>
long fed(long (*read)(void *user, P *buffer), void *user, std::string &all) {
  P piece = nullptr;
  long got = 0;
  while ((got = read(user, &piece)) > 0) all.append(static_cast<const char *>(static_cast<const void *>(piece)), std::size_t(got));
  return got;
}
inline std::string fed_void(long (*read)(void *user, const void **buffer), void *user) { std::string all; return fed(read, user, all) < 0 ? "failed" : all; }
inline std::string fed_chars(long (*read)(void *user, const char **buffer), void *user) { std::string all; return fed(read, user, all) < 0 ? "failed" : all; }
// rows of a table, as SQLite gives them: the texts of a row may be null
inline int each_row(int rows, int (*row)(void *user, int count, char **values, char **names), void *user) {
  char one[] = "one", id[] = "id", name[] = "n\xc3\xa4me";
  char *names[] = {id, name};
  for (int i = 0; i < rows; ++i) {
    char *values[] = {one, i % 2 ? one : nullptr};
    if (const int failed = row(user, 2, values, names)) return failed;
  }
  return 0;
}
inline int each_row_kept(void *user, int count, char **values, char **names, int (*row)(void *, int, char **, char **)) { return row(user, count, values, names); }
inline long odd_rows(long (*row)(void *user, long count, const char *const *words, const double *numbers), void *user, long count, bool has_words) {
  const char *const words[] = {"a", "b", "c"};
  const double numbers[] = {1.5, 2.5, 3.5};
  return row(user, count, has_words ? words : nullptr, numbers);
}
inline long words_of(const std::function<long(const char *const *, int)> &f) {
  const char *words[] = {"a", nullptr};
  return f(words, 2);
}
// several callbacks and one user data, as libarchive has them
struct volume {
  void *user = nullptr;
  int (*opens)(volume *, void *) = nullptr;
  long (*writes)(volume *, void *, const void *, std::size_t) = nullptr;
  int (*closes)(volume *, void *) = nullptr;
};
inline volume *volume_new() { return new volume(); }
inline void volume_free(volume *v) { if (v->closes) v->closes(v, v->user); delete v; }
inline int volume_open(volume *v, void *user, int (*opens)(volume *, void *), long (*writes)(volume *, void *, const void *, std::size_t), int (*closes)(volume *, void *)) {
  *v = {user, opens, writes, closes};
  return opens ? opens(v, user) : 0;
}
inline long volume_write(volume *v, const void *data, std::size_t size) { return v->writes ? v->writes(v, v->user, data, size) : -1; }
inline int volume_both(void *user, int (*first)(void *), int (*second)(void *, int)) { return (first ? first(user) : 0) + (second ? second(user, 10) : 0); }

// Two callbacks have one pointer, which the second one finds in the object.
struct siren {
  void *user;
  void (*starts)(void *, int);
  int (*stops)(siren *, int);
};
inline void siren_set(siren *s, void (*starts)(void *, int), int (*stops)(siren *, int), void *user) { *s = {user, starts, stops}; }
inline void siren_set_stops(siren *s, int (*stops)(siren *, int), void *user) { *s = {user, s->starts, stops}; }
inline int siren_run(siren *s) {
  if (s->starts) s->starts(s->user, 1);
  return s->stops ? s->stops(s, 2) : 0;
}
