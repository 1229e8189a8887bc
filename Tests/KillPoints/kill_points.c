/* Counts the calls by which a process writes to files, or sends and receives over the network, and kills the process at one
   of them. It is loaded before the other libraries: LD_PRELOAD=kill_points.so.

   KILL_POINTS_LOG  a file, to which a line is appended at the end of the process or when it is killed
   KILL_POINTS_AT   the number of the call, from 1, at which the process is killed; otherwise calls are counted
   KILL_POINTS_WAY  before, half or after: the call is not made, half of its bytes are written, or it has returned

   A call that receives counts when it has received something, and kills after that. Files are regular files, the network is
   IPv4 and IPv6. Standard input, output and error do not count. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum way { BEFORE, HALF, AFTER };
enum kind { NONE, REGULAR, NETWORK };

static atomic_long calls, of_files, of_network;
static long target;
static enum way way;

static void append(const char *format, ...) {
    const char *path = getenv("KILL_POINTS_LOG");
    if (!path) return;
    char line[200];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return;
    syscall(SYS_write, file, line, (size_t)size);
    syscall(SYS_close, file);
}

__attribute__((constructor)) static void begin(void) {
    const char *number = getenv("KILL_POINTS_AT"), *name = getenv("KILL_POINTS_WAY");
    target = number ? atol(number) : 0;
    way = name && !strcmp(name, "after") ? AFTER : name && !strcmp(name, "half") ? HALF : BEFORE;
}

__attribute__((destructor)) static void end(void) {
    append("points %ld files %ld network %ld\n", atomic_load(&calls), atomic_load(&of_files), atomic_load(&of_network));
}

static void kill_now(const char *name, const char *how) {
    append("killed %ld %s %s\n", target, how, name);
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static enum kind kind_of(int file) {
    struct stat facts;
    if (file <= STDERR_FILENO || fstat(file, &facts) != 0) return NONE;
    if (S_ISREG(facts.st_mode)) return REGULAR;
    if (!S_ISSOCK(facts.st_mode)) return NONE;
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(file, (struct sockaddr *)&address, &size) != 0) return NONE;
    return address.ss_family == AF_INET || address.ss_family == AF_INET6 ? NETWORK : NONE;
}

/* Counts a call. Returns whether the process must be killed at it. */
static int is_target(enum kind kind) {
    if (kind == NONE) return 0;
    atomic_fetch_add(kind == REGULAR ? &of_files : &of_network, 1);
    return atomic_fetch_add(&calls, 1) + 1 == target;
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* Makes a call that writes, with half of its bytes if the process is killed within it. */
#define WRITE(name, kind, whole, half) \
    do { \
        REAL(name); \
        if (!is_target(kind)) return whole; \
        if (way == HALF) (void)half; \
        if (way == AFTER) (void)whole; \
        kill_now(#name, way == HALF ? "half" : way == AFTER ? "after" : "before"); \
        return whole; \
    } while (0)

/* Makes a call that has no halves. */
#define CALL(name, kind, whole) \
    do { \
        REAL(name); \
        if (!is_target(kind)) return whole; \
        if (way == AFTER) (void)whole; \
        kill_now(#name, way == AFTER ? "after" : "before"); \
        return whole; \
    } while (0)

/* Makes a call that receives: it counts if it has received something. */
#define RECEIVE(name, file, call) \
    do { \
        REAL(name); \
        ssize_t received = call; \
        if (received > 0 && kind_of(file) == NETWORK && is_target(NETWORK)) kill_now(#name, "after"); \
        return received; \
    } while (0)

ssize_t write(int file, const void *bytes, size_t size) {
    WRITE(write, kind_of(file), real(file, bytes, size), real(file, bytes, size / 2));
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t place) {
    WRITE(pwrite, kind_of(file), real(file, bytes, size, place), real(file, bytes, size / 2, place));
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t place) {
    WRITE(pwrite64, kind_of(file), real(file, bytes, size, place), real(file, bytes, size / 2, place));
}

/* Half of them: the first parts, or half of the only one. */
static ssize_t half_of(ssize_t (*real)(int, const struct iovec *, int), int file, const struct iovec *parts, int count) {
    if (count > 1) return real(file, parts, count / 2);
    struct iovec half = parts[0];
    half.iov_len /= 2;
    return real(file, &half, 1);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    WRITE(writev, kind_of(file), real(file, parts, count), half_of(real, file, parts, count));
}

int fsync(int file) { CALL(fsync, kind_of(file), real(file)); }

int fdatasync(int file) { CALL(fdatasync, kind_of(file), real(file)); }

int ftruncate(int file, off_t size) { CALL(ftruncate, kind_of(file), real(file, size)); }

int ftruncate64(int file, off64_t size) { CALL(ftruncate64, kind_of(file), real(file, size)); }

int rename(const char *from, const char *to) { CALL(rename, REGULAR, real(from, to)); }

int unlink(const char *path) { CALL(unlink, REGULAR, real(path)); }

ssize_t send(int file, const void *bytes, size_t size, int flags) {
    WRITE(send, kind_of(file), real(file, bytes, size, flags), real(file, bytes, size / 2, flags));
}

ssize_t sendto(
    int file, const void *bytes, size_t size, int flags, const struct sockaddr *address, socklen_t address_size) {
    WRITE(
        sendto, kind_of(file), real(file, bytes, size, flags, address, address_size),
        real(file, bytes, size / 2, flags, address, address_size));
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags) {
    CALL(sendmsg, kind_of(file), real(file, message, flags));
}

ssize_t read(int file, void *bytes, size_t size) { RECEIVE(read, file, real(file, bytes, size)); }

ssize_t readv(int file, const struct iovec *parts, int count) { RECEIVE(readv, file, real(file, parts, count)); }

ssize_t recv(int file, void *bytes, size_t size, int flags) { RECEIVE(recv, file, real(file, bytes, size, flags)); }

ssize_t recvfrom(int file, void *bytes, size_t size, int flags, struct sockaddr *address, socklen_t *address_size) {
    RECEIVE(recvfrom, file, real(file, bytes, size, flags, address, address_size));
}

ssize_t recvmsg(int file, struct msghdr *message, int flags) { RECEIVE(recvmsg, file, real(file, message, flags)); }

/* With _FORTIFY_SOURCE calls with a known size go here. */
ssize_t __read_chk(int file, void *bytes, size_t size, size_t room);
ssize_t __read_chk(int file, void *bytes, size_t size, size_t room) {
    RECEIVE(__read_chk, file, real(file, bytes, size, room));
}

ssize_t __recv_chk(int file, void *bytes, size_t size, size_t room, int flags);
ssize_t __recv_chk(int file, void *bytes, size_t size, size_t room, int flags) {
    RECEIVE(__recv_chk, file, real(file, bytes, size, room, flags));
}
