/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXTENSIONS_AUTHENTICATOR_H
#define VARVE_PIPELINE_EXTENSIONS_AUTHENTICATOR_H

#include "base/buf.h"
#include "base/err.h"
#include "net/http/http.h"

/*
 * What an extension for authentication offers: to receivers (auth.authenticator of a protocol), to
 * exporters (auth.authenticator), or to both.
 */
struct authenticator {
	/*
	 * Return whether a request is authorized by its headers; if not, fill *why (401). Loop
	 * thread; must not block. NULL: not for receivers.
	 */
	bool (*admit)(void *instance, const struct http_exchange *x, struct http_refusal *why);
	/*
	 * Set *name to the header that authorizes a request, in lower case and owned by the
	 * instance, and append its value. Return 0 or -errno with the reason in `e`. Any thread.
	 * NULL: not for exporters.
	 */
	int (*credentials)(void *instance, struct str *name, struct buf *value, struct err *e);
};

#endif
