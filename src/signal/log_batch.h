/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_LOG_BATCH_H
#define VARVE_SIGNAL_LOG_BATCH_H

#include "base/buf.h"
#include "signal/span_batch.h"

/*
 * Decoded log records. Of each record a batch has the time, because a write needs it, and the
 * LogRecord message as it was received; log_record_read() takes the message apart, and
 * log_record_put() makes one again.
 *
 * Text and messages borrow from the decoded input, or live in the arena. One thread at a time.
 */

/* A LogRecord message may have this many bytes; a larger record is rejected. */
#define LOG_RECORD_MAX (4 * MIB)

enum { SEVERITY_MAX = 24 };

/* The classes of severity numbers: 1 to 4 are trace, and so on. */
enum severity_class {
	SEVERITY_NONE,
	SEVERITY_TRACE,
	SEVERITY_DEBUG,
	SEVERITY_INFO,
	SEVERITY_WARN,
	SEVERITY_ERROR,
	SEVERITY_FATAL,
	SEVERITY_CLASSES,
};

struct log_item {
	uint64_t time; /* that of the record, else the observed one, else 0 */
	/* Neither time is set: records that are equal in everything may be different ones. */
	bool untimed;
	uint32_t resource, scope; /* 1 + index of those of the batch */
	struct str message;	  /* LogRecord */
};

struct log_batch {
	struct arena arena;
	VEC(struct log_item) logs;
	VEC(struct span_origin) resources; /* with the schema URL of its records */
	VEC(struct span_origin) scopes;
	VEC(struct str) services; /* of each resource */
	size_t bytes;		  /* of all messages */
	uint32_t rejected;	  /* number of records that were dropped */
	char reason[120];	  /* why the first of them was */
};

void log_batch_init(struct log_batch *b, struct budget *budget);

/* Remove all records; memory is kept for reuse. */
void log_batch_reset(struct log_batch *b);

/* Takes the zero value. */
void log_batch_fini(struct log_batch *b);

/* The fields of a LogRecord message. Text borrows the message. */
struct log_record {
	uint64_t time, observed; /* 0: not set */
	uint32_t severity;	 /* SeverityNumber; 0: not set; larger ones than 24 are read as 0 */
	uint32_t flags, dropped_attributes;
	struct str severity_text, event_name;
	struct str body; /* an AnyValue message; p is NULL where there is none */
	/*
	 * The fields `attributes` with their tags, if they are adjacent in the message; else the
	 * whole message. For otlp_attributes_read() with OTLP_LOG_ATTRIBUTES.
	 */
	struct str attributes;
	uint8_t trace_id[TRACE_ID_SIZE], span_id[SPAN_ID_SIZE]; /* all zero: none */
};

/*
 * Read a message. Ids of a wrong length are read as none, unknown fields are left out. Return 0 or
 * -EBADMSG.
 */
MUST_USE int log_record_read(struct log_record *out, struct str message);

/*
 * Append the LogRecord message, fields by number. `attributes` may be the fields of several
 * messages. Memory errors are kept in `out`.
 */
void log_record_put(struct buf *out, const struct log_record *r);

/* Return the number of severity, or if it is 0 that of the usual text: 17 for "ERROR". */
uint32_t log_severity(uint32_t number, struct str text);

static inline enum severity_class severity_class_of(uint32_t severity)
{
	return severity ? (enum severity_class)((severity + 3) / 4) : SEVERITY_NONE;
}

/* "", "trace", "debug", ... */
extern const char *const severity_class_names[SEVERITY_CLASSES];

/* Parse a level by name or number, as the least severity: "warn" is 13. Return 0 or -EINVAL. */
MUST_USE int log_severity_parse(struct str text, uint32_t *out);

#endif
