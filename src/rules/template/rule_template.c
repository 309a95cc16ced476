/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and executes the template of a label or an annotation. */
#include "rules/template/rule_template.h"

#include <errno.h>

#include "rules/template/template_run.h"

int rule_template_check(struct arena *a, struct str text, struct err *e)
{
	struct template_tree tree;

	return template_parse(a, text, &tree, e);
}

int rule_template_expand(struct arena *a, struct str text, const struct rule_template_data *d,
			 struct str *out, struct err *e)
{
	struct template_tree tree;
	struct template_run run = {.arena = a, .data = d, .tree = &tree, .e = e};
	int rc = 0;

	*out = text;
	if (str_find_str(text, STR("{{")) == text.n)
		return 0;
	rc = template_parse(a, text, &tree, e);
	if (!rc)
		rc = template_execute(&run);
	if (!rc)
		rc = buf_error(&run.out);
	if (!rc)
		rc = arena_copy_str(a, buf_str(&run.out), out);
	if (rc == -ENOMEM)
		err_set(e, rc, "out of memory");
	buf_fini(&run.out);
	buf_fini(&run.scratch);
	return rc;
}
