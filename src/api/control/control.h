/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_CONTROL_CONTROL_H
#define VARVE_API_CONTROL_CONTROL_H

#include "api/access/audit.h"
#include "base/arena.h"
#include "base/buf.h"
#include "wire/control_message.h"
#include "wire/json_write.h"

/*
 * Control of running instances of libvarve (docs/control.md): which instances report, which leases
 * apply to them, which profiles they are to take, and what was changed by whom.
 *
 * A lease changes settings of all instances of a service, or of one, for a limited time. There is
 * one for each service and instance: a new one replaces the old. A capture is a profile on demand
 * of one or all instances, which upload it; it is kept for CONTROL_KEEP_SECONDS.
 *
 * Everything is in memory. After a restart, events and leases that have not ended are read back
 * from the audit log; without one, instances end their leases with their next report. All strings are copied. Each function
 * locks; any thread.
 */
struct control;

enum {
	CONTROL_INSTANCES_MAX = 20000,
	CONTROL_LEASES_MAX = 256,
	CONTROL_CAPTURES_MAX = 16,
	CONTROL_CAPTURE_INSTANCES_MAX = 100,
	CONTROL_EVENTS_MAX = 1024,
	CONTROL_LIST_MAX = 1000,	/* instances in one response */
	CONTROL_CONNECTED_SECONDS = 30, /* an instance that did not report for longer is gone */
	CONTROL_KEEP_SECONDS = 600,
	CONTROL_BYTES_MAX = 64 << 20, /* of all captured profiles */
};

/* The time of a call. */
struct control_time {
	uint64_t monotonic, real; /* nanoseconds */
};
struct control_time control_now(void);

/* Who calls, and what it may see. */
struct control_caller {
	struct str tenant, name, address;
	struct str services; /* separated by commas; empty: all */
};

/*
 * Make an empty registry. `audit` is borrowed and may be NULL. `off`: why instances cannot be
 * controlled, or NULL; borrowed. Return 0 or -ENOMEM.
 */
MUST_USE int control_new(struct control **out, struct audit *audit, const char *off);
void control_free(struct control *c); /* takes NULL */

/* Read events and leases of an earlier process from the end of its audit log. */
void control_load_events(struct control *c, struct control_time now);

/* ---- instances ---- */

/*
 * Record a report and fill the order for it; its strings are copied to the arena. Return 0, -EPERM
 * if the caller may not write the service, or -EAGAIN when there are too many instances.
 */
MUST_USE int control_report(struct control *c, const struct control_caller *from,
			    const struct control_report *r, struct control_time now,
			    struct arena *arena, struct control_order *order, struct err *e);

/* ---- leases ---- */

struct control_request {
	struct str service, instance; /* instance: an id or a prefix of it; empty: all */
	struct control_settings settings;
	unsigned seconds;
	struct str reason;
};

/*
 * Set a lease and log it. Return 0 with the lease's id and the number of connected instances that
 * it concerns; -EINVAL for invalid settings, -ENOENT without a connected instance, -EPERM if
 * control is off or the service is not the caller's, or -EAGAIN if the audit log cannot be written.
 */
MUST_USE int control_set(struct control *c, const struct control_caller *from,
			 const struct control_request *r, struct control_time now, uint64_t *id,
			 unsigned *instances, struct err *e);

/* End the leases of a service before their time. Return 0, -ENOENT, -EPERM or -EAGAIN. */
MUST_USE int control_end(struct control *c, const struct control_caller *from, struct str service,
			 struct control_time now, struct err *e);

/* ---- captures ---- */

struct control_capture_request {
	struct str service, instance;
	bool all; /* instances; else the one that reported last */
	unsigned kind, seconds;
};

/* Ask instances for a profile. Return values and *id as for control_set(). */
MUST_USE int control_capture(struct control *c, const struct control_caller *from,
			     const struct control_capture_request *r, struct control_time now,
			     uint64_t *id, unsigned *instances, struct err *e);

/*
 * Store the profile of an instance. Return 0, -ENOENT if there is no such capture, -EFBIG, -ENOBUFS or
 * -EPERM.
 */
MUST_USE int control_upload(struct control *c, const struct control_caller *from, uint64_t capture,
			    struct str instance, struct str profile, struct control_time now,
			    struct err *e);

/*
 * Append the profile of an instance to `out`; an empty instance: of the only one that has one.
 * Return 0, -ENOENT if there is none (yet), or -EINVAL if several have one.
 */
MUST_USE int control_profile(struct control *c, const struct control_caller *from, uint64_t capture,
			     struct str instance, struct buf *out, struct err *e);

/* ---- lists, as members of an open JSON object ---- */

/* Append "enabled", "leases" and "instances" of a service; empty: of all. */
void control_put_state(struct control *c, const struct control_caller *from, struct str service,
		       struct control_time now, struct json_writer *w);

/* Append the lease with this id. */
void control_put_lease(struct control *c, uint64_t id, struct control_time now,
		       struct json_writer *w);

/* Append a capture and the state of its instances. Return 0 or -ENOENT. */
MUST_USE int control_put_capture(struct control *c, const struct control_caller *from, uint64_t id,
				 struct control_time now, struct json_writer *w, struct err *e);

/*
 * Append the events of a service in a range of time to an open array, oldest first; nanoseconds
 * since 1970.
 */
void control_put_events(struct control *c, const struct control_caller *from, struct str service,
			uint64_t start, uint64_t end, struct json_writer *w);

/* Append the number of instances and leases in Prometheus text format. */
void control_metrics(struct control *c, struct control_time now, struct buf *out);

#endif
