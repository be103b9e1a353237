// What a test may ask.
#include "calls.hpp"
#include "kernels.hpp"
#include "standin.h"
#include "world.hpp"

using namespace standin;

int standinLiveObjects(int kind) {
    World& world = World::instance();
    switch (kind) {
        case STANDIN_STREAMS: return world.stream_count();
        case STANDIN_EVENTS: return world.event_count();
        case STANDIN_DEVICE_MEMORY: return world.memory.count(MemoryKind::Device);
        case STANDIN_PINNED_MEMORY: return world.memory.count(MemoryKind::Pinned);
        case STANDIN_LIBRARIES: return library_count();
        default: return -1;
    }
}

long standinCalls(const char* function) { return calls(function); }

int standinFail(const char* plan) { return plan_failures(plan) ? 0 : -1; }

int standinHold(void* stream) { return World::instance().hold(static_cast<cudaStream_t>(stream)) ? 0 : -1; }

void standinRelease() { World::instance().release(); }
