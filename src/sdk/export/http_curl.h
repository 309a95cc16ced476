/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_HTTP_CURL_H
#define VARVE_SDK_EXPORT_HTTP_CURL_H

#include "sdk/export/http_client.h"

/* post_request() by libcurl, for https. Each request opens a connection of its own. */
MUST_USE int post_by_curl(const struct post_client *c, const struct post_request *r,
			  struct post_answer *a, struct err *e);

#endif
