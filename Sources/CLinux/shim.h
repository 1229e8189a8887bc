#pragma once
#include <linux/input.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

/* Requests are macros of macros, which Swift does not see. */
static inline unsigned long jackdaw_eviocgsw(unsigned length) { return EVIOCGSW(length); }

/* Its flags are an enumeration of its own in C. */
static inline int jackdaw_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

/* Variadic. */
static inline void jackdaw_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
