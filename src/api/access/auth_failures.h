/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_ACCESS_AUTH_FAILURES_H
#define VARVE_API_ACCESS_AUTH_FAILURES_H

#include <stdatomic.h>
#include <sys/socket.h>

#include "base/base.h"

/*
 * Limits failed authentication by address, an IPv4 address or an IPv6 /64: AUTH_FAILURES_BURST at
 * once, then one more every six seconds. An address over the limit is refused before its token is
 * looked up, except for tokens that were accepted from it before: an agent with a revoked token
 * does not lock out the others of its machine.
 *
 * A generic cell rate algorithm: a slot holds the time at which all failures are paid off. A table
 * of fixed size; of four slots that collide, the one that is paid off first is replaced. Any
 * thread, no locks: a lost update counts one failure less.
 */
enum { AUTH_FAILURES_SLOTS = 4096, AUTH_FAILURES_BURST = 10, AUTH_FAILURES_SECONDS = 6 };

struct auth_failures {
	struct {
		_Atomic uint64_t key, paid_ns;
	} slots[AUTH_FAILURES_SLOTS];
	/* Hashes of addresses with tokens that were accepted from them. */
	_Atomic uint64_t accepted[AUTH_FAILURES_SLOTS];
	_Atomic uint64_t failed, refused;
};

/*
 * Return how many seconds an address has to wait; 0: its token may be looked up. `digest` is the
 * SHA-256 of the token.
 */
unsigned auth_failures_wait(struct auth_failures *f, const struct sockaddr_storage *peer,
			    const uint8_t digest[32], uint64_t now_ns);

/* Count a failure. */
void auth_failures_add(struct auth_failures *f, const struct sockaddr_storage *peer,
		       uint64_t now_ns);

/* Remember that a token was accepted from an address. */
void auth_failures_accept(struct auth_failures *f, const struct sockaddr_storage *peer,
			  const uint8_t digest[32]);

#endif
