// What a test may ask the stand-in beyond the CUDA API.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

enum StandinKind {
    STANDIN_STREAMS = 0,
    STANDIN_EVENTS = 1,
    STANDIN_DEVICE_MEMORY = 2,
    STANDIN_PINNED_MEMORY = 3,
    STANDIN_LIBRARIES = 4,
};

// How many of them were made and not released yet; -1 for an unknown kind.
int standinLiveObjects(int kind);

// How often an API function was called, failing calls included; "*" for all of them.
long standinCalls(const char* function);

// Plans failures as CUDA_STANDIN_FAIL does, counting calls from now on; "" takes all plans back. 0 when understood.
int standinFail(const char* plan);

// What is queued on the stream from now on begins after standinRelease: a test need not guess how long work takes.
// 0 when there is such a stream.
int standinHold(void* stream);

// Lets all that is held begin.
void standinRelease(void);

#ifdef __cplusplus
}
#endif
