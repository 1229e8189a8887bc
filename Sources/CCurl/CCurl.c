#ifdef JACKDAW_PAYMENTS

#include "CCurl.h"

#include <malloc.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

/* By default OpenSSL frees its locks when the process exits, and a thread of libcurl that still uses or leaves them crashes.
 * Only the first initialization of OpenSSL can prevent that. */
__attribute__((constructor)) static void keep_openssl_until_the_end(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

static void wipe_and_free(void *memory) {
    if (memory) explicit_bzero(memory, malloc_usable_size(memory));
    free(memory);
}

static void *move_and_wipe(void *memory, size_t size) {
    if (!memory) return malloc(size);
    size_t old_size = malloc_usable_size(memory);
    void *larger = malloc(size);
    if (!larger) return NULL;
    memcpy(larger, memory, old_size < size ? old_size : size);
    wipe_and_free(memory);
    return larger;
}

CURLcode jackdaw_curl_initialize(void) {
    return curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, wipe_and_free, move_and_wipe, strdup, calloc);
}

CURLcode jackdaw_curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode jackdaw_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode jackdaw_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode jackdaw_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode jackdaw_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode jackdaw_curl_set_receiver(CURL *handle, CURLoption option, jackdaw_curl_receiver value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode jackdaw_curl_set_gate(CURL *handle, jackdaw_curl_gate value) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, value);
}

CURLcode jackdaw_curl_get_number(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

CURLcode jackdaw_curl_get_size(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

CURLcode jackdaw_curl_result(CURLM *handle) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(handle, &left))) {
        if (message->msg == CURLMSG_DONE) return message->data.result;
    }
    return CURL_LAST;
}

#endif
