// Handles in their cells, used by many threads at once: each value goes exactly once, and never while someone uses it.
#include <cstdio>
#include <thread>

#include "wg/errors/support.hpp"
#include "wg/ownership/holds.hpp"

namespace {

std::atomic<int> live{0};

struct Value {
    int number = 7;
    Value() { ++live; }
    Value(const Value &other) : number(other.number) { ++live; }
    ~Value() {
        number = 0;
        --live;
    }
};

struct Thing {
    Value inner;
};

void drop_thing(Thing &thing) { thing.inner.number = -1; }

struct Cell final : wg::ValueCell<Cell, Thing, drop_thing> {
    using ValueCell::ValueCell;
};

}  // namespace

template <>
struct wg::CellOf<Thing> {
    using type = ::Cell;
};

namespace {

Cell *make() {
    return new Cell([] { return Thing{}; });
}

/// Counts what goes wrong; what may happen is that the handle is closed, or in use.
std::atomic<int> wrong{0};

template <class Work>
void attempt(Work &&work) {
    try {
        work();
    } catch (const wg::Closed &) {
    } catch (const std::invalid_argument &) {
    }
}

void use(Cell *cell) {
    attempt([&] {
        const wg::Pin pin(cell, "cell");
        if ((*pin).inner.number != 7) ++wrong;
    });
}

/// As a call does: it has the handle while it makes what keeps that alive.
void keep(Cell *cell) {
    attempt([&] {
        const wg::Pin pin(cell, "cell");
        Cell *part = wg::keep_alive(make(), wg::Owners().add(wg::held(cell)));
        use(part);
        wg::drop(part);
    });
}

bool take(Cell *cell) {
    bool taken = false;
    attempt([&] {
        wg::Take claim(cell, "cell");
        if (claim.consume().inner.number != 7) ++wrong;
        taken = true;
    });
    return taken;
}

void take_nothing(Cell *cell) {
    attempt([&] {
        const wg::Take claim(cell, "cell");
        throw wg::Closed("the call failed before it had the handle");
    });
}

// What lies in memory of its own, which outlives the value: as a Python object does.
struct Object {
    wg::Cell cell;
    std::atomic<int> references{1};
    Thing thing;
};

Object *around(wg::Cell &cell) { return reinterpret_cast<Object *>(&cell); }

void forget(wg::Cell &cell) noexcept {
    if (around(cell)->references.fetch_sub(1) == 1) delete around(cell);
}

const wg::HandleType object_type = {
    [](wg::Cell &cell) noexcept {
        if (around(cell)->thing.inner.number != 7) ++wrong;
        drop_thing(around(cell)->thing);
    },
    [](wg::Cell &cell) noexcept { around(cell)->references.fetch_add(1); },
    &forget,
};

/// Calls that come while another thread closes: each either has the value, or is told that it is closed.
void close_while_used() {
    auto *object = new Object;
    object->cell.users.open();
    const wg::Held held{&object->cell, &object_type};
    const auto call = [held] {
        for (int n = 0; n < 50; ++n) {
            if (!wg::enter(held)) continue;
            if (around(*held.cell)->thing.inner.number != 7) ++wrong;
            wg::leave(held);
        }
    };
    const auto keep = [held] {
        if (!wg::enter(held)) return;
        Cell *part = wg::keep_alive(make(), wg::Owners().add(held));
        wg::leave(held);
        wg::drop(part);
    };
    std::vector<std::thread> threads;
    for (int n = 0; n < 2; ++n) threads.emplace_back(call);
    threads.emplace_back(keep);
    for (int n = 0; n < 2; ++n) threads.emplace_back([held] { wg::close(held); });
    for (std::thread &thread : threads) thread.join();
    if (!object->cell.users.is_gone() || object->thing.inner.number != -1) ++wrong;
    forget(object->cell);
}

// Types that extend others, one of which does not start where the value does.
struct First {
    int first = 1;
};
struct Second {
    int second = 2;
};
struct Both : wg::Cell, First, Second {};

const wg::HandleType first_type = {nullptr}, second_type = {nullptr};
const wg::Upcast upcasts[] = {
    {&first_type, [](wg::Cell &cell, void *) -> void * { return static_cast<First *>(static_cast<Both *>(&cell)); }, nullptr},
    {&second_type, [](wg::Cell &cell, void *) -> void * { return static_cast<Second *>(static_cast<Both *>(&cell)); }, nullptr},
};
const wg::HandleType both_type = {nullptr, nullptr, nullptr, false, false, upcasts, 2};

void extend() {
    Both both;
    if (wg::upcast(both_type, both_type) != nullptr || !wg::is_a(both_type, both_type)) ++wrong;
    if (static_cast<First *>(wg::upcast(both_type, first_type)->see(both, nullptr))->first != 1) ++wrong;
    if (static_cast<Second *>(wg::upcast(both_type, second_type)->see(both, nullptr))->second != 2) ++wrong;
    if (wg::is_a(first_type, both_type)) ++wrong;
}

template <class... Work>
void at_once(Cell *cell, Work... work) {
    std::vector<std::thread> threads;
    (threads.emplace_back([=] { work(cell); }), ...);
    for (std::thread &thread : threads) thread.join();
}

/// Objects in a ring, each of which holds the next, and some of which hold others, while threads close them, use them, and let them hold and let go of
/// each other: nothing is released while one of them is open, and all of it is once none is.
void close_cycles() {
    constexpr std::size_t size = 8;
    std::vector<Cell *> ring;
    for (std::size_t n = 0; n < size; ++n) ring.push_back(make());
    const auto hold = [&ring](std::size_t holder, std::size_t held) {
        attempt([&] {
            const wg::Pin<Cell> pins[] = {{ring[holder % size], "holder"}, {ring[held % size], "held"}};
            const wg::Holds<> holds(wg::held(ring[holder % size]), wg::Owners().add(wg::held(ring[held % size])), 1, false);
        });
    };
    const auto let_go = [&ring](std::size_t holder, std::size_t held) {
        attempt([&] {
            const wg::Pin<Cell> pins[] = {{ring[holder % size], "holder"}, {ring[held % size], "held"}};
            const wg::Releases<> releases(wg::held(ring[holder % size]), wg::Owners().add(wg::held(ring[held % size])));
        });
    };
    for (std::size_t n = 0; n < size; ++n) hold(n, n + 1);
    std::vector<std::thread> threads;
    for (std::size_t from = 0; from < 2; ++from)
        threads.emplace_back([&ring, from] {
            for (std::size_t n = from; n < size; n += 2) wg::close_now(ring[n]);
        });
    threads.emplace_back([&] {
        for (std::size_t n = 0; n < size; ++n) keep(ring[n]);
    });
    threads.emplace_back([&] {
        for (std::size_t n = 0; n < size; ++n) hold(3 * n, 5 * n + 1);
        for (std::size_t n = 0; n < size; ++n) let_go(3 * n, 5 * n + 1);
    });
    threads.emplace_back([] {
        for (std::size_t n = 0; n < size; ++n) {  // as where more objects reach each other than are looked at
            const wg::KeptLocked locked;
            ++wg::common->cycles_known;
        }
    });
    for (std::thread &thread : threads) thread.join();
    if (live != 0) ++wrong;
    for (Cell *each : ring) wg::drop(each);
}

/// Chains, each object of which keeps the one before it: threads close theirs, first to last, while others use them, and add to them.
void close_chains() {
    std::vector<Cell *> chain = {make()};
    for (std::size_t n = 1; n < 100; ++n) chain.push_back(wg::keep_alive(make(), wg::Owners().add(wg::held(chain.back()))));
    std::vector<std::thread> threads;
    for (std::size_t from = 0; from < 2; ++from)
        threads.emplace_back([&chain, from] {
            for (std::size_t n = from; n < chain.size(); n += 2) wg::close_now(chain[n]);
        });
    threads.emplace_back([&chain] {
        for (Cell *each : chain) use(each);
        for (Cell *each : chain) keep(each);
    });
    for (std::thread &thread : threads) thread.join();
    if (live != 0) ++wrong;
    for (Cell *each : chain) wg::drop(each);
}

}  // namespace

