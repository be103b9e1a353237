// Callables as C++ has them: who may call one, until when, and by which number C finds it.
#include "checks.hpp"
#include "wg/errors/support.hpp"
#include "wg/callbacks/callable_ref.hpp"

namespace {

int live = 0, released = 0;

/// A callable of no engine.
class Counted : public wg::Target {
public:
    Counted() : Target(nullptr) { ++live; }

protected:
    ~Counted() override { --live; }
    void release() noexcept override { ++released; }
    void raise_kept(std::uintptr_t, wg::Outer *) noexcept override {}
};

void the_last_user_ends_it() {
    auto *const target = new Counted;
    target->add();
    CHECK(target->is_shared(1) && !target->is_shared(2));
    target->drop();
    CHECK(released == 0 && !target->has_ended());
    target->drop();
    CHECK(released == 1 && live == 0);
}

void who_looks_at_it_does_not_call_it() {
    released = 0;
    auto *const target = new Counted;
    target->add_memory();
    target->drop();
    CHECK(released == 1 && live == 1 && target->has_ended());
    target->end();
    CHECK(released == 1);  // once
    target->drop_memory();
    CHECK(live == 0);
}

void a_number_finds_it_until_its_end() {
    released = 0;
    wg::Registry &registry = wg::Registry::instance();
    auto *const target = new Counted;
    const std::uintptr_t token = target->token();
    CHECK(token % 2 == 1 && target->token() == token && target->is_called(token));
    CHECK(registry.find(token) == target);
    target->drop();  // what was found
    target->add_memory();
    target->end();
    CHECK(released == 1 && registry.find(token) == nullptr);
    target->drop();
    target->drop_memory();
    CHECK(live == 0);
    auto *const next = new Counted;
    CHECK(next->token() != token);  // C may still have the old one
    next->end();
    next->drop();
    CHECK(live == 0 && registry.find(token) == nullptr);
}

void a_place_is_empty_after_the_end() {
    std::atomic<std::uintptr_t> slot{0};
    auto *const target = new Counted;
    slot = target->token();
    target->add_slot(slot);
    CHECK(target->has_slot(slot));
    target->end();
    CHECK(slot == 0);
    target->drop();
    CHECK(live == 0);
}

void what_ends_says_so() { CHECK(thrown_by([] { wg::fail_ended("done"); }) == "done: this callable was called after its time"); }

}  // namespace

int main() {
    the_last_user_ends_it();
    who_looks_at_it_does_not_call_it();
    a_number_finds_it_until_its_end();
    a_place_is_empty_after_the_end();
    what_ends_says_so();
    return failed;
}
