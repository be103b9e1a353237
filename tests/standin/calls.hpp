// Counts the calls of every API function, and makes the ones that a test asked for fail.
#pragma once
#include <cuda_runtime_api.h>

namespace standin {

// Counts one call of `function`. The result is what it must fail with, or cudaSuccess.
//
// CUDA_STANDIN_FAIL=cudaMalloc:2,cudaMemcpyAsync:1=719 lets the second cudaMalloc and the first cudaMemcpyAsync
// fail, once each. Without a code, a function that allocates gives cudaErrorMemoryAllocation, any other
// cudaErrorUnknown.
cudaError_t count_call(const char* function);

long calls(const char* function);

}  // namespace standin
