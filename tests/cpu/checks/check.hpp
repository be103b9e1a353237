// A check is a function with a name; it ends the process at the first thing that is not as expected.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "error.hpp"
#include "memory.hpp"
#include "stream.hpp"

using Check = void (*)();
std::map<std::string, Check>& all_checks();

struct Registration {
    Registration(const char* name, Check check) { all_checks()[name] = check; }
};

#define CHECK(name)                                                 \
    static void check_##name();                                     \
    static const Registration register_##name(#name, check_##name); \
    static void check_##name()

#define EXPECT(condition)                                                                \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                                \
        }                                                                                \
    } while (false)

#define EXPECT_THROW(type, expression)                                                             \
    do {                                                                                           \
        bool thrown = false;                                                                       \
        try {                                                                                      \
            static_cast<void>(expression);                                                         \
        } catch (const type&) {                                                                    \
            thrown = true;                                                                         \
        }                                                                                          \
        if (!thrown) {                                                                             \
            std::fprintf(stderr, "%s:%d: %s throws no %s\n", __FILE__, __LINE__, #expression, #type); \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (false)

// Holds a stream up until it is opened, so that a check decides what happens first, not the clock.
class Gate {
public:
    void hold(const cpu::Stream& stream) const {
        stream.push("gate", [state = state_] {
            std::unique_lock<std::mutex> lock(state->mutex);
            state->changed.wait(lock, [&state] { return state->is_open; });
        });
    }

    void open() const {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // what should wait, but does not, shows now
        const std::lock_guard<std::mutex> lock(state_->mutex);
        state_->is_open = true;
        state_->changed.notify_all();
    }

private:
    struct State {
        std::mutex mutex;
        std::condition_variable changed;
        bool is_open = false;
    };
    std::shared_ptr<State> state_ = std::make_shared<State>();  // the one who waits may be the last to need it
};

// The first byte of memory, in the order of a stream.
inline int first_byte(const cpu::Memory& memory, const cpu::Stream& stream) {
    unsigned char byte = 0;
    cpu::download(&byte, memory, 0, 1, stream);
    return byte;
}
