// A module of pybind11 with containers, callables, times, lifetimes and lambdas.
#include <pybind11/chrono.h>
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace py = pybind11;

namespace store {

struct Item {
    std::string name;
    double price = 0;
    std::vector<std::string> tags;
    std::optional<int> shelf;
    bool operator<(const Item &other) const { return price < other.price; }
};

struct Missing : std::exception {
    explicit Missing(const std::string &name) : text("no " + name) {}
    const char *what() const noexcept override { return text.c_str(); }
    std::string text;
};

class Listener {
public:
    virtual ~Listener() = default;
    virtual void added(const std::string &name, double price) = 0;
    virtual int priority() { return 0; }
};

class Inventory {
public:
    enum Mode { Fast, Careful };
    explicit Inventory(Mode mode = Fast) : mode(mode) {}
    Inventory(const Inventory &) = delete;

    Item &add(const std::string &name, double price) {
        items_.push_back(std::make_unique<Item>(Item{name, price, {}, std::nullopt}));
        if (listener_) listener_->added(name, price);
        return *items_.back();
    }
    Item *find(const std::string &name) {
        for (auto &each : items_)
            if (each->name == name) return each.get();
        return nullptr;
    }
    const Item &at(std::size_t i) const { return *items_.at(i); }
    void take(std::unique_ptr<Item> item) { items_.push_back(std::move(item)); }
    void remove(const std::string &name) {
        auto found = std::find_if(items_.begin(), items_.end(), [&](auto &each) { return each->name == name; });
        if (found == items_.end()) throw Missing(name);
        items_.erase(found);
    }
    std::size_t size() const { return items_.size(); }
    std::map<std::string, double> prices() const {
        std::map<std::string, double> out;
        for (auto &each : items_) out[each->name] = each->price;
        return out;
    }
    std::set<std::string> tags() const {
        std::set<std::string> out;
        for (auto &each : items_) out.insert(each->tags.begin(), each->tags.end());
        return out;
    }
    std::vector<Item> cheaper(double than) const {
        std::vector<Item> out;
        for (auto &each : items_)
            if (each->price < than) out.push_back(*each);
        return out;
    }
    std::pair<double, double> range() const {
        double low = 1e9, high = 0;
        for (auto &each : items_) low = std::min(low, each->price), high = std::max(high, each->price);
        return {low, high};
    }
    void watch(Listener *listener) { listener_ = listener; }
    int each(const std::function<bool(const std::string &, double)> &visit) const {
        int count = 0;
        for (auto &one : items_)
            if (visit(one->name, one->price)) ++count;
        return count;
    }
    Inventory &rename(const std::string &from, const std::string &to) {
        if (Item *found = find(from)) found->name = to;
        return *this;
    }
    const std::vector<std::unique_ptr<Item>> &items() const { return items_; }
    Mode mode;
    std::chrono::milliseconds timeout{1500};

private:
    std::vector<std::unique_ptr<Item>> items_;
    Listener *listener_ = nullptr;
};

class View {
public:
    View(const Inventory &of, double limit) : of_(of), limit_(limit) {}
    std::size_t count() const { return of_.cheaper(limit_).size(); }

private:
    const Inventory &of_;
    double limit_;
};

inline std::string kind(const std::variant<int, double, std::string> &value) {
    return value.index() == 0 ? "int" : value.index() == 1 ? "float" : "text";
}
inline std::optional<double> parse(const std::string &text) {
    if (text.empty() || !isdigit(text[0])) return std::nullopt;
    return std::stod(text);
}
inline std::chrono::seconds longer(std::chrono::seconds time, int by) { return time * by; }
inline std::tuple<int, std::string, bool> parts(int n) { return {n, std::to_string(n), n > 0}; }

}  // namespace store

using store::Inventory;
using store::Item;

struct PyListener : store::Listener {
    using Listener::Listener;
    void added(const std::string &name, double price) override { PYBIND11_OVERRIDE_PURE(void, Listener, added, name, price); }
    int priority() override { PYBIND11_OVERRIDE(int, Listener, priority); }
};

static std::string join(const std::vector<std::string> &words, const std::string &sign) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) out += (i ? sign : "") + words[i];
    return out;
}

