/* DUKPT keys by the calls of libcrypto that their derivation needs, and little else: the measure for
 * JackdawCryptography. */
#pragma once
#include <stdint.h>

/* A context with its cipher, made once for all derivations: "DES-EDE-ECB" or "AES-128-ECB". NULL if there is none. */
void *derivation_context(const char *cipher);
void derivation_context_free(void *context);

/* The data key of a transaction (X9.24-1), from the base derivation key. 1 if all calls succeeded. */
int derive_tdes_data_key(void *context, const uint8_t base[16], const uint8_t ksn[10], uint8_t key[16]);

/* The same of AES-128 (X9.24-3), for data that the reader encrypts. */
int derive_aes_data_key(void *context, const uint8_t base[16], const uint8_t ksn[12], uint8_t key[16]);
