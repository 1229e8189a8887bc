// hci_bridge INDEX PORT   connects the raw HCI of a Bluetooth controller (its user channel) to a serial port, as packets
// of H4 (Bluetooth Core Specification, volume 4, part A), in both directions. The controller must be down.
//   cc -O2 -o hci_bridge hci_bridge.c
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// The kernel's own values, so that the machine needs no headers of BlueZ.
enum { af_bluetooth = 31, btproto_hci = 1, hci_channel_user = 1 };
struct hci_address {
    sa_family_t family;
    uint16_t device, channel;
};

static void fail(const char *what) {
    perror(what);
    exit(1);
}

// The size of the packet that begins here, or 0 if its header is not complete.
static size_t packet_size(const uint8_t *p, size_t count) {
    if (count < 1) return 0;
    switch (p[0]) {
    case 1: return count < 4 ? 0 : 4u + p[3];                         // command
    case 2: return count < 5 ? 0 : 5u + p[3] + 256u * p[4];           // ACL data
    case 3: return count < 4 ? 0 : 4u + p[3];                         // SCO data
    case 5: return count < 5 ? 0 : 5u + p[3] + 256u * (p[4] & 0x3f);  // ISO data
    default: fprintf(stderr, "hci_bridge: packet type %02x\n", p[0]); exit(1);
    }
}

int main(int count, char **arguments) {
    if (count != 3) return 64;
    struct hci_address address = {af_bluetooth, (uint16_t)atoi(arguments[1]), hci_channel_user};
    int controller = socket(af_bluetooth, SOCK_RAW | SOCK_CLOEXEC, btproto_hci);
    int port = open(arguments[2], O_RDWR | O_CLOEXEC);
    if (controller < 0 || port < 0 || bind(controller, (struct sockaddr *)&address, sizeof address)) fail("hci_bridge");
    static uint8_t received[65536], packet[4096];
    size_t held = 0;
    struct pollfd ready[2] = {{controller, POLLIN, 0}, {port, POLLIN, 0}};
    for (;;) {
        if (poll(ready, 2, -1) < 0) fail("hci_bridge: poll");
        if (ready[0].revents) {
            // One read is one packet.
            ssize_t size = read(controller, packet, sizeof packet);
            if (size <= 0 || write(port, packet, (size_t)size) != size) fail("hci_bridge: from the controller");
        }
        if (ready[1].revents & POLLIN) {
            ssize_t size = read(port, received + held, sizeof received - held);
            if (size < 0) fail("hci_bridge: from the port");
            held += (size_t)size;
            size_t at = 0, wanted;
            while ((wanted = packet_size(received + at, held - at)) && wanted <= held - at) {
                // One write is one packet.
                if (write(controller, received + at, wanted) != (ssize_t)wanted) fail("hci_bridge: to the controller");
                at += wanted;
            }
            memmove(received, received + at, held -= at);
        } else if (ready[1].revents) {
            // The other end is not open yet.
            usleep(50000);
        }
    }
}
