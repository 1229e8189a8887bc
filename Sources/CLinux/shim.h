#pragma once
#include <linux/input.h>
#include <sys/ioctl.h>

/* Requests are macros of macros, which Swift does not see. */
static inline unsigned long jackdaw_eviocgsw(unsigned length) { return EVIOCGSW(length); }
