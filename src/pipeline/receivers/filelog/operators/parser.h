/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_PARSER_H
#define VARVE_PIPELINE_FILELOG_PARSER_H

#include "pipeline/receivers/filelog/operators/operator.h"

/*
 * What parsers share: the fields that they read and write, and the parsers of the time, the severity
 * and the ids of a trace, which are operators of their own, too.
 */

/* ---- time ---- */

struct time_settings {
	bool configured;
	struct entry_field from;
	struct str layout, layout_type, location;
};

/* Layouts of numbers: the unit, or seconds and the unit of the digits after the point. */
struct time_parser {
	bool epoch, fraction;
	int64_t unit; /* nanoseconds */
	struct time_layout layout;
	struct time_zone *zone;
};

extern const struct setting time_settings_table[];

/* Call time_parser_fini() in every case. */
MUST_USE int time_parser_init(struct time_parser *p, const struct time_settings *s, struct err *e);
void time_parser_fini(struct time_parser *p);
MUST_USE int time_parser_apply(const struct time_parser *p, const struct time_settings *s,
			       struct operator_run *run, struct log_entry *entry, struct err *e);

/* ---- severity ---- */

/* Values of one severity: a text, a number or a range of numbers. */
struct severity_rule {
	uint32_t severity;
	bool is_range;
	struct str text; /* compared without case */
	int64_t min, max;
};

struct severity_rules {
	const struct severity_rule *at;
	uint32_t n;
};

struct severity_settings {
	bool configured;
	struct entry_field from;
	struct str preset;
	bool overwrite_text;
	struct severity_rules mapping;
};

extern const struct setting severity_settings_table[];

MUST_USE int severity_check(const struct severity_settings *s, struct err *e);
MUST_USE int severity_apply(const struct severity_settings *s, struct operator_run *run,
			    struct log_entry *entry, struct err *e);

/* ---- trace ---- */

struct trace_field {
	bool configured;
	struct entry_field from;
};

struct trace_settings {
	bool configured;
	struct trace_field trace_id, span_id, trace_flags;
};

extern const struct setting trace_settings_table[];

/* Ids that are not hexadecimal are errors; fields that are missing are not. */
MUST_USE int trace_apply(const struct trace_settings *s, struct log_entry *entry, struct err *e);

/* ---- parsers ---- */

struct parser_settings {
	struct operator_common common;
	struct entry_field from, to;
	struct time_settings timestamp;
	struct severity_settings severity;
	struct trace_settings trace;
};

#define PARSER_COMMON(struct_, member)                                                             \
	OPERATOR_COMMON(struct_, member.common),                                                   \
		SET_CUSTOM(struct_, member.from, "parse_from", operator_field_read, "field",       \
			   "What to parse; default: body."),                                       \
		SET_CUSTOM(struct_, member.to, "parse_to", operator_field_read, "field",           \
			   "Where to write the result; default: attributes."),                     \
		SET_GROUP(struct_, member.timestamp, "timestamp", time_settings_table,             \
			  member.timestamp.configured, "Parse the time after that."),              \
		SET_GROUP(struct_, member.severity, "severity", severity_settings_table,           \
			  member.severity.configured, "Parse the severity after that."),           \
		SET_GROUP(struct_, member.trace, "trace", trace_settings_table,                    \
			  member.trace.configured, "Parse the ids of a trace after that."),        \
		SET_IGNORED("scope_name", "records have no scope name")

struct parser {
	const struct parser_settings *settings;
	struct entry_field to;
	struct time_parser time;
};

/* Call parser_fini() in every case. */
MUST_USE int parser_init(struct parser *p, const struct parser_settings *s, struct err *e);
void parser_fini(struct parser *p);

/* Return the text to parse in *out. */
MUST_USE int parser_input(const struct parser *p, struct log_entry *entry, struct str *out,
			  struct err *e);

/* Write what was parsed, a map, and run the parsers of time, severity and trace. */
MUST_USE int parser_output(const struct parser *p, struct operator_run *run,
			   struct log_entry *entry, const struct log_node *parsed, struct err *e);

#endif
