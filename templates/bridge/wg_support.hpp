// What every bridge is made of.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_SUPPORT_HPP
#define WG_SUPPORT_HPP

#include "wg_calls.hpp"
#include "wg_containers.hpp"
#include "wg_failures.hpp"
#include "wg_handle_arguments.hpp"
#include "wg_packed_results.hpp"
#include "wg_results.hpp"
#include "wg_statuses.hpp"
#include "wg_structs.hpp"

#endif  // WG_SUPPORT_HPP
