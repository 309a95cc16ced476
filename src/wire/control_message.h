/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_CONTROL_MESSAGE_H
#define VARVE_WIRE_CONTROL_MESSAGE_H

#include "base/buf.h"
#include "base/err.h"

/*
 * The two messages of control by the server (docs/control.md, docs/adr/0017), in protobuf. An
 * instance of libvarve sends a report to POST /api/v1/agent/poll every few seconds; the server
 * answers with an order: the settings that apply now and for how long, and a profile to take.
 *
 * Decoded strings borrow from the message; those over their limit, and numbers out of range, are
 * errors (-EBADMSG). Unknown fields are skipped. Encoders cut strings to their limit.
 */
enum {
	CONTROL_MESSAGE_MAX = 4096,
	CONTROL_INSTANCE_MAX = 64, /* of an instance's id: usually a UUID */
	CONTROL_NAME_MAX = 255,	   /* of a service, a host, an author */
	CONTROL_TEXT_MAX = 255,	   /* of reasons and errors */
	CONTROL_HZ_MAX = 1000,
	CONTROL_LEASE_SECONDS_MAX = 3600,
	CONTROL_CAPTURE_SECONDS_MAX = 300,
	CONTROL_POLL_MS_MIN = 200,
	CONTROL_POLL_MS_MAX = 600000,
	CONTROL_PROFILE_MAX = 16 << 20, /* bytes of an uploaded profile */
	CONTROL_KINDS = 0xff,		/* bits of enum varve_profile */
};

/* What a process profiles. In an order: what to change. */
struct control_settings {
	bool has_profiles;	/* `profiles` is set; it may be 0 */
	unsigned profiles;	/* bits of enum varve_profile */
	unsigned cpu_hz;	/* 0: not set */
	unsigned wall_hz;	/* likewise */
	uint64_t heap_interval; /* likewise */
};

enum control_lease_state {
	CONTROL_LEASE_NONE,
	CONTROL_LEASE_APPLIED,
	CONTROL_LEASE_REFUSED, /* lease_error has the reason */
	CONTROL_LEASE_ENDED,   /* expired, cancelled, or the program changed its settings */
	CONTROL_LEASE_STATES,
};

enum control_capture_state {
	CONTROL_CAPTURE_NONE, /* also: waiting for the instance */
	CONTROL_CAPTURE_RUNNING,
	CONTROL_CAPTURE_DONE,
	CONTROL_CAPTURE_FAILED, /* capture_error has the reason */
	CONTROL_CAPTURE_STATES,
};

struct control_report {
	struct str instance, service, host, version;
	uint64_t pid;
	struct control_settings now; /* in effect */
	/* The limits that the process sets: the server cannot exceed them. */
	unsigned max_cpu_hz, max_profiles, max_seconds;
	uint64_t lease; /* the last one that was received; 0: none */
	unsigned lease_state;
	struct str lease_error;
	uint64_t capture; /* likewise */
	unsigned capture_state;
	struct str capture_error;
};

struct control_order {
	uint32_t poll_ms; /* when to report again */
	/* A lease replaces those with smaller numbers. 0: none is in effect (any more). */
	uint64_t lease;
	uint64_t remaining_ms;
	struct control_settings settings;
	struct str author, reason;
	uint64_t capture; /* a profile to take; 0: none */
	unsigned capture_kind, capture_seconds;
};

/* Append the message. Return 0 or -ENOMEM. */
MUST_USE int control_report_encode(struct buf *out, const struct control_report *r);
MUST_USE int control_order_encode(struct buf *out, const struct control_order *o);

/* Return 0, or -EBADMSG with the field. */
MUST_USE int control_report_decode(struct control_report *out, struct str message, struct err *e);
MUST_USE int control_order_decode(struct control_order *out, struct str message, struct err *e);

/* Append the names of kinds of profiles (bits of enum varve_profile), separated by commas. */
void control_kinds_write(struct buf *out, unsigned kinds);

/* Parse such names; "all" is every kind. Return 0 or -EINVAL. */
MUST_USE int control_kinds_read(struct str text, unsigned *kinds);

extern const char *const control_lease_states[CONTROL_LEASE_STATES];
extern const char *const control_capture_states[CONTROL_CAPTURE_STATES];

#endif
