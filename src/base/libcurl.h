/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_LIBCURL_H
#define VARVE_BASE_LIBCURL_H

#include <curl/curl.h>

/*
 * libcurl, loaded by dlopen() for the first request that needs it and never unloaded. It depends on
 * thirty libraries, and most commands and most programs with libvarve do not need it.
 */
struct libcurl {
	CURLcode (*global_init)(long);
	CURL *(*init)(void);
	CURLcode (*setopt)(CURL *, CURLoption, ...);
	CURLcode (*perform)(CURL *);
	CURLcode (*getinfo)(CURL *, CURLINFO, ...);
	void (*cleanup)(CURL *);
	struct curl_slist *(*append)(struct curl_slist *, const char *);
	void (*free_all)(struct curl_slist *);
	const char *(*strerror)(CURLcode);
};

/* Return the functions of libcurl, or NULL if it is not installed or cannot be used. Any thread. */
const struct libcurl *libcurl_load(void);

#endif
