/* SPDX-License-Identifier: Apache-2.0 */
/* The stack filter is only set up if the options filter stacks. */
#include "query/time/sample_scan.h"

int sample_scan_init(struct sample_scan *c, const struct stack_filter_options *stacks,
		     const struct time_filter *times, struct budget *budget)
{
	int rc;

	*c = (struct sample_scan){.times = time_filter_any(times) ? times : NULL,
				  .by_stack = stack_filter_any(stacks)};
	rc = stack_tree_init(&c->stacks, budget);
	if (!rc && c->by_stack)
		rc = stack_filter_init(&c->filter, stacks, &c->stacks, budget);
	return rc;
}

void sample_scan_fini(struct sample_scan *c)
{
	if (c->by_stack)
		stack_filter_fini(&c->filter);
	stack_tree_fini(&c->stacks);
}

int sample_scan_decide(struct sample_scan *c)
{
	return c->by_stack ? stack_filter_decide(&c->filter, NULL) : 0;
}
