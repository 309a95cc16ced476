/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_ACCESS_TOKEN_FILE_H
#define VARVE_API_ACCESS_TOKEN_FILE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/*
 * The lines of a token file. A line is empty, a comment that begins with '#', or one of
 *
 *	TOKEN [TENANT]
 *	sha256:DIGEST id=ID [KEY=VALUE...]
 *
 * The first form is a token in plain text with all scopes. The second form is what `varve token
 * new` writes: only the digest of the token, and what the token may do. Values contain no spaces:
 *
 *	name=ci			for people
 *	scopes=read,write	required
 *	tenant=blue		default: all tenants
 *	services=cart,shop	default: all services
 *	addresses=10.0.0.0/8,::1	from which it may be used; default: all
 *	requests_per_second=5	default: no limit
 *	created=, expires=, revoked=	RFC 3339 or seconds since 1970
 *
 * An unknown key is an error: it may be a restriction. All functions are pure.
 */
enum token_scope {
	TOKEN_READ = 1 << 0,	/* query, export and view */
	TOKEN_WRITE = 1 << 1,	/* send data, answer to control as an instance */
	TOKEN_CONTROL = 1 << 2, /* change what running instances profile, take profiles of them */
	TOKEN_ADMIN = 1 << 3,	/* everything, also delete data and read the audit log */
};

enum {
	TOKEN_MIN = 16,
	TOKEN_MAX = 1024,
	TOKEN_DIGEST = 32,
	TOKEN_ID_MAX = 32,
	TOKEN_NETWORKS = 64,
	TOKEN_SECRET = 56, /* "varve_", 43 random characters, 6 of a checksum, NUL */
};

struct token {
	uint8_t digest[TOKEN_DIGEST];
	char id[TOKEN_ID_MAX + 1]; /* of a plain token: the begin of its digest in hex */
	bool plain;
	unsigned scopes;
	/*
	 * Slices of the line; empty: none, all tenants, all services, all addresses. The last two
	 * are separated by commas.
	 */
	struct str name, tenant, services, addresses;
	uint64_t created, expires, revoked; /* nanoseconds since 1970; 0: not */
	uint64_t requests_per_second;	    /* 0: no limit */
};

/*
 * Parse a line. Return 1 with *out, 0 for an empty line or a comment, or -EINVAL with the reason.
 * The bytes of a plain token are overwritten once its digest is computed.
 */
MUST_USE int token_line_read(struct token *out, struct str line, struct err *e);

/* Append the line of a token that is not plain, with its newline. */
void token_line_write(struct buf *out, const struct token *t);

/* Parse "read,write". Return 0, or -EINVAL with the word and the known ones. */
MUST_USE int token_scopes_read(unsigned *out, struct str text, struct err *e);
void token_scopes_write(struct buf *out, unsigned scopes);

/*
 * Make a token from random bytes: its secret, which nothing stores, its digest and its id. Return 0
 * or -errno.
 */
MUST_USE int token_make(struct token *out, char secret[TOKEN_SECRET], struct err *e);

/* Return whether a text has the form of token_make() with a valid checksum. */
bool token_is_ours(struct str secret);

/* Return whether the service is in the list, which is separated by commas; empty: all are. */
bool token_serves(struct str services, struct str service);

/* Return whether a value may be in a line: 1 to 200 printable characters without spaces. */
bool token_value_valid(struct str value);

/* Return whether `name` is a valid tenant: 1 to 150 of A-Z a-z 0-9 ! - _ . * ' ( ). */
enum { ACCESS_TENANT_MAX = 150 };
bool access_tenant_valid(struct str name);

void token_digest(struct str token, uint8_t digest[TOKEN_DIGEST]);

#endif
