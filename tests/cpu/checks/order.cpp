// What runs before what, what runs at the same time, and what becomes of failures.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "faults.hpp"
#include "pool.hpp"

using cpu::Event;
using cpu::Memory;
using cpu::Stream;
using cpu::Takes;

CHECK(a_stream_keeps_order) {
    const Stream stream(0);
    const Memory memory(1, 0);
    const Gate gate;
    gate.hold(stream);
    for (int value = 0; value < 100; ++value) cpu::set_bytes(memory, 0, static_cast<unsigned char>(value), 1, stream);
    EXPECT(!stream.query());
    gate.open();
    EXPECT(first_byte(memory, stream) == 99);
    EXPECT(stream.query());
}

CHECK(an_event_orders_two_streams) {
    const Stream writer(0), reader(0);
    const Memory memory(1, 0);
    cpu::set_bytes(memory, 0, 1, 1, writer);
    writer.synchronize();
    Event written;
    const Gate gate;
    gate.hold(writer);
    cpu::set_bytes(memory, 0, 7, 1, writer);
    written.record(writer);
    EXPECT(first_byte(memory, reader) == 1);  // nothing made the reader wait, and it shows

    unsigned char result = 0;
    cpu::register_memory(&result, 1);
    written.block(reader);
    cpu::download(&result, memory, 0, 1, reader);
    EXPECT(!reader.query() && !written.query() && result == 0);
    gate.open();
    reader.synchronize();
    EXPECT(result == 7 && written.query());
    cpu::unregister_memory(&result);
}

CHECK(an_unrecorded_event_is_complete) {
    const Stream stream(0);
    const Event event;
    event.block(stream);
    stream.synchronize();
    event.synchronize();
    EXPECT(event.query());
    EXPECT_THROW(cpu::Error, event.elapsed_time(event));
}

CHECK(the_latest_recording_counts) {
    const Stream first(0), second(0), waiter(0);
    Event event;
    const Gate gate;
    gate.hold(first);
    event.record(first);
    event.record(second);
    event.block(waiter);
    waiter.synchronize();
    event.synchronize();
    gate.open();
}

CHECK(a_wait_is_for_the_recording_before_it) {
    const Stream first(0), second(0), waiter(0);
    Event event;
    event.record(first);
    first.synchronize();
    event.block(waiter);
    const Gate gate;
    gate.hold(second);
    event.record(second);
    waiter.synchronize();
    EXPECT(!event.query());
    gate.open();
    event.synchronize();
}

CHECK(events_tell_the_time) {
    const Stream stream(0);
    Event start, end, untimed(false);
    start.record(stream);
    stream.delay(std::chrono::milliseconds(20));
    end.record(stream);
    untimed.record(stream);
    stream.synchronize();
    EXPECT(start.elapsed_time(end) >= 20 && end.elapsed_time(start) <= -20);
    EXPECT_THROW(cpu::Error, start.elapsed_time(untimed));
    const Gate gate;
    gate.hold(stream);
    end.record(stream);
    EXPECT_THROW(cpu::Error, start.elapsed_time(end));
    gate.open();
}

CHECK(streams_run_at_the_same_time) {
    const Stream first(0), second(0);
    const auto met = std::make_shared<std::atomic<int>>(0);
    for (const Stream* stream : {&first, &second}) {
        stream->push("meet", [met] {
            for (++*met; *met < 2;) std::this_thread::yield();
        });
    }
    first.synchronize();
    second.synchronize();
}

CHECK(a_closed_stream_still_does_its_work) {
    const Memory memory(1, 0);
    Event done;
    const Gate gate;
    {
        const Stream stream(0);
        gate.hold(stream);
        cpu::set_bytes(memory, 0, 5, 1, stream);
        done.record(stream);
    }
    gate.open();
    done.synchronize();
    EXPECT(first_byte(memory, cpu::default_stream(0)) == 5);
}

CHECK(many_threads_queue_on_one_stream) {
    const Stream stream(0);
    int sum = 0;  // only the stream's thread touches it
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int j = 0; j < 500; ++j) stream.push("add", [&sum] { ++sum; });
            stream.synchronize();
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT(sum == 2000);
}

