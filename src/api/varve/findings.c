/* SPDX-License-Identifier: Apache-2.0 */
/* GET /api/v1/findings: the rules of query/findings over the call tree of a selection. */
#include "api/varve/json_fields.h"
#include "api/varve/varve.h"
#include "api/varve/view_query.h"
#include "query/findings/findings_json.h"

/* Rules know functions, and the order of their calls. */
static int check_grouping(const struct view_query *q, struct err *e)
{
	if (q->tree.invert)
		return err_set(e, -EINVAL, "invert: not supported for findings");
	if (q->tree.group != GROUP_FUNCTION && q->tree.group != GROUP_FILE_FUNCTION)
		return err_set(e, -EINVAL,
			       "group: findings are of functions: expected function or "
			       "filefunction");
	return 0;
}

static int put_findings(struct reply *out, struct view_query *q, struct tree *t)
{
	enum finding_kind kind = finding_kind_of(q->s.type.name, t->type);
	struct findings findings;
	struct json_writer w;
	int rc = findings_of_tree(&findings, t, kind);

	if (rc)
		return rc;
	w = view_open(out, q);
	put_i64(&w, "total", t->sum[TREE_ONLY].all);
	put_i64(&w, "kept", t->sum[TREE_ONLY].kept);
	rc = findings_put_json(&w, &findings, t);
	return rc ? rc : view_close(&w);
}

int varve_findings(struct request *r, struct reply *out, struct err *e)
{
	struct tree t = {0};
	struct view_query q;
	int rc = view_query_read(&q, &view_names_single, r, e);

	if (!rc)
		rc = check_grouping(&q, e);
	if (!rc)
		rc = view_tree(&t, &q, NULL, e);
	if (!rc)
		rc = put_findings(out, &q, &t);
	tree_fini(&t);
	view_query_fini(&q);
	return rc;
}
