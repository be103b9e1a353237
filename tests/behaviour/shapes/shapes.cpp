#include "shapes.hpp"

#include <any>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <ios>
#include <map>
#include <new>
#include <system_error>
#include <typeinfo>
#include <unordered_set>
#include <variant>

namespace shapes {

namespace {
std::array<std::atomic<std::int64_t>, static_cast<std::size_t>(Counted::count)> counters{};
std::atomic<std::int64_t> widow_count{0};
// Daemon threads may still make objects while the process ends: what is there for all threads stays there.
std::mutex list_mutex;
std::unordered_set<const Listed *> &list = *new std::unordered_set<const Listed *>;
std::mutex gates_mutex;
std::set<Gate *> &gates_in_use = *new std::set<Gate *>;

/// Tells when the process ends, which is after Python did, what was never released.
struct Report {
    ~Report() {
        if (std::getenv("SHAPES_REPORT_AT_EXIT") == nullptr) return;
        const std::int64_t sum = std::accumulate(counters.begin(), counters.end(), std::int64_t{0});
        std::fprintf(stderr, "live at exit: %lld, widows: %lld\n", static_cast<long long>(sum),
                     static_cast<long long>(widow_count));
    }
} report;
}  // namespace

std::int64_t live(Counted kind) { return counters[static_cast<std::size_t>(kind)]; }
void count(Counted kind, int change) { counters[static_cast<std::size_t>(kind)] += change; }

Listed::Listed() {
    const std::lock_guard<std::mutex> lock(list_mutex);
    list.insert(this);
}

Listed::~Listed() {
    const std::lock_guard<std::mutex> lock(list_mutex);
    list.erase(this);
}

bool is_listed(const Listed *object) {
    const std::lock_guard<std::mutex> lock(list_mutex);
    return list.count(object) != 0;
}

const Point &origin() {
    static const Point *const point = [] {
        const auto *made = new Point();
        count(Counted::point, -1);
        return made;
    }();
    return *point;
}

Canvas *canvas_new(const char *title) { return title == nullptr || *title == '\0' ? nullptr : new Canvas(title); }

void canvas_free(Canvas *canvas) {
    if (!is_listed(canvas)) std::abort();  // nothing to free, or twice
    delete canvas;
}

Part::~Part() {
    if (!is_listed(owner_)) ++widow_count;
}

std::int64_t widows() { return widow_count; }

bool Gate::pass(std::int64_t milliseconds) {
    {
        const std::lock_guard<std::mutex> lock(gates_mutex);
        gates_in_use.insert(this);
    }
    std::unique_lock<std::mutex> lock(mutex_);
    ++waiting_;
    const bool opened = opened_.wait_for(lock, std::chrono::milliseconds(milliseconds), [this] { return is_open_; });
    --waiting_;
    lock.unlock();
    const std::lock_guard<std::mutex> gates(gates_mutex);
    gates_in_use.erase(this);
    return opened;
}

void Gate::open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
}

bool open_any_gate() {
    const std::lock_guard<std::mutex> lock(gates_mutex);
    if (gates_in_use.empty()) return false;
    (*gates_in_use.begin())->open();
    return true;
}

const char *status_name(Status status) {
    switch (status) {
        case Status::ok: return "ok";
        case Status::fine: return "fine";
        case Status::no_memory: return "no_memory";
        case Status::bad_name: return "bad_name";
        case Status::broken: return "broken";
    }
    return nullptr;
}

std::string status_message(Status status) {
    const char *name = status_name(status);
    return "the shape is \u00ab" + std::string(name == nullptr ? "?" : name) + "\u00bb";
}

void throw_standard(std::string_view name, const std::string &message) {
    if (name == "bad_alloc") throw std::bad_alloc();
    if (name == "bad_array_new_length") throw std::bad_array_new_length();
    if (name == "invalid_argument") throw std::invalid_argument(message);
    if (name == "domain_error") throw std::domain_error(message);
    if (name == "out_of_range") throw std::out_of_range(message);
    if (name == "overflow_error") throw std::overflow_error(message);
    if (name == "underflow_error") throw std::underflow_error(message);
    if (name == "range_error") throw std::range_error(message);
    if (name == "logic_error") throw std::logic_error(message);
    if (name == "runtime_error") throw std::runtime_error(message);
    if (name == "system_error") throw std::system_error(std::make_error_code(std::errc::io_error), message);
    if (name == "ios_failure") throw std::ios_base::failure(message);
    if (name == "filesystem_error") throw std::filesystem::filesystem_error(message, {});
    if (name == "bad_cast") throw std::bad_cast();
    if (name == "bad_any_cast") throw std::bad_any_cast();
    if (name == "bad_function_call") throw std::bad_function_call();
    if (name == "bad_optional_access") throw std::bad_optional_access();
    if (name == "bad_variant_access") throw std::bad_variant_access();
    if (name == "exception") throw std::exception();
    if (name == "int") throw 42;
    if (name == "Torn") throw Torn(message);
    if (name == "Plain") throw Plain{static_cast<int>(message.size())};
}

}  // namespace shapes
