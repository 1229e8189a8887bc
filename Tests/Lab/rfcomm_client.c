// rfcomm_client ADDRESS|sockets   a plain RFCOMM client that does the same work as JackdawBluetoothLab's `stream`, to
// measure it against: 200 echoes of 16 bytes, 256 KiB received, 1 MiB echoed. Channel 1 of the reader echoes, channel 2
// sends; with `sockets` they are the descriptors 3 and 4, as serial_reader leaves them.
//   cc -O2 -o rfcomm_client rfcomm_client.c -lbluetooth
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/rfcomm.h>

enum { echoes = 200, echo_size = 16, pump_size = 256 * 1024, stream_size = 1024 * 1024, piece = 4096 };

static double wall(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static double processor(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void fail(const char *what) {
    fprintf(stderr, "rfcomm_client: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int dial(const char *address, uint8_t channel) {
    if (!strcmp(address, "sockets")) return channel + 2;
    struct sockaddr_rc peer = {.rc_family = AF_BLUETOOTH, .rc_channel = channel};
    str2ba(address, &peer.rc_bdaddr);
    double start = wall();
    int s = socket(AF_BLUETOOTH, SOCK_STREAM | SOCK_CLOEXEC, BTPROTO_RFCOMM);
    if (s < 0 || connect(s, (struct sockaddr *)&peer, sizeof peer)) fail("connect");
    printf("connect%d %.1f ms\n", channel, (wall() - start) * 1e3);
    return s;
}

static int compare(const void *a, const void *b) {
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

static void measure_latency(int s) {
    double times[echoes];
    char bytes[echo_size] = "0123456789abcde";
    double processed = processor();
    for (int i = 0; i < echoes; i++) {
        double start = wall();
        if (write(s, bytes, echo_size) != echo_size) fail("write");
        for (int count = 0; count < echo_size;) {
            ssize_t n = read(s, bytes, echo_size - count);
            if (n <= 0) fail("read");
            count += n;
        }
        times[i] = wall() - start;
    }
    processed = processor() - processed;
    qsort(times, echoes, sizeof *times, compare);
    printf("latency-median %.2f ms\nlatency-95 %.2f ms\n", times[echoes / 2] * 1e3, times[echoes * 95 / 100] * 1e3);
    printf("latency-processor %.0f us\n", processed / echoes * 1e6);
}

static void tell(const char *name, int size, double seconds, double processed) {
    printf("%s %.0f B/s\n%s-processor %.1f ms\n", name, size / seconds, name, processed * 1e3);
}

static void receive(int s) {
    static uint8_t bytes[65536];
    double start = wall(), processed = processor();
    for (int count = 0; count < pump_size;) {
        ssize_t n = read(s, bytes, sizeof bytes);
        if (n <= 0) fail("read");
        for (ssize_t i = 0; i < n; i++)
            if (bytes[i] != (uint8_t)(count + i)) { errno = EBADMSG; fail("receive"); }
        count += n;
    }
    tell("receive", pump_size, wall() - start, processor() - processed);
}

static void echo(int s) {
    static uint8_t sent[stream_size], bytes[65536];
    uint32_t noise = 2463534242u;
    for (int i = 0; i < stream_size; i++) {
        noise ^= noise << 13;
        noise ^= noise >> 17;
        noise ^= noise << 5;
        sent[i] = (uint8_t)noise;
    }
    fcntl(s, F_SETFL, O_NONBLOCK);
    double start = wall(), processed = processor();
    for (int out = 0, in = 0; in < stream_size;) {
        struct pollfd entry = {s, POLLIN | (out < stream_size ? POLLOUT : 0), 0};
        if (poll(&entry, 1, -1) < 0) fail("poll");
        if (entry.revents & POLLOUT) {
            int left = stream_size - out;
            ssize_t n = write(s, sent + out, left < piece ? left : piece);
            if (n < 0 && errno != EAGAIN) fail("write");
            if (n > 0) out += n;
        }
        if (!(entry.revents & ~POLLOUT)) continue;
        ssize_t n = read(s, bytes, sizeof bytes);
        if (n == 0 || (n < 0 && errno != EAGAIN)) fail("read");
        for (ssize_t i = 0; i < n; i++)
            if (bytes[i] != sent[in + i]) { errno = EBADMSG; fail("echo"); }
        if (n > 0) in += n;
    }
    tell("echo", stream_size, wall() - start, processor() - processed);
}

int main(int count, char **arguments) {
    if (count != 2) return 64;
    int s = dial(arguments[1], 1);
    measure_latency(s);
    int pump = dial(arguments[1], 2);
    receive(pump);
    close(pump);
    echo(s);
    return 0;
}
