// What `#include <cuda_fp16.h>` finds on the CPU: the types are part of what stands before every kernel.
#pragma once
#include "kernel_halves.hpp"
