/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_DRIFT_DRIFT_LOG_H
#define VARVE_API_DRIFT_DRIFT_LOG_H

#include "api/drift/drift_event.h"
#include "base/log.h"
#include "seal/key_ring.h"

/*
 * The events of all services, and up to which time each service was checked. Kept in a file, which
 * is replaced as a whole and has a checksum; it is encrypted if there are keys. A file that cannot
 * be read is logged and set aside as FILE.damaged, and the log begins empty: the events of the last
 * weeks are found again in the stored profiles.
 *
 * At most DRIFT_EVENTS_MAX events; the oldest ones are dropped. Any thread.
 */
struct drift_log;

enum { DRIFT_EVENTS_MAX = 2000, DRIFT_CHECKED_MAX = 20000 };

/*
 * Open the log of a file. `path` NULL: in memory only. The path is copied; `keys` (may be NULL) and
 * `log` are borrowed. Return 0 or -ENOMEM.
 */
MUST_USE int drift_log_new(struct drift_log **out, const char *path, struct key_ring *keys,
			   const struct log *log);
void drift_log_free(struct drift_log *l); /* takes NULL */

/*
 * Add an event, which is copied. Functions that change within two hours of each other, in the same
 * service, type and direction, are one event: it is extended. A function that an event already has
 * is not added again. An event of kind DRIFT_ENDED ends the event of its first function. Return 1 if
 * a new event was added, 0 if not, or -ENOMEM.
 */
MUST_USE int drift_log_add(struct drift_log *l, const struct drift_event *event);

/* Drop the events that were found before this time. */
void drift_log_expire(struct drift_log *l, uint64_t before);

/* Visit the events, the oldest first, with the lock held. */
void drift_log_each(struct drift_log *l, void (*visit)(void *ctx, const struct drift_event *at),
		    void *ctx);

/* The service's next slot to be checked. */
struct drift_checked {
	struct str tenant, service, type;
	uint64_t next;
};

/* Return the slot up to which a service was checked before the start; 0: it was not. */
uint64_t drift_log_checked(struct drift_log *l, const struct drift_checked *at);

/* Write the file, with what was checked. Return 0 or -errno. */
MUST_USE int drift_log_save(struct drift_log *l, const struct drift_checked *checked, uint32_t n,
			    struct err *e);

/*
 * Read the text of a file without its first line: call the visitors for each event and service.
 * Return 0, -EBADMSG with the place, or -ENOMEM. For drift_log_new() and its fuzzer.
 */
struct drift_text_visitor {
	int (*event)(void *ctx, const struct drift_event *at);
	int (*checked)(void *ctx, const struct drift_checked *at);
	void *ctx;
};
MUST_USE int drift_text_read(struct str text, const struct drift_text_visitor *v, struct err *e);

#endif
