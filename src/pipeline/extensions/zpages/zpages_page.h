/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXTENSIONS_ZPAGES_PAGE_H
#define VARVE_PIPELINE_EXTENSIONS_ZPAGES_PAGE_H

#include "net/http/http.h"
#include "pipeline/host.h"
#include "pipeline/service/service_outline.h"

/* The pages, as functions of the state of the host and the service. Any thread. */
struct zpages_state {
	struct host *host;
	const struct service_outline *outline;
};

typedef void zpages_page(const struct zpages_state *s, const struct http_exchange *x,
			 struct buf *out);

zpages_page zpages_servicez, zpages_pipelinez, zpages_extensionz, zpages_featurez, zpages_tracez;

#endif