int main() {
    extend();
    for (int i = 0; i < 200; ++i) {
        close_cycles();
        close_chains();
    }
    for (int i = 0; i < 200; ++i) {
        close_while_used();
        Cell *cell = make();
        at_once(cell, use, keep, use, take_nothing, keep);
        wg::drop(cell);

        // Closing gives up the owner's count while calls still run: they were pinned before.
        Cell *closing = make();
        for (int n = 0; n < 3; ++n) wg::enter(wg::held(closing));
        const auto finish = [](Cell *c) {
            if (c->value.inner.number != 7) ++wrong;
            wg::leave(wg::held(c));
        };
        at_once(closing, [](Cell *c) { wg::drop(c); }, finish, finish, finish);

        Cell *wanted = make();
        std::atomic<int> takers{0};
        const auto claim = [&takers](Cell *c) { takers += take(c); };
        at_once(wanted, claim, use, claim, keep);
        takers += take(wanted);
        if (takers != 1) ++wrong;
        use(wanted);
        wg::drop(wanted);
    }
    Cell *chain = make();
    for (int i = 0; i < 200000; ++i) {
        Cell *next = wg::keep_alive(make(), wg::Owners().add(wg::held(chain)));
        wg::drop(chain);
        chain = next;
    }
    if (live != 200001) ++wrong;
    wg::drop(chain);
    std::printf("live %d, wrong %d\n", live.load(), wrong.load());
    return live != 0 || wrong != 0;
}
