/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_COMMANDS_CMD_FINDINGS_H
#define VARVE_CLI_COMMANDS_CMD_FINDINGS_H

#include "cli/terminal/view.h"
#include "query/findings/findings.h"

/* The list of findings of varve findings, for all commands that print one. */
struct findings_options {
	struct common_options common;
	struct input_options input;
	struct view_options view;
	struct str profile; /* name of the profile on a server; empty: unknown */
};

/*
 * Append the findings of all inputs `args`, of the sample type of the view. `options` is a struct
 * findings_options.
 */
view_make make_findings;

/* Sample types to look at: one of each kind, because counts and bytes of one kind say the same. */
enum { FINDING_TYPES_MAX = 8 };

struct finding_type {
	struct str id; /* "cpu/nanoseconds", or a whole type of a server; ends with a NUL */
	struct str profile;
	enum finding_kind kind;
	bool count;
};

struct finding_types {
	struct finding_type at[FINDING_TYPES_MAX];
	uint32_t n;
};

/*
 * Add a type of the profile `profile`, which may be empty, unless no rule applies or its kind is
 * known; a type that is no count replaces a count. `id` is its text in `at`; memory of the arena. 0
 * or -ENOMEM.
 */
MUST_USE int finding_types_add(struct finding_types *types, struct str profile,
			       struct sample_type type, struct str id, struct arena *arena);

#endif
