#pragma once
#include <bluetooth/bluetooth.h>
#include <bluetooth/l2cap.h>
#include <bluetooth/rfcomm.h>
#include <string.h>
#include <sys/socket.h>

/* Addresses have a byte order of their own: the lowest byte first. The bytes between the fields are zero, so that
   addresses can be compared. */
static inline void jackdaw_rfcomm_address(unsigned char *bytes, const unsigned char *highest_first,
                                          unsigned char channel) {
    struct sockaddr_rc *address = (struct sockaddr_rc *)memset(bytes, 0, sizeof *address);
    address->rc_family = AF_BLUETOOTH;
    address->rc_channel = channel;
    for (int i = 0; i < 6; i++) address->rc_bdaddr.b[i] = highest_first[5 - i];
}
static inline void jackdaw_l2cap_address(unsigned char *bytes, const unsigned char *highest_first,
                                         unsigned short psm) {
    struct sockaddr_l2 *address = (struct sockaddr_l2 *)memset(bytes, 0, sizeof *address);
    address->l2_family = AF_BLUETOOTH;
    address->l2_psm = htobs(psm);
    for (int i = 0; i < 6; i++) address->l2_bdaddr.b[i] = highest_first[5 - i];
}
