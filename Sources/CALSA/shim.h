#pragma once
#include <alsa/asoundlib.h>

/* The library prints what fails to standard error unless it is given a function for that, which is variadic: Swift can
 * neither write one nor name the type. */
static inline void jackdaw_ignore_message(
    const char *file, int line, const char *function, int code, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)code, (void)format;
}

/* Silences the library for the whole process; a function that the program has set itself stays. */
static inline void jackdaw_silence_library(void) {
    snd_lib_error_handler_t current = snd_lib_error;
    snd_lib_error_set_handler(0);
    snd_lib_error_set_handler(current == snd_lib_error ? jackdaw_ignore_message : current);
}
