#pragma once

/* libcurl for Swift, which cannot call variadic functions: one function for each type of an option's value. */

#include <curl/curl.h>

typedef size_t (*jackdaw_curl_receiver)(char *bytes, size_t size, size_t count, void *context);
typedef int (*jackdaw_curl_gate)(void *context, char *, char *, int, int);

/* curl_global_init_mem, with an allocator that overwrites memory before it frees it: libcurl keeps requests, answers
 * and headers in its own buffers. It has no effect on the allocator if the program has called curl_global_init before. */
CURLcode jackdaw_curl_initialize(void);

/* curl_easy_setopt. */
CURLcode jackdaw_curl_set_number(CURL *handle, CURLoption option, long value);
CURLcode jackdaw_curl_set_size(CURL *handle, CURLoption option, curl_off_t value);
CURLcode jackdaw_curl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode jackdaw_curl_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode jackdaw_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value);
CURLcode jackdaw_curl_set_receiver(CURL *handle, CURLoption option, jackdaw_curl_receiver value);
CURLcode jackdaw_curl_set_gate(CURL *handle, jackdaw_curl_gate value);

/* curl_easy_getinfo. */
CURLcode jackdaw_curl_get_number(CURL *handle, CURLINFO info, long *value);
CURLcode jackdaw_curl_get_size(CURL *handle, CURLINFO info, curl_off_t *value);

/* The result of the only transfer of a multi handle; CURL_LAST while it has none. */
CURLcode jackdaw_curl_result(CURLM *handle);
