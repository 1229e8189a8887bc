/* Counts calls that a thread of sound must not wait for: allocations, frees and locks of mutexes. Preloaded into a
 * program, it watches the threads whose names begin with "jackdaw-", each from its first poll to its last one. At the
 * program's end it writes into the file AUDIO_PATH_REPORT: threads, polls, allocations, frees, locks, and last all of
 * these that libasound does itself. The first line is of the first such thread, the second line of all others, because
 * Swift's runtime allocates the metadata of types when they are first used.
 *   cc -shared -fPIC -O2 -o libaudio_path.so audio_path.c
 *   LD_PRELOAD=./libaudio_path.so AUDIO_PATH_REPORT=report jackdaw listen --link alsa:null
 * With AUDIO_PATH_TRACE set, the place of each call is printed on standard error. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

enum { THREADS, POLLS, ALLOCATIONS, FREES, LOCKS, LIBRARY, KINDS };
static atomic_long totals[2][KINDS];
static atomic_int threads;
/* Of this thread, since its last poll. Not in memory that is taken when it is used first. */
#define OF_THREAD __thread __attribute__((tls_model("initial-exec")))
static OF_THREAD int isWatched, isBusy, row;
static OF_THREAD long counts[KINDS];
static int isTraced;

static void count(int kind, void *caller) {
  Dl_info place;
  if (!isWatched || isBusy) return;
  if (dladdr(caller, &place) && place.dli_fname && strstr(place.dli_fname, "libasound")) kind = LIBRARY;
  counts[kind]++;
  if (!isTraced || kind == LIBRARY || row == 0) return;
  isBusy = 1;
  void *places[24];
  dprintf(2, "-- %d\n", kind);
  backtrace_symbols_fd(places, backtrace(places, 24), 2);
  isBusy = 0;
}

int poll(struct pollfd *entries, nfds_t number, int timeout) {
  static int (*next)(struct pollfd *, nfds_t, int);
  if (!next) next = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
  if (!isWatched) {
    char name[16] = "";
    prctl(PR_GET_NAME, name, 0, 0, 0);
    isWatched = !strncmp(name, "jackdaw-", 8);
    if (isWatched) {
      counts[THREADS] = 1;
      row = atomic_fetch_add(&threads, 1) > 0;
    }
  }
  if (isWatched) {
    counts[POLLS]++;
    for (int kind = 0; kind < KINDS; kind++) {
      atomic_fetch_add(&totals[row][kind], counts[kind]);
      counts[kind] = 0;
    }
  }
  return next(entries, number, timeout);
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size) { count(ALLOCATIONS, CALLER); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { count(ALLOCATIONS, CALLER); return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { count(ALLOCATIONS, CALLER); return __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { count(ALLOCATIONS, CALLER); return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) {
  count(ALLOCATIONS, CALLER);
  return __libc_memalign(alignment, size);
}
int posix_memalign(void **result, size_t alignment, size_t size) {
  void *place = __libc_memalign(alignment, size);
  count(ALLOCATIONS, CALLER);
  if (place) *result = place;
  return place ? 0 : ENOMEM;
}
void free(void *place) { if (place) count(FREES, CALLER); __libc_free(place); }

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static int (*next)(pthread_mutex_t *);
  if (!next) next = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
  count(LOCKS, CALLER);
  return next(mutex);
}

__attribute__((constructor)) static void begin(void) {
  void *place;
  isTraced = getenv("AUDIO_PATH_TRACE") != NULL;
  if (isTraced) backtrace(&place, 1); /* which loads a library the first time */
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("AUDIO_PATH_REPORT");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  for (int line = 0; line < 2; line++)
    for (int kind = 0; kind < KINDS; kind++)
      fprintf(file, "%ld%c", atomic_load(&totals[line][kind]), kind + 1 < KINDS ? ' ' : '\n');
  fclose(file);
}
