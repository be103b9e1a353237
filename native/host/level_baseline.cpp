// The loops with the instructions that every processor of its kind has.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "loops.hpp"

#define HOST_LEVEL baseline
#define HOST_VECTOR 16
#include "level.inl"
