// What CUDA C calls the functions and numbers that the other files need.
#define DEVICE __device__ __forceinline__
#define K_INFINITY __int_as_float(0x7f800000)
#define K_NAN __int_as_float(0x7fc00000)
DEVICE float K_MOD(float a, float b) { return fmodf(a, b); }
DEVICE double K_MOD(double a, double b) { return fmod(a, b); }
DEVICE float K_SIGN(float a, float b) { return copysignf(a, b); }
DEVICE double K_SIGN(double a, double b) { return copysign(a, b); }
DEVICE float K_FLOOR(float a) { return floorf(a); }
DEVICE double K_FLOOR(double a) { return floor(a); }
