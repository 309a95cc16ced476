/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_HTPASSWD_H
#define VARVE_PIPELINE_HTPASSWD_H

#include "base/buf.h"
#include "base/err.h"

/*
 * The users of an htpasswd file: lines "NAME:HASH". Hashes: $apr1$ (md5-crypt), {SHA}, {SSHA},
 * whatever crypt(3) knows ($2y$ bcrypt, $1$, $5$, $6$, $y$), and plain text. Empty lines and lines
 * that begin with '#' are ignored; of a user with several lines the last one counts.
 */
struct htpasswd_user {
	struct str name, hash;
};

struct htpasswd {
	struct buf text;	     /* names and hashes point into it */
	struct htpasswd_user *users; /* sorted by name */
	uint32_t count;
};

enum { HTPASSWD_USERS_MAX = 100000, HTPASSWD_HASH_MAX = 512 };

/*
 * Take over `text` and read its users; errors name the line, never its content. Return 0, -EINVAL
 * or -ENOMEM; then nothing is left allocated.
 */
MUST_USE int htpasswd_read(struct htpasswd *h, struct buf *text, struct err *e);
void htpasswd_fini(struct htpasswd *h);

/* Return the hash of a user, or an empty string. */
struct str htpasswd_hash(const struct htpasswd *h, struct str name);

/* Return whether htpasswd_verify() of this hash takes milliseconds, by design. */
bool htpasswd_is_slow(struct str hash);

/* Return whether the password has this hash. */
bool htpasswd_verify(struct str password, struct str hash);

#endif
