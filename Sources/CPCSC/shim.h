#pragma once

/* The part of libpcsclite's interface that the package calls (winscard.h and pcsclite.h of pcsc-lite on Linux; the
 * binary interface has been the same since version 1.6). Its headers are not included: they find each other only with
 * flags of its pkg-config file, which also has -pthread, and SwiftPM prints a warning about that in each build. */

#define SCARD_SCOPE_SYSTEM 2ul

#define SCARD_SHARE_SHARED 2ul
#define SCARD_LEAVE_CARD 0ul
#define SCARD_RESET_CARD 1ul

#define SCARD_PROTOCOL_T0 1ul
#define SCARD_PROTOCOL_T1 2ul

/* The greatest number of octets in an answer to reset. */
#define SCARD_ATR_SIZE 33

typedef struct {
    const char *szReader;
    void *pvUserData;
    unsigned long dwCurrentState;
    unsigned long dwEventState;
    unsigned long cbAtr;
    unsigned char rgbAtr[SCARD_ATR_SIZE];
} SCARD_READERSTATE;

typedef struct {
    unsigned long dwProtocol;
    unsigned long cbPciLength;
} SCARD_IO_REQUEST;

long SCardEstablishContext(unsigned long scope, const void *reserved1, const void *reserved2, long *context);
long SCardReleaseContext(long context);
long SCardListReaders(long context, const char *groups, char *readers, unsigned long *size);
long SCardGetStatusChange(long context, unsigned long timeout, SCARD_READERSTATE *states, unsigned long count);
long SCardCancel(long context);
long SCardConnect(
    long context, const char *reader, unsigned long mode, unsigned long protocols, long *card, unsigned long *protocol);
long SCardReconnect(
    long card, unsigned long mode, unsigned long protocols, unsigned long initialization, unsigned long *protocol);
long SCardBeginTransaction(long card);
long SCardEndTransaction(long card, unsigned long disposition);
long SCardStatus(
    long card, char *readers, unsigned long *readers_size, unsigned long *state, unsigned long *protocol,
    unsigned char *atr, unsigned long *atr_size);
long SCardTransmit(
    long card, const SCARD_IO_REQUEST *send_header, const unsigned char *command, unsigned long command_size,
    SCARD_IO_REQUEST *receive_header, unsigned char *answer, unsigned long *answer_size);
long SCardDisconnect(long card, unsigned long disposition);
