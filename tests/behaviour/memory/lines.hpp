// A header of the library with the name of one that each package has.
#ifndef LINES_OF_ROOMS_HPP
#define LINES_OF_ROOMS_HPP

#include <bridge.h>

inline int mem_lines() { return mem_lines_of_bridge + 1; }

#endif
