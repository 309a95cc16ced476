/* SPDX-License-Identifier: Apache-2.0 */
/* Runs an edit over the tree of a delivery and forwards the result. */
#include "pipeline/processors/tree_edit.h"

#include <errno.h>

#include "pipeline/forward.h"

static bool refuse_tree(struct delivery *d, int rc, const struct err *e)
{
	if (rc == -EBADMSG)
		delivery_fail(d, rc, 0, "%s", e->text[0] ? e->text : "damaged data");
	else
		delivery_fail(d, -ENOMEM, 1000, "out of memory");
	return false;
}

bool tree_edit_consume(struct tree_editor *t, struct delivery *d)
{
	struct scratch *s = scratch_take(&t->pool);
	struct payload *changed = NULL;
	struct otlp_tree tree = {0};
	struct err e = {0};
	int rc = s ? otlp_tree_read(&tree, d->payload, &s->arena, &e) : -ENOMEM;

	if (!rc)
		rc = t->edit(t->owner, &tree, d, s, &e);
	if (!rc && tree.changed)
		changed = otlp_tree_write(&tree, &t->host->memory);
	scratch_give(&t->pool, s);
	if (rc)
		return refuse_tree(d, rc, &e);
	if (!tree.changed)
		return consumer_consume(t->next, d);
	return delivery_forward(t->next, d, changed);
}
