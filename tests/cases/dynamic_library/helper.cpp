#include "helper.hpp"

int lazy_helper() { return 1; }
