/* SPDX-License-Identifier: Apache-2.0 */
/* Log records with all that they have, in OTLP's JSON. */
#include "api/varve/log_params.h"
#include "api/varve/varve.h"
#include "format/otlp/logs.h"
#include "format/otlp/schema.h"

/* Return whether the record before has the same origin. */
static bool is_same(const struct span_origin *at, uint32_t n, const struct span_origin *origin)
{
	return n && str_eq(at[n - 1].message, origin->message) &&
	       str_eq(at[n - 1].schema_url, origin->schema_url);
}

static int copy_origin(struct arena *a, const struct span_origin *origin, struct span_origin *out)
{
	int rc = 0;

	*out = (struct span_origin){0};
	if (origin->message.p)
		rc = arena_copy_str(a, origin->message, &out->message);
	return rc ? rc : arena_copy_str(a, origin->schema_url, &out->schema_url);
}

static int take_log(void *ctx, const struct store_log *l)
{
	struct log_batch *b = ctx;
	struct log_item item = {.time = l->time};
	struct span_origin origin;
	struct buf message;
	int rc = 0;

	if (!is_same(b->resources.at, b->resources.n, &l->resource)) {
		rc = copy_origin(&b->arena, &l->resource, &origin);
		if (!rc)
			rc = vec_push(&b->arena, &b->resources, origin);
	}
	if (!rc && !is_same(b->scopes.at, b->scopes.n, &l->scope)) {
		rc = copy_origin(&b->arena, &l->scope, &origin);
		if (!rc)
			rc = vec_push(&b->arena, &b->scopes, origin);
	}
	if (rc)
		return rc;
	item.resource = b->resources.n;
	item.scope = b->scopes.n;
	buf_init(&message, b->arena.budget);
	log_record_put(&message, &l->record);
	rc = buf_error(&message);
	if (!rc)
		rc = arena_copy_str(&b->arena, buf_str(&message), &item.message);
	buf_fini(&message);
	return rc ? rc : vec_push(&b->arena, &b->logs, item);
}

int varve_logs_otlp(struct request *r, struct reply *out, struct err *e)
{
	struct store_log_end end = {0};
	struct log_params p;
	struct log_batch logs;
	struct buf message;
	int rc = log_params_read(&p, r, e);

	log_batch_init(&logs, r->limits.budget);
	buf_init(&message, r->limits.budget);
	if (!rc)
		rc = log_params_read_page(&p, r, e);
	if (!rc && r->store->ops->logs)
		rc = r->store->ops->logs(r->store, &p.select, take_log, &logs, &end, e);
	if (!rc)
		rc = otlp_logs_encode(&message, &logs);
	if (!rc)
		rc = schema_to_json(&out->body, &otlp_logs_request, buf_str(&message), e);
	out->content_type = STR("application/json");
	buf_fini(&message);
	log_batch_fini(&logs);
	log_params_fini(&p);
	return rc;
}
