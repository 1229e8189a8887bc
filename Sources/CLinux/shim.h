#pragma once
#include <linux/input.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

/* Requests are macros of macros, which Swift does not see. */
static inline unsigned long jackdaw_eviocgsw(unsigned length) { return EVIOCGSW(length); }

/* Its flags are an enumeration of its own in C. */
static inline int jackdaw_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

/* Variadic. */
static inline void jackdaw_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/* Its flags are enumerations of their own in C, and its events are packed around a union. */
static inline int jackdaw_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

/* With no events, the descriptor is still watched for its end. */
static inline int jackdaw_epoll_control(int epoll, int operation, int descriptor, int reads, int writes,
                                        unsigned long long number) {
    struct epoll_event event = {
        .events = (reads ? EPOLLIN | EPOLLRDHUP : 0) | (writes ? EPOLLOUT : 0), .data.u64 = number};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

static inline unsigned long long jackdaw_epoll_number(const struct epoll_event *event) { return event->data.u64; }
static inline int jackdaw_epoll_reads(const struct epoll_event *event) {
    return (event->events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
}
static inline int jackdaw_epoll_writes(const struct epoll_event *event) {
    return (event->events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0;
}

/* Its flags are an enumeration of its own in C. */
static inline int jackdaw_timerfd(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC); }

/* To a point of the monotonic clock, which is never its beginning: that would stop it. Negative stops it. */
static inline int jackdaw_timerfd_set(int timer, long long microseconds) {
    struct itimerspec time = {{0, 0}, {0, 0}};
    if (microseconds >= 0) {
        time.it_value.tv_sec = microseconds / 1000000;
        time.it_value.tv_nsec = microseconds % 1000000 * 1000 + 1;
    }
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, 0);
}

/* Its flags are enumerations of their own in C. */
static inline int jackdaw_socket(int domain, int type, int protocol) {
    return socket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
}
static inline int jackdaw_accept(int descriptor) {
    return accept4(descriptor, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* Requests that are macros of macros. The master of a pair of terminals knows the number of the other end. */
static inline int jackdaw_terminal_number(int master) {
    unsigned number = 0;
    return ioctl(master, TIOCGPTN, &number) < 0 ? -1 : (int)number;
}
static inline int jackdaw_terminal_unlock(int master) {
    int isLocked = 0;
    return ioctl(master, TIOCSPTLCK, &isLocked);
}
