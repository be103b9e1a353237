// How long memory lives, how much there is, and how copies use the link.
#include <cstring>
#include <stdexcept>
#include <vector>

#include "check.hpp"

using cpu::Clock;
using cpu::Event;
using cpu::Memory;
using cpu::Stream;

CHECK(memory_is_aligned_and_has_bounds) {
    const Memory small(100, 0), large(std::size_t{5} << 20, 0), none(0, 0);
    EXPECT(reinterpret_cast<std::uintptr_t>(small.data()) % 64 == 0);
    EXPECT(reinterpret_cast<std::uintptr_t>(large.data()) % 64 == 0);
    EXPECT(none.data() == nullptr && none.size() == 0);
    EXPECT(small.part(100, 0) == small.data() + 100);
    EXPECT_THROW(std::invalid_argument, small.part(100, 1));
    EXPECT_THROW(std::invalid_argument, small.part(101, 0));
    EXPECT_THROW(std::invalid_argument, small.part(1, static_cast<std::size_t>(-1)));
    EXPECT_THROW(std::invalid_argument, Memory(1, 1));
    EXPECT_THROW(std::invalid_argument, cpu::set_device(-1));
}

CHECK(memory_is_limited) {  // CPU_FFI_MEMORY_MB=16
    const std::size_t megabyte = std::size_t{1} << 20;
    EXPECT(cpu::memory_info(0).total == 16 * megabyte);
    {
        const Memory half(8 * megabyte, 0);
        EXPECT(cpu::memory_info(0).free == 8 * megabyte);
        EXPECT_THROW(cpu::OutOfMemory, Memory(9 * megabyte, 0));
        EXPECT_THROW(cpu::OutOfMemory, Memory(static_cast<std::size_t>(-1), 0));
    }
    EXPECT(cpu::memory_info(0).free == 16 * megabyte);
    const Memory all(16 * megabyte, 0);
}

CHECK(queued_work_keeps_memory) {
    const Stream stream(0);
    std::vector<char> result(1 << 20);
    cpu::register_memory(result.data(), result.size());
    const Gate gate;
    gate.hold(stream);
    {
        const Memory memory(result.size(), 0);
        cpu::set_bytes(memory, 0, 7, memory.size(), stream);
        cpu::download(result.data(), memory, 0, memory.size(), stream);
    }
    EXPECT(cpu::memory_info(0).free + result.size() == cpu::memory_info(0).total);
    gate.open();
    stream.synchronize();
    EXPECT(cpu::memory_info(0).free == cpu::memory_info(0).total);
    EXPECT(result.front() == 7 && result.back() == 7);
    cpu::unregister_memory(result.data());
}

CHECK(allocating_waits_for_memory_whose_free_is_pending) {  // CPU_FFI_MEMORY_MB=16
    const std::size_t most = cpu::memory_info(0).total;
    const Stream stream(0);
    {
        const Memory memory(most, 0);
        stream.delay(std::chrono::milliseconds(30));
        cpu::set_bytes(memory, 0, 1, most, stream);
    }
    const Memory again(most, 0);
}

CHECK(ordinary_memory_is_read_before_the_call_returns) {
    const Stream stream(0);
    const Memory memory(100000, 0);
    for (const std::size_t size : {std::size_t{100}, std::size_t{100000}}) {
        std::vector<unsigned char> source(size, 3);
        stream.delay(std::chrono::milliseconds(20));
        cpu::upload(memory, 0, source.data(), size, stream);
        std::memset(source.data(), 9, size);
        EXPECT(first_byte(memory, stream) == 3);
    }
}

CHECK(registered_memory_is_read_when_its_turn_comes) {
    const Stream stream(0);
    const Memory memory(10, 0);
    std::vector<unsigned char> source(10, 3);
    cpu::register_memory(source.data(), source.size());
    const Gate gate;
    gate.hold(stream);
    cpu::upload(memory, 0, source.data(), source.size(), stream);
    source[0] = 9;
    gate.open();
    EXPECT(first_byte(memory, stream) == 9);
    cpu::unregister_memory(source.data());
}