PYBIND11_MODULE(inventory, m) {
    py::class_<Item>(m, "Item")
        .def(py::init([](std::string name, double price, std::vector<std::string> tags) {
                 return Item{std::move(name), price, std::move(tags), std::nullopt};
             }),
             py::arg("name"), py::arg("price") = 1.5, py::arg("tags") = std::vector<std::string>())
        .def_readwrite("name", &Item::name)
        .def_readwrite("price", &Item::price, "What it costs.")
        .def_readwrite("tags", &Item::tags)
        .def_readwrite("shelf", &Item::shelf)
        .def_property_readonly("label", [](const Item &item) { return item.name + ":" + std::to_string(int(item.price)); })
        .def_property(
            "cents", [](const Item &item) { return static_cast<long>(item.price * 100); },
            [](Item &item, long cents) { item.price = cents / 100.0; })
        .def("__lt__", [](const Item &a, const Item &b) { return a < b; })
        .def("__str__", [](const Item &item) { return "<" + item.name + ">"; });

    py::class_<store::Listener, PyListener>(m, "Listener")
        .def(py::init<>())
        .def("added", &store::Listener::added)
        .def("priority", &store::Listener::priority);

    py::class_<Inventory> inventory(m, "Inventory", R"doc(
        Keeps items.

        Each has a name.
    )doc");
    py::enum_<Inventory::Mode>(inventory, "Mode").value("Fast", Inventory::Fast).value("Careful", Inventory::Careful);
    inventory.def(py::init<Inventory::Mode>(), py::arg("mode") = Inventory::Mode::Fast)
        .def("add", &Inventory::add, py::arg("name"), py::arg("price"), py::return_value_policy::reference_internal)
        .def("find", &Inventory::find, py::return_value_policy::reference_internal, py::arg("name"))
        .def("__getitem__", &Inventory::at, py::return_value_policy::reference_internal)
        .def("take", [](Inventory &self, const std::string &name, double price) { self.take(std::make_unique<Item>(Item{name, price, {}, {}})); })
        .def("remove", &Inventory::remove)
        .def("__len__", &Inventory::size)
        .def("__contains__", [](Inventory &self, const std::string &name) { return self.find(name) != nullptr; })
        .def("prices", &Inventory::prices)
        .def("tags", &Inventory::tags)
        .def("cheaper", &Inventory::cheaper, py::arg("than"))
        .def("range", &Inventory::range)
        .def("watch", &Inventory::watch, py::keep_alive<1, 2>(), py::arg("listener"))
        .def("each", &Inventory::each, py::arg("visit"))
        .def("rename", &Inventory::rename)
        .def("names",
             [](const Inventory &self) {
                 std::vector<std::string> out;
                 for (const auto &item : self.items()) out.push_back(item->name);
                 return out;
             })
        .def("labels",
             [](const Inventory &self) {
                 py::list out;
                 for (const auto &item : self.items()) out.append(item->name + "!");
                 return out;
             })
        .def("pairs",
             [](const Inventory &self) -> py::list {
                 py::list out;
                 for (const auto &item : self.items()) out.append(py::make_tuple(item->name, item->price));
                 return out;
             })
        .def("span", [](const Inventory &self) { return py::make_tuple(self.size(), self.range().second); })
        .def_readonly("mode", &Inventory::mode)
        .def_readwrite("timeout", &Inventory::timeout);

    py::class_<store::View>(m, "View")
        .def(py::init<const Inventory &, double>(), py::arg("of"), py::arg("limit") = 10.0, py::keep_alive<1, 2>())
        .def("count", &store::View::count);

    py::register_exception_translator([](std::exception_ptr p) {
        try {
            if (p) std::rethrow_exception(p);
        } catch (const store::Missing &e) {
            PyErr_SetString(PyExc_KeyError, e.what());
        }
    });

    m.def("kind", &store::kind, py::arg("value"));
    m.def("parse", &store::parse, py::arg("text"));
    m.def("longer", &store::longer, py::arg("time"), py::arg("by") = 2);
    m.def("parts", &store::parts);
    m.def("join", &join, py::arg("words"), py::arg("sign") = ", ");
    m.def(
        "compose",
        [](std::function<int(int)> f, std::function<int(int)> g) { return f(g(1)); }, py::arg("f"), py::arg("g"));
    m.def("check", [](int value) {
        if (value < 0) throw py::value_error("below zero");
        if (value > 9) throw py::key_error("above nine");
        if (value == 5) throw py::type_error("five");
        return value;
    });
    m.def("first", [](py::dict d) { return d.begin()->first; });
    m.def("describe", [](const Item *item) { return item == nullptr ? std::string("nothing") : item->name; }, py::arg("item").none(true) = nullptr);
    m.def("raw", [](const std::string &text) { return py::bytes(text + "!"); });
}
