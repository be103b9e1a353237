// The threads of a block as fibers, which stop at barriers and in what the threads of a warp do together.
#pragma once

namespace cpu_kernels {

constexpr std::size_t stack_size = 128 << 10;
constexpr unsigned warp_size = 32;

// What a stopped fiber waits for: nothing, the threads of its mask, or all threads of the block.
enum class Waits : unsigned char { nothing, warp, block };

// What the threads of a warp exchange when all of a mask have come to the same place.
enum class Exchange : unsigned char { nothing, shuffle, ballot };

// A thread of a block that can stop at a barrier and go on later; it is used for one block after the other.
struct Fiber {
    char* stack;
    std::jmp_buf at;
    uint3 index;
    bool done;
    Waits waits;
    Exchange exchange;
    unsigned mask, source;            // the lanes that take part, and the one whose value this one gets
    unsigned long long value, result;  // what it gives, and what it gets
};

struct Block {
    Fiber fibers[1024];
    std::jmp_buf scheduler;
    Fiber* current;
    unsigned count;
    void (*body)(void*);
    void* context;

    ~Block() {
        for (Fiber& each : fibers) delete[] each.stack;
    }
    unsigned lane() const { return static_cast<unsigned>(current - fibers) % warp_size; }
};
static thread_local Block* running;
static thread_local const char* stack_of_fiber;  // of the one that runs

// The thread's own, made when it is first needed. Without std::unique_ptr: <memory> is a third of what a compiler has to
// read for a kernel.
class OwnBlock {
public:
    OwnBlock() = default;
    ~OwnBlock() { drop(); }
    OwnBlock(const OwnBlock&) = delete;
    OwnBlock& operator=(const OwnBlock&) = delete;

    Block& get() {
        if (block_ == nullptr) block_ = new Block{};
        return *block_;
    }
    // What runs in it is lost.
    void drop() {
        delete block_;
        block_ = nullptr;
    }

private:
    Block* block_ = nullptr;
};
static OwnBlock& block_of_thread() {
    static thread_local OwnBlock block;
    return block;
}

// Back to the caller that resumed this fiber. Unlike swapcontext, _longjmp asks nothing of the system.
inline void stop_fiber(Waits waits) {
    Block& block = *running;
    block.current->waits = waits;
    if (_setjmp(block.current->at) == 0) _longjmp(block.scheduler, 1);
}

inline void begin_fiber() {
    for (;;) {
        running->body(running->context);
        running->current->done = true;
        stop_fiber(Waits::nothing);
    }
}

__attribute__((noinline)) inline void resume(Block& block, Fiber& fiber) {
    block.current = &fiber;
    thread_index = fiber.index;
    const bool is_new = fiber.stack == nullptr;
    if (is_new) fiber.stack = new char[stack_size];
    stack_of_fiber = fiber.stack;
    if (_setjmp(block.scheduler) != 0) return;
    if (!is_new) _longjmp(fiber.at, 1);
    ucontext_t start;
    getcontext(&start);
    start.uc_stack.ss_sp = fiber.stack;
    start.uc_stack.ss_size = stack_size;
    start.uc_link = nullptr;
    makecontext(&start, begin_fiber, 0);
    setcontext(&start);
}

// The lanes of a mask that are there and not done; 0 when one of them does not wait for the warp yet.
inline unsigned gathered(const Fiber* warp, unsigned count, unsigned mask) {
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < count; ++lane) {
        if ((mask >> lane & 1) == 0 || warp[lane].done) continue;
        if (warp[lane].waits != Waits::warp) return 0;
        lanes |= 1u << lane;
    }
    return lanes;
}

// Let those go on whose mask has gathered, each with what it gets.
inline void release_warp(Fiber* warp, unsigned count) {
    for (unsigned first = 0; first < count; ++first) {
        if (warp[first].done || warp[first].waits != Waits::warp) continue;
        const unsigned lanes = gathered(warp, count, warp[first].mask);
        unsigned votes = 0;
        for (unsigned lane = 0; lane < count; ++lane) {
            if ((lanes >> lane & 1) != 0 && warp[lane].value != 0) votes |= 1u << lane;
        }
        for (unsigned lane = 0; lane < count; ++lane) {
            if ((lanes >> lane & 1) == 0) continue;
            Fiber& fiber = warp[lane];
            const unsigned source = (lanes >> fiber.source & 1) != 0 ? fiber.source : lane;
            fiber.result = fiber.exchange == Exchange::ballot ? votes : warp[source].value;
        }
        for (unsigned lane = 0; lane < count; ++lane) {
            if ((lanes >> lane & 1) != 0) warp[lane].waits = Waits::nothing;
        }
    }
}

