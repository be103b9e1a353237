// Closed objects that hold each other: what is released and when, compared with a model, and in how many steps that is found.
#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "checks.hpp"
#include "wg/errors/support.hpp"
#include "wg/ownership/holds.hpp"

namespace {

std::size_t live = 0;
std::vector<std::size_t> released;  // in this order

struct Thing {
    std::size_t inner;  // its number
};
void drop_thing(Thing &thing) {
    --live;
    released.push_back(thing.inner);
}

struct Cell final : wg::ValueCell<Cell, Thing, drop_thing> {
    using ValueCell::ValueCell;
};

}  // namespace

template <>
struct wg::CellOf<Thing> {
    using type = ::Cell;
};

namespace {

constexpr unsigned entry = 1;

Cell *make(const wg::Owners &kept = {}, std::size_t number = 0) {
    ++live;
    return wg::keep_alive(new Cell([number] { return Thing{number}; }), kept);
}
wg::Owners owners(Cell *cell) { return wg::Owners().add(wg::held(cell)); }
void hold(Cell *holder, Cell *held, bool replaces = false) { const wg::Holds<> holds(wg::held(holder), owners(held), entry, replaces); }
void let_go(Cell *holder, Cell *held) { const wg::Releases<> releases(wg::held(holder), owners(held)); }

/// The cells that C still points to, so that a test sees each until its end, whether it is released or not.
class Cells {
public:
    Cell *add(Cell *cell) {
        all_.push_back(cell);
        return cell;
    }
    Cell *operator[](std::size_t i) const { return all_[i]; }
    std::size_t size() const { return all_.size(); }
    void close(std::size_t i) const { wg::close_now(all_[i]); }
    ~Cells() {
        for (Cell *each : all_) wg::drop(each);
    }

private:
    std::vector<Cell *> all_;
};

/// How many steps some work takes for each of `count` objects.
template <class Work>
double steps(std::size_t count, Work work) {
    const std::size_t before = wg::common->steps;
    work();
    return static_cast<double>(wg::common->steps - before) / static_cast<double>(count);
}

constexpr std::size_t many = 20'000;

enum class Order { first_to_last, last_to_first, mixed };

std::vector<std::size_t> in_order(std::size_t count, Order order) {
    std::vector<std::size_t> out(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = order == Order::last_to_first ? count - 1 - i : i;
    if (order == Order::mixed) std::shuffle(out.begin(), out.end(), std::mt19937(7));
    return out;
}

void an_object_in_a_cycle() {
    Cells pair;
    hold(pair.add(make()), pair.add(make()));
    hold(pair[1], pair[0]);
    pair.close(0);
    CHECK(live == 2);
    pair.close(1);
    CHECK(live == 0);
}

/// Each object keeps the one before it; `others` makes cycles elsewhere first, so that these are looked for.
void chains(Order order, bool others) {
    if (others) an_object_in_a_cycle();
    Cells chain;
    chain.add(make());
    for (std::size_t i = 1; i < many; ++i) chain.add(make(owners(chain[i - 1])));
    if (others) wg::common->cycles_known++;  // as where more objects reach each other than are looked at
    CHECK(steps(many, [&] {
              for (const std::size_t each : in_order(many, order)) chain.close(each);
          }) < 70);
    CHECK(live == 0);
}

void rings(Order order, bool is_built_backwards) {
    Cells ring;
    CHECK(steps(many, [&] {
              for (std::size_t i = 0; i < many; ++i) ring.add(make());
              for (const std::size_t i : in_order(many, is_built_backwards ? Order::last_to_first : Order::first_to_last)) hold(ring[i], ring[(i + 1) % many]);
              for (const std::size_t each : in_order(many - 1, order)) ring.close(each);
              CHECK(live == many);
              ring.close(many - 1);
          }) < 80);
    CHECK(live == 0);
}

/// Each object holds the next and the one before.
void linked_lists(Order order) {
    Cells list;
    CHECK(steps(many, [&] {
              for (std::size_t i = 0; i < many; ++i) {
                  list.add(make());
                  if (i == 0) continue;
                  hold(list[i], list[i - 1]);
                  hold(list[i - 1], list[i]);
              }
              for (const std::size_t each : in_order(many - 1, order)) list.close(each);
          }) < 80);
    CHECK(live == many);
    CHECK(steps(many, [&] { list.close(many - 1); }) < 10);
    CHECK(live == 0);
}

/// One holds many, each of which keeps that one alive.
void children(bool is_parent_first) {
    Cells family;
    family.add(make());
    CHECK(steps(many, [&] {
              for (std::size_t i = 1; i < 1000; ++i) hold(family[0], family.add(make(owners(family[0]))));
              if (is_parent_first) family.close(0);
              for (std::size_t i = 1; i < 1000; ++i) family.close(i);
              if (!is_parent_first) family.close(0);
          }) < 8);
    CHECK(live == 0);
}

/// A list of those, which objects leave one after the other, each of them letting go of its neighbours, while the others are used.
void shrinking_lists() {
    Cells list;
    for (std::size_t i = 0; i < many; ++i) {
        list.add(make());
        if (i == 0) continue;
        hold(list[i], list[i - 1]);
        hold(list[i - 1], list[i]);
    }
    CHECK(steps(many, [&] {
              for (std::size_t i = 0; i + 1 < many; ++i) {
                  let_go(list[i], list[i + 1]);
                  let_go(list[i + 1], list[i]);
                  list.close(i);
              }
          }) < 200);
    CHECK(live == 1);
    list.close(many - 1);
    CHECK(live == 0);
}

/// A chain, the last of which its first one holds: as where an object has a current one of those that it makes.
void a_current_one() {
    Cells all;
    all.add(make());
    CHECK(steps(many, [&] {
              for (std::size_t i = 1; i < many; ++i) {
                  hold(all[0], all.add(make(owners(all[i - 1]))), true);
                  if (i > 1) all.close(i - 1);
              }
          }) < 20);
    all.close(0);
    CHECK(live == many);
    all.close(many - 1);
    CHECK(live == 0);
}

/// What objects keep, and which of them are to be there: those that open ones lead to.
class Model {
public:
    void add(const std::vector<std::size_t> &kept) { kept_.push_back(kept), is_open_.push_back(true); }
    void hold(std::size_t holder, std::size_t held) {
        if (holder != held && !holds(holder, held)) held_.push_back({holder, held});
    }
    void let_go(std::size_t holder, std::size_t held) {
        held_.erase(std::remove(held_.begin(), held_.end(), std::pair(holder, held)), held_.end());
    }
    bool holds(std::size_t holder, std::size_t held) const { return std::find(held_.begin(), held_.end(), std::pair(holder, held)) != held_.end(); }
    void close(std::size_t i) { is_open_[i] = false; }
    bool is_open(std::size_t i) const { return is_open_[i]; }

    std::size_t live() const {
        std::vector<bool> is_live = is_open_;
        for (bool has_changed = true; has_changed;) {
            has_changed = false;
            const auto reach = [&](std::size_t from, std::size_t to) {
                if (is_live[from] && !is_live[to]) is_live[to] = has_changed = true;
            };
            for (std::size_t i = 0; i < kept_.size(); ++i)
                for (const std::size_t each : kept_[i]) reach(i, each);
            for (const auto &[holder, held] : held_) reach(holder, held);
        }
        return static_cast<std::size_t>(std::count(is_live.begin(), is_live.end(), true));
    }

    /// Whether what keeps another to its end was released before that.
    bool is_in_order(const std::vector<std::size_t> &order) const {
        std::vector<std::size_t> at(kept_.size(), order.size());
        for (std::size_t i = 0; i < order.size(); ++i) at[order[i]] = i;
        for (std::size_t i = 0; i < kept_.size(); ++i)
            for (const std::size_t each : kept_[i])
                if (at[each] != order.size() && at[each] < at[i]) return false;
        return true;
    }

private:
    std::vector<std::vector<std::size_t>> kept_;
    std::vector<std::pair<std::size_t, std::size_t>> held_;
    std::vector<bool> is_open_;
};

/// Random programs of `size` objects at most; `few` is how many of the latest ones each call is about.
void at_random(unsigned seed, std::size_t size, std::size_t calls, std::size_t few) {
    std::mt19937 random(seed);
    const auto below = [&random](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    const unsigned kinds = 4 + static_cast<unsigned>(below(20));
    released.clear();
    Cells cells;
    Model model;
    const auto some = [&] { return cells.size() - 1 - below(std::min(few, cells.size())); };
    for (std::size_t call = 0; call < calls; ++call) {
        const std::size_t kind = below(kinds);
        if (cells.size() == 0 || (kind == 0 && cells.size() < size)) {
            std::vector<std::size_t> kept;
            wg::Owners given;
            for (std::size_t n = cells.size() == 0 ? 0 : below(3); n > 0; --n) {
                const std::size_t each = some();
                if (!model.is_open(each)) continue;
                kept.push_back(each);
                given.add(wg::held(cells[each]));
            }
            cells.add(make(given, cells.size()));
            model.add(kept);
            continue;
        }
        const std::size_t one = some(), other = some();
        if (!model.is_open(one)) continue;
        if (kind == 1) {
            cells.close(one);
            model.close(one);
        } else if (kind == 2 && model.is_open(other)) {
            let_go(cells[one], cells[other]);
            model.let_go(one, other);
        } else if (model.is_open(other)) {
            hold(cells[one], cells[other]);
            model.hold(one, other);
        }
        CHECK(live == model.live() && model.is_in_order(released));
        if (failed != 0) return;
    }
    for (std::size_t i = 0; i < cells.size(); ++i) cells.close(i);
    CHECK(live == 0 && model.is_in_order(released));
}

}  // namespace

int main() {
    for (const Order order : {Order::first_to_last, Order::last_to_first, Order::mixed}) {
        CHECK(steps(many, [order] { chains(order, false); }) == 0);  // before there is any cycle
        if (failed != 0) return failed;
    }
    for (const Order order : {Order::first_to_last, Order::last_to_first, Order::mixed}) {
        chains(order, true);
        rings(order, false);
        rings(order, true);
        linked_lists(order);
        CHECK(live == 0);
    }
    children(true);
    children(false);
    a_current_one();
    shrinking_lists();
    for (unsigned seed = 0; seed < 300 && failed == 0; ++seed) {
        at_random(seed, 5 + seed % 40, 300, 2 + seed % 50);
        if (seed % 10 == 0) at_random(seed, 300, 600, 300);
        if (failed != 0) std::printf("seed %u\n", seed);
    }
    return failed;
}
