// A library of every shape that a spec can describe, and that tells how many of its objects exist.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace shapes {

// --- how many there are ---

/// Objects of one kind that exist now; every object that Python can own is counted.
enum class Counted { point, canvas, part, node, gate, token, count };

std::int64_t live(Counted kind);
void count(Counted kind, int change);

template <Counted kind>
struct Tracked {
    Tracked() { count(kind, 1); }
    Tracked(const Tracked &) { count(kind, 1); }
    Tracked(Tracked &&) noexcept { count(kind, 1); }
    Tracked &operator=(const Tracked &) = default;
    Tracked &operator=(Tracked &&) noexcept = default;
    ~Tracked() { count(kind, -1); }
};

/// An object that others refer to: listed while it exists, so that nobody has to touch memory that may be gone to know.
struct Listed {
    Listed();
    Listed(const Listed &) = delete;
    Listed &operator=(const Listed &) = delete;
    ~Listed();
};

bool is_listed(const Listed *object);

// --- values ---

template <class T>
T echo(T value) {
    return value;
}

inline std::int64_t product(std::int64_t a, std::int64_t b) { return a * b; }
#define SHAPES_AREA(width, height) ((width) * (height))
#define SHAPES_VERSION() "1.2.3"

// --- objects ---

/// A plain class, held by value.
struct Point : Tracked<Counted::point> {
    double x = 0;
    double y = 0;
    std::string label;

    Point() = default;
    Point(double x_, double y_, std::string label_) : x(x_), y(y_), label(std::move(label_)) {}
    double dot(const Point &other) const { return x * other.x + y * other.y; }
    void move(double dx, double dy) {
        x += dx;
        y += dy;
    }
    Point scaled(double by) const { return {x * by, y * by, label}; }
};

/// One point that is there for good, and so is not counted.
const Point &origin();

/// Held as a raw pointer, in the manner of C.
struct Canvas : Tracked<Counted::canvas>, Listed {
    std::string title;

    explicit Canvas(std::string title_) : title(std::move(title_)) {}
    std::int64_t size() const { return static_cast<std::int64_t>(title.size()); }
};

Canvas *canvas_new(const char *title);
void canvas_free(Canvas *canvas);

/// Refers to a canvas or to another part, which must still be there when it goes.
class Part : Tracked<Counted::part>, public Listed {
public:
    explicit Part(const Canvas *canvas) : canvas_(canvas), owner_(canvas) {}
    explicit Part(const Part *before) : canvas_(before->canvas_), owner_(before), depth_(before->depth_ + 1) {}
    ~Part();
    const std::string &title() const { return canvas_->title; }
    std::int64_t depth() const { return depth_; }

private:
    const Canvas *canvas_;
    const Listed *owner_;
    std::int64_t depth_ = 1;
};

/// How many parts went after what they refer to.
std::int64_t widows();

/// Held by a shared or a unique pointer.
struct Node : Tracked<Counted::node> {
    std::int64_t value;
    explicit Node(std::int64_t value_) : value(value_) {}
    std::int64_t get() const { return value; }
    void set(std::int64_t value_) { value = value_; }
};

/// Can be neither copied nor moved. Calls wait at it until it is opened.
class Gate : Tracked<Counted::gate> {
public:
    Gate() = default;
    Gate(const Gate &) = delete;
    Gate &operator=(const Gate &) = delete;

    bool pass(std::int64_t milliseconds);
    void open();
    std::int64_t waiting() const { return waiting_; }

private:
    std::mutex mutex_;
    std::condition_variable opened_;
    bool is_open_ = false;
    std::atomic<std::int64_t> waiting_{0};
};

/// Opens the gate at which some call waits now, without its handle.
bool open_any_gate();

// --- failures ---

enum class Status { ok = 0, fine = 1, no_memory = 2, bad_name = 3, broken = -7 };

const char *status_name(Status status);
std::string status_message(Status status);

/// An exception class of the library.
struct Torn : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One that knows nothing of std::exception.
struct Plain {
    int code;
};

/// Throws the standard exception of that name, with this message.
void throw_standard(std::string_view name, const std::string &message);

// --- enums ---

enum class Colour : std::uint8_t { red = 10, green = 20, blue = 30 };
enum Access { access_read = 1, access_write = 2, access_run = 4 };

}  // namespace shapes
