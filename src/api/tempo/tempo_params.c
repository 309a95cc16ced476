/* SPDX-License-Identifier: Apache-2.0 */
/* Times, ranges and durations of Tempo's API. */
#include "api/tempo/tempo_params.h"

#include "base/time_text.h"
#include "query/traceql/syntax/traceql_lexer.h"

int tempo_read_time(struct request *r, const char *name, uint64_t *ns, struct err *e)
{
	struct str text;
	int rc = request_param(r, name, &text, e);

	if (!rc && text.n)
		rc = time_parse(text, r->now_ns, ns, e);
	if (rc)
		err_prefix(e, "%s", name);
	return rc;
}

int tempo_read_range(struct request *r, uint64_t past_ns, uint64_t *from, uint64_t *to,
		     struct err *e)
{
	int rc;

	*to = past_ns ? r->now_ns : UINT64_MAX;
	*from = 0;
	rc = tempo_read_time(r, "end", to, e);
	if (!rc && past_ns)
		*from = *to > past_ns ? *to - past_ns : 0;
	if (!rc)
		rc = tempo_read_time(r, "start", from, e);
	if (!rc && *from > *to)
		rc = err_set(e, -EINVAL, "start is after end");
	return rc;
}

int tempo_read_duration(struct request *r, const char *name, uint64_t *ns, struct err *e)
{
	struct str text;
	int64_t value;
	int rc = request_param(r, name, &text, e);

	if (rc || !text.n)
		return rc;
	if (traceql_duration(text, &value)) {
		*ns = (uint64_t)value;
		return 0;
	}
	rc = duration_parse(text, ns, e);
	if (rc)
		err_prefix(e, "%s", name);
	return rc;
}
