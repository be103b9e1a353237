// As lines.hpp, which includes it.
#ifndef BRIDGE_OF_ROOMS_H
#define BRIDGE_OF_ROOMS_H

constexpr int mem_lines_of_bridge = 41;

#endif