CHECK(turns_stay_in_order_whoever_takes_them) {
    const Stream stream(0);
    std::vector<int> order;  // a turn is over before the next begins
    for (int task = 0; task < 3; ++task) {
        for (int turns : {3, 1}) {
            const auto left = std::make_shared<int>(turns);
            stream.push_turns("turns", [&order, task, left] {
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
                order.push_back(task * 10 + *left);
                return --*left == 0;
            }, Takes::little);
        }
        stream.push("task", [&order, task] { order.push_back(-task); });
    }
    std::thread other([&stream] { stream.wait(); });
    while (!stream.wait_for(std::chrono::milliseconds(1))) {
    }
    other.join();
    EXPECT((order == std::vector<int>{3, 2, 1, 1, 0, 13, 12, 11, 11, -1, 23, 22, 21, 21, -2}));
}

CHECK(a_wait_with_a_limit_ends_between_turns) {
    const auto turns = std::make_shared<std::atomic<int>>(0);
    const auto last = std::make_shared<std::atomic<bool>>(false);
    Event done;
    {
        const Stream stream(0);
        stream.push_turns("turns", [turns, last] {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            ++*turns;
            return last->load();
        }, Takes::little);
        done.record(stream);
        EXPECT(!stream.wait_for(std::chrono::milliseconds(20)));
        EXPECT(!stream.query());
        *last = true;
    }
    done.synchronize();  // the stream is closed, and goes on
    EXPECT(*turns > 0);
}

CHECK(work_rounds_to_nearest_whoever_does_it) {
    const auto third = [] {
        const volatile float one = 1, three = 3;
        return one / three;
    };
    const float nearest = third();
    std::fesetround(FE_DOWNWARD);
    EXPECT(third() != nearest);
    const Stream stream(0);
    std::atomic<int> wrong{0}, parts{0};
    for (const Takes takes : {Takes::little, Takes::unknown}) {
        stream.push("work", [&] {
            cpu::parallel_for(64, 1, [&](std::int64_t, std::int64_t) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so that all threads of the pool have some
                if (third() != nearest) ++wrong;
                ++parts;
            });
        }, nullptr, takes);
        if (takes == Takes::little) {
            stream.wait();
        } else {
            while (!stream.query()) std::this_thread::yield();
        }
        EXPECT(third() != nearest);  // the thread that helped has its mode again
    }
    std::fesetround(FE_TONEAREST);
    EXPECT(wrong == 0);
    EXPECT(parts == 128);
}

CHECK(a_turn_that_fails_is_the_last) {
    const Stream stream(0);
    int turns = 0;
    stream.push_turns("turns", [&turns]() -> bool {
        if (++turns == 3) throw std::out_of_range("third");
        return false;
    }, Takes::little);
    EXPECT_THROW(std::out_of_range, stream.synchronize());
    cpu::fail_at("turns", 1, cpu::Fault::queued);
    stream.push_turns("turns", [&turns] { return ++turns > 0; }, Takes::little);
    EXPECT_THROW(cpu::Error, stream.synchronize());
    EXPECT(turns == 3);
}

CHECK(a_stream_works_also_after_others_have_helped_it) {
    const Stream stream(0);
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 20; ++i) {
            stream.push("help", [] {}, nullptr, Takes::little);
            while (!stream.wait_for(std::chrono::milliseconds(50))) {
            }
        }
        stream.push("alone", [] {}, nullptr, round % 2 == 0 ? Takes::little : Takes::unknown);
        while (!stream.query()) std::this_thread::yield();
    }
}

CHECK(one_thread_records_what_others_wait_for) {
    Stream stream(0);
    Event event;
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
        threads.emplace_back([&] {
            const Stream other(0);
            for (int j = 0; j < 200; ++j) {
                event.block(other);
                event.synchronize();
            }
            other.synchronize();
        });
    }
    for (int j = 0; j < 200; ++j) event.record(stream);
    for (auto& thread : threads) thread.join();
}

CHECK(the_first_failure_is_told_once) {
    const Stream stream(0);
    bool later = false;
    stream.push("fail", [] { throw std::out_of_range("first"); });
    stream.push("fail", [] { throw std::invalid_argument("second"); });
    stream.push("work", [&later] { later = true; });
    EXPECT_THROW(std::out_of_range, stream.synchronize());
    EXPECT(later);
    stream.synchronize();
    EXPECT(stream.query());

    stream.push("fail", [] { throw std::out_of_range("third"); });
    stream.wait();
    EXPECT_THROW(std::out_of_range, stream.query());
    EXPECT(stream.query());

    const Memory memory(1, 0);
    unsigned char byte = 0;
    stream.push("fail", [] { throw std::out_of_range("fourth"); });
    EXPECT_THROW(std::out_of_range, cpu::download(&byte, memory, 0, 1, stream));

    stream.push("fail", [] { throw std::out_of_range("fifth"); });
    EXPECT_THROW(std::out_of_range, cpu::synchronize_device(0));
    cpu::synchronize_device(0);
}

