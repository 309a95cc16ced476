/* SPDX-License-Identifier: Apache-2.0 */
/* Stored traces with all that they have, in OTLP's JSON. */
#include "format/otlp/traces.h"
#include "api/selection.h"
#include "api/varve/varve.h"
#include "format/otlp/schema.h"

static int take_stored_trace(void *ctx, const struct span_batch *trace)
{
	return otlp_traces_encode(ctx, trace);
}

int varve_trace_otlp(struct request *r, struct reply *out, struct err *e)
{
	struct store_span_select sel = {.tenant = r->tenant, .to = UINT64_MAX, .limits = r->limits};
	struct selection s;
	struct buf message;
	struct texts ids;
	int rc = selection_init(&s, r, e);

	if (!rc)
		rc = request_params(r, "trace", &ids, e);
	buf_init(&message, r->limits.budget);
	if (!rc && !ids.list.n)
		rc = err_set(e, -EINVAL, "missing parameter: trace");
	if (!rc)
		rc = selection_set_traces(&s, &ids, r, e);
	sel.traces = s.traces;
	sel.trace_count = s.trace_n;
	if (!rc && r->store->ops->traces)
		rc = r->store->ops->traces(r->store, &sel, take_stored_trace, &message, e);
	if (!rc && !message.n)
		rc = err_set(e, -ENOENT, "the trace is not stored");
	if (!rc)
		rc = schema_to_json(&out->body, &otlp_traces_request, buf_str(&message), e);
	out->content_type = STR("application/json");
	buf_fini(&message);
	selection_fini(&s);
	return rc;
}
