// Handles in their cells, used by many threads at once: each value goes exactly once, and never while someone uses it.
#include <cstdio>
#include <thread>

#include "wg_support.hpp"

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

struct Cell final : wg::Cell<Thing, drop_thing> {
    using wg::Cell<Thing, drop_thing>::Cell;
};

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

void keep(Cell *cell) {
    Cell *part = wg::keep_alive(make(), wg::Owners().add(cell));
    use(part);
    wg::drop(part);
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

template <class... Work>
void at_once(Cell *cell, Work... work) {
    std::vector<std::thread> threads;
    (threads.emplace_back([=] { work(cell); }), ...);
    for (std::thread &thread : threads) thread.join();
}

}  // namespace

int main() {
    for (int i = 0; i < 200; ++i) {
        Cell *cell = make();
        at_once(cell, use, keep, use, take_nothing, keep);
        wg::drop(cell);

        // Closing gives up the owner's count while calls still run: they were pinned before.
        Cell *closing = make();
        for (int n = 0; n < 3; ++n) closing->acquire();
        const auto finish = [](Cell *c) {
            if (c->value.inner.number != 7) ++wrong;
            wg::release(c);
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
        Cell *next = wg::keep_alive(make(), wg::Owners().add(chain));
        wg::drop(chain);
        chain = next;
    }
    if (live != 200001) ++wrong;
    wg::drop(chain);
    std::printf("live %d, wrong %d\n", live.load(), wrong.load());
    return live != 0 || wrong != 0;
}