CHECK(failures_go_along_with_events) {
    const Stream first(0), second(0);
    Event before, after;
    before.record(first);
    first.push("fail", [] { throw std::out_of_range("here"); });
    after.record(first);
    before.synchronize();
    EXPECT_THROW(std::out_of_range, after.synchronize());
    EXPECT_THROW(std::out_of_range, after.query());
    before.block(second);
    second.synchronize();
    after.block(second);
    EXPECT_THROW(std::out_of_range, second.synchronize());
    EXPECT_THROW(std::out_of_range, first.synchronize());
}

CHECK(calls_fail_when_told_to) {
    const Stream stream(0);
    const Memory memory(1, 0);
    cpu::fail_at("memset_async", 2, cpu::Fault::now);
    cpu::set_bytes(memory, 0, 1, 1, stream);
    EXPECT_THROW(cpu::Error, cpu::set_bytes(memory, 0, 2, 1, stream));
    EXPECT(first_byte(memory, stream) == 1);
    cpu::fail_at("memset_async", 1, cpu::Fault::queued);
    cpu::set_bytes(memory, 0, 3, 1, stream);
    EXPECT_THROW(cpu::Error, stream.synchronize());
    EXPECT(first_byte(memory, stream) == 1);
    cpu::fail_at("malloc", 1, cpu::Fault::now);
    EXPECT_THROW(cpu::OutOfMemory, Memory(1, 0));
    EXPECT_THROW(std::invalid_argument, cpu::fail_at("malloc", 0, cpu::Fault::now));
    cpu::fail_at("memset_async", 1, cpu::Fault::now);
    cpu::forget_faults();
    cpu::set_bytes(memory, 0, 4, 1, stream);
    EXPECT(first_byte(memory, stream) == 4);
}

CHECK(a_recording_that_fails_is_complete_and_tells) {
    const Stream first(0), second(0);
    Event event;
    const Gate gate;
    gate.hold(first);
    cpu::fail_at("record", 1, cpu::Fault::queued);
    event.record(first);
    event.block(second);
    gate.open();
    EXPECT_THROW(cpu::Error, event.synchronize());
    EXPECT_THROW(cpu::Error, second.synchronize());
    EXPECT_THROW(cpu::Error, first.synchronize());
}

CHECK(an_event_and_its_stream_agree) {
    const Stream stream(0);
    for (int i = 0; i < 20000; ++i) {
        Event event;
        stream.push("nothing", [] {});
        event.record(stream);
        if (i % 2 == 0) {
            event.synchronize();
            EXPECT(stream.query());
        } else {
            while (!stream.query()) {
            }
            EXPECT(event.query());
        }
    }
}

CHECK(the_environment_names_calls_that_fail) {  // CPU_FFI_FAIL=malloc:2,memset_async:1=queued
    const Stream stream(0);
    const Memory memory(1, 0);
    EXPECT_THROW(cpu::OutOfMemory, Memory(1, 0));
    cpu::set_bytes(memory, 0, 1, 1, stream);
    EXPECT_THROW(cpu::Error, stream.synchronize());
}

CHECK(a_forked_child_is_told) {
    const Stream stream(0);
    const Memory memory(1, 0);
    Event event;
    const Gate gate;
    gate.hold(stream);
    cpu::set_bytes(memory, 0, 1, 1, stream);
    event.record(stream);
    const pid_t child = fork();
    if (child == 0) {
        EXPECT_THROW(cpu::Error, stream.synchronize());
        EXPECT_THROW(cpu::Error, stream.query());
        EXPECT_THROW(cpu::Error, event.synchronize());
        EXPECT_THROW(cpu::Error, cpu::set_bytes(memory, 0, 1, 1, stream));
        EXPECT_THROW(cpu::Error, Memory(1, 0));
        EXPECT_THROW(cpu::Error, Stream(0));
        EXPECT_THROW(cpu::Error, cpu::default_stream(0));
        EXPECT_THROW(cpu::Error, cpu::synchronize_device(0));
        _exit(0);
    }
    int status = 1;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    gate.open();
    stream.synchronize();
}
