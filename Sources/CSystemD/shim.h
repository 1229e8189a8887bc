#pragma once
#include <systemd/sd-bus.h>

/* A macro of a macro, which Swift does not see. */
static inline unsigned long long jackdaw_bus_no_timeout(void) { return UINT64_MAX; }
