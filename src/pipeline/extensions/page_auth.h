/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXTENSIONS_PAGE_AUTH_H
#define VARVE_PIPELINE_EXTENSIONS_PAGE_AUTH_H

#include "pipeline/component.h"
#include "pipeline/extensions/authenticator.h"

/*
 * The settings of addresses that serve pages instead of receiving data (health_check, zpages, the
 * exporter prometheus): authentication by an extension, and the collector's keys without effect.
 */
struct page_auth_settings {
	struct str authenticator;
};

extern const struct setting page_auth_settings[];

/*
 * Set *out to the extension that authenticates requests, or NULL if none is configured. Return 0,
 * or -EINVAL with text in `e` if the extension is missing or does not authenticate.
 */
MUST_USE int page_auth_find(const struct extension **out, const struct page_auth_settings *s,
			    const struct component_env *env, struct err *e);

/* Return whether a request is authorized; if not, fill *why. `auth` NULL: everybody is. */
static inline bool page_auth_admit(const struct extension *auth, const struct http_exchange *x,
				   struct http_refusal *why)
{
	return !auth || auth->type->auth->admit(auth->instance, x, why);
}

/* Rows of a table of settings: the keys of the collector's HTTP servers that pages do not need. */
#define PAGE_KEYS_IGNORED                                                                          \
	SET_IGNORED("cors", "pages of other origins cannot read it"),                              \
		SET_IGNORED("max_request_body_size", "requests have no body"),                     \
		SET_IGNORED("include_metadata", "requests are not passed on"),                     \
		SET_IGNORED("response_headers", "responses have no additional headers"),           \
		SET_IGNORED("compression_algorithms", "requests have no body"),                    \
		SET_IGNORED("read_timeout", "the server has one limit for all addresses"),         \
		SET_IGNORED("read_header_timeout", "the server has one limit for all addresses"),  \
		SET_IGNORED("write_timeout", "the server has one limit for all addresses"),        \
		SET_IGNORED("idle_timeout", "the server has one limit for all addresses"),         \
		SET_IGNORED("keep_alives_enabled", "connections are kept alive"),                  \
		SET_IGNORED("transport", "TCP is used"),                                           \
		SET_IGNORED("middlewares", "there are none")

#endif
