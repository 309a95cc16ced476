/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_OPERATORS_H
#define VARVE_PIPELINE_FILELOG_OPERATORS_H

#include "pipeline/receivers/filelog/operators/operator.h"

/* The operators of a receiver, as configured. */
struct operator_list {
	const struct operator_entry *at;
	uint32_t n;
};

/* Read `operators` into a struct operator_list; each operator is compiled to find its mistakes. */
setting_reader operators_read;

/* A chain of operators. One thread. */
struct operators;

/* Return 0, -ENOMEM, or -EINVAL with text in `e`. The list outlives the chain. */
MUST_USE int operators_new(struct operators **out, const struct operator_list *list, struct err *e);
void operators_free(struct operators *o); /* takes NULL */

/* Process one entry. */
void operators_process(struct operators *o, struct operator_run *run, struct log_entry *entry);

/* Pass on what operators keep for too long, or all. */
void operators_flush(struct operators *o, struct operator_run *run, bool all);

/*
 * Lower `held_from` of each origin to the offset of its first entry that an operator keeps. The
 * caller sets it to UINT64_MAX before.
 */
void operators_held(const struct operators *o);

#endif
