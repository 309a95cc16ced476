/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_OPERATOR_H
#define VARVE_PIPELINE_FILELOG_OPERATOR_H

#include "base/log.h"
#include "config/settings.h"
#include "pipeline/receivers/filelog/entry/log_entry.h"
#include "pipeline/receivers/filelog/expr/expr.h"
#include "pipeline/receivers/filelog/times/time_layout.h"
#include "wire/json.h"

/*
 * Operators change log entries one after another. Each type has a descriptor with a table of its
 * settings and callbacks; operators.c makes a chain of them and moves entries through it. One
 * thread.
 */
enum {
	OPERATORS_MAX = 200,
	OPERATOR_OUTPUTS_MAX = 16,
	OPERATOR_ROUTES_MAX = 100,
	OPERATOR_COPIES_MAX = 1000, /* of one entry, for operators with several outputs */
};

/* What happens to an entry that an operator cannot process. */
enum operator_on_error { ON_ERROR_SEND, ON_ERROR_SEND_QUIET, ON_ERROR_DROP, ON_ERROR_DROP_QUIET };

/* Ids of the operators that follow. */
struct operator_ids {
	bool set;
	uint32_t n;
	struct str at[OPERATOR_OUTPUTS_MAX];
};

/* The keys that all operators have; the first member of each struct of settings. */
struct operator_common {
	struct str type, id, on_error, condition;
	struct operator_ids output;
};

#define OPERATOR_COMMON(struct_, member)                                                           \
	SET_STRING(struct_, member.type, "type", NULL, "The type of the operator."),               \
		SET_STRING(struct_, member.id, "id", NULL,                                         \
			   "The name for outputs; default: the type."),                            \
		SET_STRING(struct_, member.on_error, "on_error", "send",                           \
			   "send, send_quiet, drop or drop_quiet."),                               \
		SET_STRING(struct_, member.condition, "if", NULL,                                  \
			   "Only entries for which this expression is true."),                     \
		SET_CUSTOM(struct_, member.output, "output", operator_ids_read, "id or list",      \
			   "The operators that follow; default: the next one.")

struct operator_run;

/* Operators that an output leads to; none: the end of the chain. */
struct operator_targets {
	struct op **at;
	uint32_t n;
};

/* An operator of a chain. */
struct op {
	const struct operator_type *type;
	const struct operator_common *settings;
	struct str id;
	enum operator_on_error on_error;
	struct expr *condition; /* NULL: all entries */
	struct operator_targets next;
	void *state;
};

/* What create() may use; the arena lives as long as the chain. */
struct operator_build {
	struct arena *arena;
	struct op *ops;
	uint32_t count;
	const struct op *self; /* that is being linked; NULL: none */
};

enum { OPERATOR_TAKEN = 1 };

struct operator_type {
	const char *name;
	const struct setting *table;
	size_t settings_size;
	/* Return 0, -ENOMEM, or -EINVAL with text in `e`. NULL: there is no state. */
	int (*create)(void **state, const void *settings, struct operator_build *b, struct err *e);
	/* Called when all operators of the chain exist, to look up outputs. May be NULL. */
	int (*link)(void *state, const void *settings, struct operator_build *b, struct err *e);
	/*
	 * Return 0: the entry goes on; OPERATOR_TAKEN: it was passed on, kept or dropped; or
	 * -EINVAL or -ENOMEM with text in `e`: on_error decides about the entry.
	 */
	int (*process)(struct op *op, struct operator_run *run, struct log_entry *entry,
		       struct err *e);
	/*
	 * Operators that keep entries: pass on those that wait for too long, or all. May be NULL.
	 */
	void (*flush)(struct op *op, struct operator_run *run, bool all);
	/* Operators that keep entries: lower held_from of their origins. May be NULL. */
	void (*held)(const struct op *op);
	void (*destroy)(void *state); /* may be NULL */
};

/* The environment in which entries are processed. */
struct operator_run {
	struct arena *arena; /* of the current entry */

	uint64_t now;	    /* nanoseconds since 1970 */
	uint64_t monotonic; /* clock_monotonic_ns() */
	const struct log *log;
	/* Receives entries at the end of the chain; they are borrowed until it returns. */
	void (*emit)(void *owner, struct log_entry *entry);
	void *owner;
	uint64_t failed, dropped; /* entries that an operator could not process; that it dropped */
	unsigned copies;	  /* of the current entry */
};

/* Pass an entry to operators, or to the end of the chain. The entry may be changed. */
void operator_pass(struct operator_run *run, const struct operator_targets *to,
		   struct log_entry *entry);

/* Read `output`: an id, or a list of ids. */
setting_reader operator_ids_read;
/* Read a struct entry_field. */
setting_reader operator_field_read;

/*
 * Find the operators of these ids. They have to be later ones than `self`: then there is no cycle,
 * and the depth of calls is limited by the number of operators. Return 0, -ENOMEM, or -EINVAL with
 * text in `e`.
 */
MUST_USE int operator_find(struct operator_targets *out, const struct operator_ids *ids,
			   struct operator_build *b, struct err *e);

/* Return the text of a string or of bytes; false for other values. */
bool operator_text(const struct log_node *node, struct str *out);

/* The types of operators, NULL-terminated. */
extern const struct operator_type *const operator_types[];

extern const struct operator_type json_parser_operator, regex_parser_operator, time_parser_operator,
	severity_parser_operator, trace_parser_operator, move_operator, copy_operator, add_operator,
	remove_operator, retain_operator, flatten_operator, filter_operator, router_operator,
	recombine_operator, container_operator, noop_operator;

#endif
