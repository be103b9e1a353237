// Counts the calls of every API function, and makes the ones that a test asked for fail.
#pragma once
#include <cuda_runtime_api.h>

#include <string>

namespace standin {

// Counts one call of `function`. The result is what it must fail with, or cudaSuccess.
//
// CUDA_STANDIN_FAIL=cudaMalloc:2,cudaMemcpyAsync:1=719 lets the second cudaMalloc and the first cudaMemcpyAsync
// fail, once each. `*:7` is the seventh call of any function, and `*:7+` that and all later ones: the driver has gone.
// Without a code, a function that allocates gives cudaErrorMemoryAllocation, any other cudaErrorUnknown.
cudaError_t count_call(const char* function);

// The same from now on, in place of what was planned: calls are counted anew. False when the text is not understood.
bool plan_failures(const std::string& text);

long calls(const char* function);  // "*" for all functions together

}  // namespace standin
