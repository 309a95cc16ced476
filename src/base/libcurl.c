/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves the functions of libcurl once per process. */
#include "base/libcurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/base.h"

static struct {
	pthread_once_t once;
	bool ready;
	struct libcurl functions;
} curl = {.once = PTHREAD_ONCE_INIT};

static void load_functions(void)
{
	static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
	struct libcurl *f = &curl.functions;
	const struct {
		const char *name;
		void *address;
	} symbols[] = {
		{"curl_global_init", &f->global_init}, {"curl_easy_init", &f->init},
		{"curl_easy_setopt", &f->setopt},      {"curl_easy_perform", &f->perform},
		{"curl_easy_getinfo", &f->getinfo},    {"curl_easy_cleanup", &f->cleanup},
		{"curl_slist_append", &f->append},     {"curl_slist_free_all", &f->free_all},
		{"curl_easy_strerror", &f->strerror},
	};
	void *library = NULL;

	for (size_t i = 0; !library && i < countof(names); i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return;
	for (size_t i = 0; i < countof(symbols); i++) {
		void *symbol = dlsym(library, symbols[i].name);

		if (!symbol)
			return;
		memcpy(symbols[i].address, &symbol, sizeof(symbol));
	}
	curl.ready = f->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

const struct libcurl *libcurl_load(void)
{
	pthread_once(&curl.once, load_functions);
	return curl.ready ? &curl.functions : NULL;
}
