// What every bridge is made of.
// Static: the same for all packages. Included by generated C++ only.
#pragma once

#include "wg_calls.hpp"
#include "wg_containers.hpp"
#include "wg_failures.hpp"
#include "wg_handles.hpp"
#include "wg_results.hpp"
#include "wg_statuses.hpp"
#include "wg_structs.hpp"
