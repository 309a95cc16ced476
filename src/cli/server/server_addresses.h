/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVER_SERVER_ADDRESSES_H
#define VARVE_CLI_SERVER_SERVER_ADDRESSES_H

#include "cli/server/server_process.h"

/*
 * The addresses that the server listens on: who may connect, and under which names. During a
 * reload these are the addresses of the next configuration, whose settings are `s`.
 */

/*
 * Accept the listening addresses and service.access.allowed_hosts as Host of requests, and no
 * others; trust the proxies of service.access.proxy. Only before serving, or while the server is
 * paused. Return 0 or -errno.
 */
MUST_USE int server_addresses_allow(struct server_process *p, const struct server_settings *s,
				    struct err *e);

/* Check service.access.proxy. Return 0, or -EINVAL with the setting. */
MUST_USE int server_addresses_check_proxy(const struct server_settings *s, struct err *e);

/*
 * Refuse to listen on other addresses than loopback without authentication. Return 0, or -errno
 * with the address in `e`.
 */
MUST_USE int server_addresses_check(struct server_process *p, const struct server_settings *s,
				    struct err *e);

#endif
