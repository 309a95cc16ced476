/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_ACCESS_AUDIT_H
#define VARVE_API_ACCESS_AUDIT_H

#include "base/err.h"
#include "base/str.h"
#include "seal/key_ring.h"

/*
 * The audit log: who did what to which object, and with which result. One JSON object per line,
 * only appended to. Each line has the hash of the line before it and its own, SHA-256 of the line
 * up to `,"hash"`, so that a line cannot be changed or removed without changing all lines after it
 * (`varve audit` checks them; keep the last hash elsewhere). Tokens are named by their id, never
 * written.
 *
 * With keys, files are encrypted line by line (audit_file.h).
 *
 * A file that reaches its size is renamed to FILE.N, where N is the number of its last line, and a
 * new file continues the chain. Nothing deletes old files.
 *
 * Any thread; a line is written with the mutex held.
 */
struct audit;

enum {
	AUDIT_FIELD_MAX = 512,	/* bytes of a field; longer ones are cut */
	AUDIT_LINE_MAX = 16384, /* of a line, which is longer only if it is not ours */
	AUDIT_HASH_TEXT = 65,
};

struct audit_entry {
	struct str actor;   /* "token 1f2e3d4c5b6a", "user alice", "server", "anonymous" */
	struct str address; /* "127.0.0.1:5511" */
	struct str action;  /* "control.set" */
	struct str object;  /* a service, a path, a file */
	struct str tenant;
	struct str result; /* "done", "refused", "failed" */
	struct str detail;
	/* A JSON object for the program that reads the line back; bounded by the caller. */
	struct str record;
};

/*
 * Open or create the file (mode 0600) and find the end of its chain. A line that a crash cut off is
 * removed, which is logged as "audit.repaired". With `keys`, which may be NULL, new files are
 * encrypted; an existing one in clear is renamed as a full one is. Return 0; -ENOKEY if the file is
 * encrypted and the key is missing; or another -errno. The path is in `e`.
 */
MUST_USE int audit_open(struct audit **out, const char *path, uint64_t max_bytes,
			struct key_ring *keys, struct err *e);
void audit_close(struct audit *a); /* takes NULL */

/*
 * Append an entry; `a` may be NULL. Return 0 or -errno: a change that cannot be logged must not be
 * made.
 */
MUST_USE int audit_write(struct audit *a, const struct audit_entry *entry, struct err *e);

/*
 * The same for an event that has happened already, without waiting for the disk. Failures are
 * counted (audit_failures()).
 */
void audit_note(struct audit *a, const struct audit_entry *entry);
uint64_t audit_failures(struct audit *a);

/* A position in a chain of lines; zero before the first. */
struct audit_chain {
	char hash[AUDIT_HASH_TEXT]; /* of the last line; "": none */
	uint64_t number;	    /* of the last line */
	uint64_t lines;		    /* that were checked */
};

/*
 * Check one line and advance. A first line may follow lines of another file. Return 0, or -EBADMSG
 * with what is wrong.
 */
MUST_USE int audit_check_line(struct audit_chain *c, struct str line, struct err *e);

/*
 * Call `each` for the lines at the end of the log, at most `bytes` of the file and of the one
 * before it, oldest first. For reading back what was logged before the start. Return 0 or -errno.
 */
MUST_USE int audit_read_tail(struct audit *a, size_t bytes,
			     void (*each)(void *arg, struct str line), void *arg);

#endif
