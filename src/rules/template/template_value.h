/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_TEMPLATE_TEMPLATE_VALUE_H
#define VARVE_RULES_TEMPLATE_TEMPLATE_VALUE_H

#include "base/buf.h"
#include "rules/template/rule_template.h"

/*
 * Values of templates: the types that Go's templates have in rules of Prometheus. Values are
 * immutable, except that sortByLabel sorts a list of samples in place. All memory is the arena's.
 */
enum template_kind {
	TEMPLATE_NONE, /* nil, and what does not exist */
	TEMPLATE_BOOL,
	TEMPLATE_INT,
	TEMPLATE_FLOAT,
	TEMPLATE_STRING,
	TEMPLATE_LABELS,   /* map[string]string */
	TEMPLATE_SAMPLE,   /* an element of a query's result */
	TEMPLATE_SAMPLES,  /* the result of a query */
	TEMPLATE_ARGS,	   /* what the function args makes: map[string]any */
	TEMPLATE_TIME,	   /* nanoseconds since 1970, UTC */
	TEMPLATE_DURATION, /* nanoseconds */
	TEMPLATE_MONTH,	   /* 1 to 12 */
	TEMPLATE_WEEKDAY,  /* 0 (Sunday) to 6 */
	TEMPLATE_DATA,	   /* the top: a struct rule_template_data */
};

enum { TEMPLATE_ARGS_DEPTH_MAX = 8 };

struct template_samples {
	const struct rule_template_sample **at;
	uint32_t n;
};

struct template_value;

struct template_args {
	struct template_value *at; /* arg0, arg1, ... */
	uint32_t n;
	uint32_t depth; /* of args in args, at most TEMPLATE_ARGS_DEPTH_MAX */
};

struct template_value {
	enum template_kind kind;
	union {
		bool b;
		int64_t i; /* also of times, durations, months and weekdays */
		double f;
		struct str s;
		struct label_set labels;
		const struct rule_template_sample *sample;
		struct template_samples samples;
		const struct template_args *args;
		const struct rule_template_data *data;
	};
};

static inline struct template_value template_string(struct str s)
{
	return (struct template_value){.kind = TEMPLATE_STRING, .s = s};
}

static inline struct template_value template_int(int64_t i)
{
	return (struct template_value){.kind = TEMPLATE_INT, .i = i};
}

static inline struct template_value template_float(double f)
{
	return (struct template_value){.kind = TEMPLATE_FLOAT, .f = f};
}

static inline struct template_value template_bool(bool b)
{
	return (struct template_value){.kind = TEMPLATE_BOOL, .b = b};
}

static inline struct template_value template_of(enum template_kind kind, int64_t i)
{
	return (struct template_value){.kind = kind, .i = i};
}

static inline struct template_value template_labels(const struct label *at, uint32_t n)
{
	return (struct template_value){.kind = TEMPLATE_LABELS, .labels = {at, n}};
}

/* Return the name of the type, as Go's %T. */
const char *template_type_name(const struct template_value *v);

/* Return whether `if` takes the value as true: not empty, zero or nil. */
bool template_truth(const struct template_value *v);

/*
 * The value of a label, empty if there is none. The order of the labels does not matter.
 */
struct str template_label(struct label_set labels, struct str name);

/*
 * Set *out to the argument argN of that name, or to TEMPLATE_NONE.
 */
void template_arg(const struct template_args *args, struct str name, struct template_value *out);

/* ---- text: template_format.c ---- */

/*
 * Append values as Go's fmt does. Output ends when the buffer has more than
 * RULE_TEMPLATE_OUTPUT_MAX bytes, which the caller checks.
 */
void template_put_value(struct buf *out, const struct template_value *v);
void template_print(struct buf *out, const struct template_value *args, uint32_t n, bool line);
void template_printf(struct buf *out, struct str format, const struct template_value *args,
		     uint32_t n);

/* Append a quoted string in the syntax of Go. */
void template_put_quoted(struct buf *out, struct str s, bool ascii);
void template_put_quoted_rune(struct buf *out, uint32_t rune, bool ascii);

/* ---- times: template_time.c ---- */

/* Append as Go's time.Duration.String(): 1h0m0.5s. */
void template_put_duration(struct buf *out, int64_t ns);

/* Append as Go's time.Time.String() in UTC: 2006-01-02 15:04:05.5 +0000 UTC. */
void template_put_time(struct buf *out, int64_t ns);

/* Append in one of Go's layouts, which show the time Mon Jan 2 15:04:05 2006. */
void template_put_layout(struct buf *out, int64_t ns, struct str layout);

const char *template_month_name(int64_t month);	    /* 1 to 12 */
const char *template_weekday_name(int64_t weekday); /* 0 to 6 */

#endif
