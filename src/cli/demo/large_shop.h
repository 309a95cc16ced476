/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_DEMO_LARGE_SHOP_H
#define VARVE_CLI_DEMO_LARGE_SHOP_H

#include <signal.h>

#include "base/err.h"
#include "cli/command.h"

/*
 * Data of the size of a company, generated and sent to a server: 166 services in 4,600 pods with 37
 * labels, sent by 700 agents; stacks of 900 frames; a trace of 6,000 spans; log records and metrics.
 * The data of one `seed` time is always the same. It shows how pages and queries behave at this
 * size; `varve demo --large` and the browser tests use it.
 */
struct large_shop {
	const char *url;   /* of the server, without a trailing slash */
	uint64_t now;	   /* ns since 1970; the data covers the hour before */
	unsigned services; /* 2 to LARGE_SERVICES */
	unsigned pods;	   /* at least `services` */
	unsigned senders;  /* 1 to LARGE_SENDERS */
	unsigned spans;	   /* of the long trace */
	/* Set by another thread or a signal to stop; may be NULL. */
	const volatile sig_atomic_t *interrupted;
};

enum {
	LARGE_SERVICES = 166,
	LARGE_PODS = 4600,
	LARGE_PODS_MAX = 100000,
	LARGE_SENDERS = 700,
	LARGE_SPANS = 6000,
};

/* Send everything. Return 0, -EINTR, or -errno with the request that failed. */
MUST_USE int large_shop_send(const struct large_shop *shop, struct cli *cli, struct err *e);

#endif
