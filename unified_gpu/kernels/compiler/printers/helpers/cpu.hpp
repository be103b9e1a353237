// What C++ for the CPU calls the functions and numbers that the other files need.
#include "kernel_abi.hpp"
#define DEVICE static inline __attribute__((always_inline))
#define K_INFINITY __builtin_inff()
#define K_NAN __builtin_nanf("")
DEVICE float K_MOD(float a, float b) { return __builtin_fmodf(a, b); }
DEVICE double K_MOD(double a, double b) { return __builtin_fmod(a, b); }
DEVICE float K_SIGN(float a, float b) { return __builtin_copysignf(a, b); }
DEVICE double K_SIGN(double a, double b) { return __builtin_copysign(a, b); }
DEVICE float K_FLOOR(float a) { return __builtin_floorf(a); }
DEVICE double K_FLOOR(double a) { return __builtin_floor(a); }
DEVICE int k_most(int a, long long b) { return b <= a ? a : b > 2147483647 ? 2147483647 : (int)b; }
DEVICE int k_least(int a, long long b) { return b >= a ? a : b < 0 ? 0 : (int)b; }