// Run the threads of a warp until each is done, or waits for what is not here.
inline void run_warp(Block& block, Fiber* warp, unsigned count) {
    for (bool ran = true; ran;) {
        ran = false;
        bool together = false;
        for (unsigned lane = 0; lane < count; ++lane) {
            if (warp[lane].done || warp[lane].waits != Waits::nothing) continue;
            resume(block, warp[lane]);
            ran = true;
            together = together || warp[lane].waits == Waits::warp;
        }
        if (together) release_warp(warp, count);
    }
}

// All that are left wait: those at a barrier go on, or, when there are none, those whose mask can never gather.
inline unsigned release_block(Block& block) {
    unsigned left = 0;
    bool at_barrier = false;
    for (unsigned i = 0; i < block.count; ++i) {
        Fiber& fiber = block.fibers[i];
        if (fiber.done) continue;
        ++left;
        if (fiber.waits != Waits::block) continue;
        fiber.waits = Waits::nothing;
        at_barrier = true;
    }
    for (unsigned i = 0; !at_barrier && i < block.count; ++i) block.fibers[i].waits = Waits::nothing;
    return left;
}

// Call `thread` once for each thread of the block, with barriers.
template <class Thread>
void run_with_barriers(dim3 size, Thread& thread) {
    Block& block = block_of_thread().get();
    running = &block;
    block.body = [](void* context) { (*static_cast<Thread*>(context))(); };
    block.context = &thread;
    block.count = size.x * size.y * size.z;
    for (unsigned i = 0; i < block.count; ++i) {
        block.fibers[i].index = {i % size.x, i / size.x % size.y, i / size.x / size.y};
        block.fibers[i].done = false;
        block.fibers[i].waits = Waits::nothing;
    }
    do {
        for (unsigned first = 0; first < block.count; first += warp_size) {
            const unsigned left = block.count - first;
            run_warp(block, block.fibers + first, left < warp_size ? left : warp_size);
        }
    } while (release_block(block) > 0);
}

// Wait for the lanes of the mask, and exchange with them.
inline unsigned long long together(unsigned mask, Exchange exchange, unsigned long long value, unsigned source) {
    Fiber& fiber = *running->current;
    fiber.mask = mask | 1u << running->lane();
    fiber.exchange = exchange;
    fiber.value = value;
    fiber.source = source;
    stop_fiber(Waits::warp);
    return running->current->result;
}

// The value of another lane.
template <class T>
T shuffled(unsigned mask, T value, unsigned source) {
    static_assert(sizeof(T) <= sizeof(unsigned long long));
    unsigned long long bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    bits = together(mask, Exchange::shuffle, bits, source);
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace cpu_kernels

inline void __syncthreads() { cpu_kernels::stop_fiber(cpu_kernels::Waits::block); }
inline void __syncwarp(unsigned mask = 0xffffffff) {
    cpu_kernels::together(mask, cpu_kernels::Exchange::nothing, 0, cpu_kernels::running->lane());
}

// Each segment of `width` lanes, a power of two, exchanges for itself; a lane without a source keeps its own value.
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
    const unsigned lane = cpu_kernels::running->lane(), within = static_cast<unsigned>(width) - 1;
    return cpu_kernels::shuffled(mask, value, (lane & ~within) + (static_cast<unsigned>(source) & within));
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    const unsigned lane = cpu_kernels::running->lane(), within = static_cast<unsigned>(width) - 1;
    return cpu_kernels::shuffled(mask, value, (lane & within) < delta ? lane : lane - delta);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    const unsigned lane = cpu_kernels::running->lane(), within = static_cast<unsigned>(width) - 1;
    return cpu_kernels::shuffled(mask, value, (lane & within) + delta > within ? lane : lane + delta);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
    const unsigned lane = cpu_kernels::running->lane(), within = static_cast<unsigned>(width) - 1;
    const unsigned source = lane ^ static_cast<unsigned>(lanes);
    return cpu_kernels::shuffled(mask, value, source > (lane | within) ? lane : source);
}

inline unsigned __ballot_sync(unsigned mask, int predicate) {
    return static_cast<unsigned>(cpu_kernels::together(mask, cpu_kernels::Exchange::ballot, predicate != 0, 0));
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate == 0) == 0; }

// The lanes of the warp that are not done: here they run one after the other.
inline unsigned __activemask() {
    const cpu_kernels::Block& block = *cpu_kernels::running;
    const unsigned first = static_cast<unsigned>(block.current - block.fibers) / 32 * 32;
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < 32 && first + lane < block.count; ++lane) {
        if (!block.fibers[first + lane].done) lanes |= 1u << lane;
    }
    return lanes;
}
