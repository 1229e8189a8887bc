#include "derivation.h"

#include <openssl/evp.h>
#include <string.h>

void *derivation_context(const char *name)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (!cipher || !context || EVP_EncryptInit_ex2(context, cipher, NULL, NULL, NULL) != 1) {
        EVP_CIPHER_CTX_free(context);
        context = NULL;
    }
    EVP_CIPHER_free(cipher);
    return context;
}

void derivation_context_free(void *context)
{
    EVP_CIPHER_CTX_free(context);
}

/* The two calls that every block needs. */
static int encrypt(EVP_CIPHER_CTX *context, const uint8_t *key, uint8_t *block, int size)
{
    int count = 0;
    return EVP_EncryptInit_ex2(context, NULL, key, NULL, NULL) == 1 &&
           EVP_EncryptUpdate(context, block, &count, block, size) == 1;
}

static const uint8_t mask[8] = {0xC0, 0xC0, 0xC0, 0xC0, 0, 0, 0, 0};

/* One half of the next key of X9.24-1: DES with the left half of the variant, between two XORs with its right half. */
static int half(EVP_CIPHER_CTX *context, const uint8_t *key, int is_left, const uint8_t *reg, uint8_t *block)
{
    uint8_t single[16];
    for (int i = 0; i < 8; i++) {
        uint8_t variant = is_left ? mask[i] : 0;
        single[i] = single[8 + i] = key[i] ^ variant;
        block[i] = reg[i] ^ key[8 + i] ^ variant;
    }
    int is_done = encrypt(context, single, block, 8);
    for (int i = 0; i < 8; i++)
        block[i] ^= key[8 + i] ^ (is_left ? mask[i] : 0);
    return is_done;
}

int derive_tdes_data_key(void *context, const uint8_t base[16], const uint8_t ksn[10], uint8_t key[16])
{
    uint8_t variant[16], next[16], reg[8];
    for (int i = 0; i < 16; i++)
        variant[i] = base[i] ^ mask[i % 8];
    memcpy(key, ksn, 8);
    key[7] &= 0xE0;
    memcpy(key + 8, key, 8);
    int is_done = encrypt(context, base, key, 8) && encrypt(context, variant, key + 8, 8);

    uint32_t counter = (uint32_t)(ksn[7] & 0x1F) << 16 | (uint32_t)ksn[8] << 8 | ksn[9], step = 0;
    memcpy(reg, ksn + 2, 8);
    for (int bit = 20; bit >= 0; bit--) {
        if (!(counter >> bit & 1))
            continue;
        step |= (uint32_t)1 << bit;
        reg[5] = (ksn[7] & 0xE0) | (uint8_t)(step >> 16);
        reg[6] = (uint8_t)(step >> 8);
        reg[7] = (uint8_t)step;
        is_done = is_done && half(context, key, 1, reg, next) && half(context, key, 0, reg, next + 8);
        memcpy(key, next, 16);
    }

    key[5] ^= 0xFF;
    key[13] ^= 0xFF;
    memcpy(next, key, 16);
    is_done = is_done && encrypt(context, key, next, 16);
    memcpy(key, next, 16);
    return is_done;
}

/* One key of X9.24-3. */
static int derive(EVP_CIPHER_CTX *context, uint8_t *key, uint16_t usage, const uint8_t *name)
{
    uint8_t block[16] = {1, 1, (uint8_t)(usage >> 8), (uint8_t)usage, 0, 2, 0, 128};
    memcpy(block + 8, name, 8);
    int is_done = encrypt(context, key, block, 16);
    memcpy(key, block, 16);
    return is_done;
}

int derive_aes_data_key(void *context, const uint8_t base[16], const uint8_t ksn[12], uint8_t key[16])
{
    uint32_t counter = (uint32_t)ksn[8] << 24 | (uint32_t)ksn[9] << 16 | (uint32_t)ksn[10] << 8 | ksn[11], step = 0;
    uint8_t name[8];
    memcpy(key, base, 16);
    int is_done = derive(context, key, 0x8001, ksn);
    memcpy(name, ksn + 4, 4);
    for (int bit = 31; bit >= 0; bit--) {
        if (!(counter >> bit & 1))
            continue;
        step |= (uint32_t)1 << bit;
        for (int i = 0; i < 4; i++)
            name[4 + i] = (uint8_t)(step >> (24 - 8 * i));
        is_done = is_done && derive(context, key, 0x8000, name);
    }
    return is_done && derive(context, key, 0x3000, name);
}
