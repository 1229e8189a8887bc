// serial_reader PROGRAM ARGUMENT...   the lab's reader without a radio: starts a client with two connected sockets, 3
// and 4, that behave like channels 1 and 2 of the lab's reader, so that clients compare at the machine's own speed. A
// frame is as long as RFCOMM's over a radio, and frames come one at a time.
//   cc -O2 -o serial_reader serial_reader.c
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { frame = 990, pause_us = 100, latency_size = 200 * 16, pump_size = 256 * 1024 };

static void fail(const char *what) {
    perror(what);
    exit(1);
}

// Sends all of some bytes after a pause. Who has gone is found by the next read.
static void put(int s, const uint8_t *bytes, ssize_t count) {
    usleep(pause_us);
    for (ssize_t n; count > 0; bytes += n, count -= n)
        if ((n = send(s, bytes, count, MSG_NOSIGNAL)) <= 0) return;
}

// Sends back what comes, so many bytes or until the end.
static void echo(int s, long limit) {
    uint8_t bytes[frame];
    for (long done = 0; limit == 0 || done < limit;) {
        ssize_t n = read(s, bytes, sizeof bytes);
        if (n <= 0) return;
        put(s, bytes, n);
        done += n;
    }
}

static void pump(int s) {
    uint8_t bytes[frame];
    for (int done = 0; done < pump_size;) {
        int count = pump_size - done < frame ? pump_size - done : frame;
        for (int i = 0; i < count; i++) bytes[i] = (uint8_t)(done + i);
        put(s, bytes, count);
        done += count;
    }
}

int main(int count, char **arguments) {
    int first[2], second[2];
    if (count < 2) return 64;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, first) || socketpair(AF_UNIX, SOCK_STREAM, 0, second)) fail("socketpair");
    // What the client gets lies above 4, so that neither takes the other's place.
    int near[2] = {dup(first[1]), dup(second[1])};
    pid_t client = fork();
    if (client < 0) fail("fork");
    if (client == 0) {
        close(first[0]);
        close(second[0]);
        if (dup2(near[0], 3) < 0 || dup2(near[1], 4) < 0) fail("dup2");
        for (int descriptor = 5; descriptor < 16; descriptor++) close(descriptor);
        execvp(arguments[1], arguments + 1);
        fail(arguments[1]);
    }
    close(first[1]);
    close(second[1]);
    close(near[0]);
    close(near[1]);
    echo(first[0], latency_size);
    pump(second[0]);
    echo(first[0], 0);
    int status;
    waitpid(client, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