CHECK(registrations_do_not_overlap) {
    std::vector<char> memory(100);
    cpu::register_memory(memory.data() + 10, 20);
    EXPECT_THROW(cpu::Error, cpu::register_memory(memory.data() + 10, 1));
    EXPECT_THROW(cpu::Error, cpu::register_memory(memory.data() + 29, 1));
    EXPECT_THROW(cpu::Error, cpu::register_memory(memory.data(), 11));
    EXPECT_THROW(cpu::Error, cpu::register_memory(memory.data(), 100));
    EXPECT_THROW(std::invalid_argument, cpu::register_memory(memory.data(), 0));
    cpu::register_memory(memory.data(), 10);
    cpu::register_memory(memory.data() + 30, 70);
    EXPECT_THROW(cpu::Error, cpu::unregister_memory(memory.data() + 11));
    cpu::unregister_memory(memory.data() + 10);
    EXPECT_THROW(cpu::Error, cpu::unregister_memory(memory.data() + 10));
    cpu::register_memory(memory.data() + 10, 20);
}

CHECK(copies_between_memories_may_overlap) {
    const Stream stream(0);
    const Memory memory(4, 0);
    cpu::upload(memory, 0, "abcd", 4, stream);
    cpu::copy(memory, 1, memory, 0, 3, stream);
    char result[4];
    cpu::download(result, memory, 0, 4, stream);
    EXPECT(std::memcmp(result, "aabc", 4) == 0);
}

namespace {

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

// Times are of the simulated link, which sleeps: they are lower bounds on any machine, and the upper ones are far off.

CHECK(the_link_takes_its_time) {  // CPU_FFI_LINK_LATENCY_US=100000
    const Stream stream(0);
    const Memory memory(1, 0);
    Event start, end;
    start.record(stream);
    unsigned char byte = 1;
    cpu::upload(memory, 0, &byte, 1, stream);
    end.record(stream);
    stream.synchronize();
    EXPECT(start.elapsed_time(end) >= 100);
    start.record(stream);
    cpu::set_bytes(memory, 0, 2, 1, stream);  // stays on the device
    end.record(stream);
    stream.synchronize();
    EXPECT(start.elapsed_time(end) < 100);
}

CHECK(the_link_has_a_rate) {  // CPU_FFI_LINK_GBPS=0.1
    const Stream stream(0);
    const Memory memory(2000000, 0);
    std::vector<char> data(2000000);
    const auto start = Clock::now();
    cpu::upload(memory, 0, data.data(), data.size(), stream);
    EXPECT(milliseconds_since(start) >= 20);
}

CHECK(uploads_and_downloads_overlap) {  // CPU_FFI_LINK_LATENCY_US=100000
    const Stream up(0), down(0);
    const Memory first(1, 0), second(1, 0);
    unsigned char in = 1, out = 0;
    cpu::register_memory(&in, 1);
    cpu::register_memory(&out, 1);
    bool overlapped = false;
    for (int attempt = 0; attempt < 20 && !overlapped; ++attempt) {  // a busy machine may hold up any one of them
        Event start, up_done, down_done;
        start.record(up);
        cpu::upload(first, 0, &in, 1, up);
        cpu::download(&out, second, 0, 1, down);
        up_done.record(up);
        down_done.record(down);
        cpu::synchronize_device(0);
        EXPECT(start.elapsed_time(up_done) >= 100 && start.elapsed_time(down_done) >= 100);
        overlapped = start.elapsed_time(up_done) < 200 && start.elapsed_time(down_done) < 200;
    }
    EXPECT(overlapped);  // not one after the other
    cpu::unregister_memory(&in);
    cpu::unregister_memory(&out);
}

CHECK(uploads_take_turns) {  // CPU_FFI_LINK_LATENCY_US=100000
    const Stream first(0), second(0);
    const Memory memory(1, 0), other(1, 0);
    unsigned char in = 1;
    cpu::register_memory(&in, 1);
    const auto start = Clock::now();
    cpu::upload(memory, 0, &in, 1, first);
    cpu::upload(other, 0, &in, 1, second);
    cpu::synchronize_device(0);
    EXPECT(milliseconds_since(start) >= 200);
    cpu::unregister_memory(&in);
}

CHECK(devices_are_apart) {  // CPU_FFI_DEVICES=2
    EXPECT(cpu::device_count() == 2);
    const Stream first(0), second(1);
    const Gate gate;
    gate.hold(first);
    cpu::synchronize_device(1);
    const Memory memory(100, 1);
    EXPECT(cpu::memory_info(1).free + 100 == cpu::memory_info(1).total);
    EXPECT(cpu::memory_info(0).free == cpu::memory_info(0).total);
    std::thread([] { cpu::set_device(1); }).join();
    EXPECT(cpu::current_device() == 0);
    gate.open();
}
