/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_CONTROL_CONTROL_STATE_H
#define VARVE_API_CONTROL_CONTROL_STATE_H

#include <pthread.h>

#include "api/access/token_file.h"
#include "api/control/control.h"
#include "wire/json.h"

/*
 * Private to src/api/control: the state of a registry. Functions without a remark require the
 * mutex.
 */
enum { CONTROL_BUCKETS = 4096, CONTROL_ACTOR_MAX = 255 };

struct control_instance {
	struct control_instance *next; /* in its bucket */
	char tenant[ACCESS_TENANT_MAX + 1], id[CONTROL_INSTANCE_MAX + 1];
	char service[CONTROL_NAME_MAX + 1], host[CONTROL_NAME_MAX + 1], version[64];
	uint64_t pid, seen_ns, seen_real_ns;
	struct control_settings now;
	unsigned max_cpu_hz, max_profiles, max_seconds;
	uint64_t lease;
	unsigned lease_state;
	char lease_error[CONTROL_TEXT_MAX + 1];
};

struct control_lease {
	uint64_t id; /* 0: free */
	char tenant[ACCESS_TENANT_MAX + 1], service[CONTROL_NAME_MAX + 1];
	char instance[CONTROL_INSTANCE_MAX + 1]; /* a prefix; "": all */
	char author[CONTROL_ACTOR_MAX + 1], reason[CONTROL_TEXT_MAX + 1];
	struct control_settings settings;
	uint64_t issued_real_ns, expires_ns, expires_real_ns;
};

struct control_capture_part {
	char instance[CONTROL_INSTANCE_MAX + 1], host[CONTROL_NAME_MAX + 1];
	uint64_t pid;
	unsigned state; /* enum control_capture_state */
	char error[CONTROL_TEXT_MAX + 1];
	struct buf profile;
};

struct control_captured {
	uint64_t id; /* 0: free */
	char tenant[ACCESS_TENANT_MAX + 1], service[CONTROL_NAME_MAX + 1];
	unsigned kind, seconds, part_count;
	uint64_t created_ns, created_real_ns;
	struct control_capture_part *parts;
};

struct control_event {
	uint64_t time; /* since 1970 */
	char tenant[ACCESS_TENANT_MAX + 1], service[CONTROL_NAME_MAX + 1];
	char action[32], actor[CONTROL_ACTOR_MAX + 1], detail[AUDIT_FIELD_MAX + 1];
};

struct control {
	struct audit *audit;
	const char *off;
	pthread_mutex_t mu; /* guards everything below */
	struct control_instance *buckets[CONTROL_BUCKETS];
	unsigned instance_count;
	uint64_t swept_ns, last_id;
	struct control_lease leases[CONTROL_LEASES_MAX];
	struct control_captured captures[CONTROL_CAPTURES_MAX];
	size_t capture_bytes;
	struct control_event *events; /* a ring */
	uint64_t event_count;	      /* of all that were ever added */
};

/* Copy a text, cut to `size - 1` bytes. No mutex. */
void control_copy(char *to, size_t size, struct str from);
#define CONTROL_COPY(field, text) control_copy((field), sizeof(field), (text))

/* Return a new id, greater than all before it, also those before a restart. */
uint64_t control_new_id(struct control *c, struct control_time now);

/* Return whether the caller may see what belongs to this tenant and service. No mutex. */
bool control_sees(const struct control_caller *from, const char *tenant, const char *service);

/* Return whether an instance is connected. No mutex. */
bool control_is_connected(const struct control_instance *i, struct control_time now);

/* Return whether an id begins with a prefix. No mutex. */
bool control_id_matches(const char *id, const char *prefix);

/* Call `each` for every instance. */
void control_each_instance(struct control *c, void (*each)(void *arg, struct control_instance *i),
			   void *arg);

/* Check that the caller may control the service. Return 0 or -EPERM. */
MUST_USE int control_permit(const struct control *c, const struct control_caller *from,
			    struct str service, struct err *e);

/* The lease that applies to an instance, or NULL. */
const struct control_lease *control_lease_of(const struct control *c,
					     const struct control_instance *i,
					     struct control_time now);

/* Remove leases that have expired, and log them. */
void control_expire_leases(struct control *c, struct control_time now);

/* Fill the capture of an order, and note what the instance reports about its last one. */
void control_order_capture(struct control *c, const struct control_instance *i,
			   const struct control_report *r, struct control_time now,
			   struct control_order *order);

/* Free captures that are too old. */
void control_expire_captures(struct control *c, struct control_time now);

/* What is logged. */
struct control_change {
	const char *action;
	struct str service, detail;
	const struct control_lease *lease; /* that begins or ends; NULL: none */
};

/*
 * Log an event and add it to the list. Return 0, or -EAGAIN if the audit log cannot be written;
 * then nothing is added. With `e` NULL it cannot fail.
 */
MUST_USE int control_log(struct control *c, const struct control_caller *from,
			 const struct control_change *change, struct control_time now,
			 struct err *e);

/*
 * Return the lease of the same tenant, service and instance, which a new one replaces; else a free
 * one; or NULL.
 */
struct control_lease *control_lease_slot(struct control *c, struct str tenant, struct str service,
					 struct str instance);

/* ---- leases in the audit log ---- */

/* Append a lease as a JSON object: its id, and if it begins, everything else. No mutex. */
void control_lease_write(struct buf *out, const struct control_lease *l, bool begins);

/* Set or remove the lease of a line that was logged by an earlier process. */
void control_lease_restore(struct control *c, const struct audit_entry *entry,
			   const struct json_value *record, struct control_time now);

/* Append settings as text: "cpu_hz=500 profiles=cpu,heap". No mutex. */
void control_settings_text(struct buf *out, const struct control_settings *s);

#endif
