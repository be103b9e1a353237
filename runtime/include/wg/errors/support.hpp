// What every bridge is made of.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_ERRORS_SUPPORT_HPP
#define WG_ERRORS_SUPPORT_HPP

#include "wg/base/calls.hpp"
#include "wg/conversion/containers.hpp"
#include "wg/base/failures.hpp"
#include "wg/ownership/handle_arguments.hpp"
#include "wg/conversion/packed_results.hpp"
#include "wg/conversion/results.hpp"
#include "wg/errors/statuses.hpp"
#include "wg/types/structs.hpp"

#endif  // WG_ERRORS_SUPPORT_HPP
