/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/rule_lint.h"

#include <stdlib.h>

static int compare_rules(const void *a, const void *b)
{
	const struct rule *x = *(const struct rule *const *)a, *y = *(const struct rule *const *)b;
	int order = str_cmp(x->name, y->name);

	for (uint32_t i = 0; !order && i < x->label_count && i < y->label_count; i++) {
		order = str_cmp(x->labels[i].name, y->labels[i].name);
		order = order ? order : str_cmp(x->labels[i].value, y->labels[i].value);
	}
	if (order)
		return order;
	return (x->label_count > y->label_count) - (x->label_count < y->label_count);
}

uint32_t rule_find_duplicates(const struct rule_file *f, const struct rule **out)
{
	uint32_t n = 0, found = 0;

	for (uint32_t i = 0; i < f->groups.n; i++)
		for (uint32_t k = 0; k < f->groups.at[i].rule_count; k++)
			out[n++] = &f->groups.at[i].rules[k];
	qsort(out, n, sizeof(struct rule *), compare_rules);
	for (uint32_t i = 1; i < n; i++)
		if (!compare_rules(&out[i - 1], &out[i]))
			out[found++] = out[i - 1];
	return found;
}
