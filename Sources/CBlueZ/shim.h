#pragma once
#include <bluetooth/bluetooth.h>
#include <bluetooth/l2cap.h>
#include <bluetooth/rfcomm.h>
#include <sys/socket.h>

/* A macro of a macro, and an enumeration of its own in C. */
static inline int jackdaw_bluetooth_socket(int type, int protocol) {
    return socket(AF_BLUETOOTH, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
}
static inline int jackdaw_rfcomm_socket(void) { return jackdaw_bluetooth_socket(SOCK_STREAM, BTPROTO_RFCOMM); }
static inline int jackdaw_l2cap_socket(void) { return jackdaw_bluetooth_socket(SOCK_SEQPACKET, BTPROTO_L2CAP); }
static inline int jackdaw_accept(int descriptor) {
    return accept4(descriptor, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* Addresses have a byte order of their own: the lowest byte first. */
static inline struct sockaddr_rc jackdaw_rfcomm_address(const unsigned char *highest_first, unsigned char channel) {
    struct sockaddr_rc address = {.rc_family = AF_BLUETOOTH, .rc_channel = channel};
    for (int i = 0; i < 6; i++) address.rc_bdaddr.b[i] = highest_first[5 - i];
    return address;
}
static inline struct sockaddr_l2 jackdaw_l2cap_address(const unsigned char *highest_first, unsigned short psm) {
    struct sockaddr_l2 address = {.l2_family = AF_BLUETOOTH, .l2_psm = htobs(psm)};
    for (int i = 0; i < 6; i++) address.l2_bdaddr.b[i] = highest_first[5 - i];
    return address;
}
