// The loops with the instructions that every processor of its kind has.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "loops.hpp"

#define CPU_LEVEL baseline
#define CPU_VECTOR 16
#include "level.inl"
