/* SPDX-License-Identifier: Apache-2.0 */
/* Log records, and their numbers over time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/varve/json_fields.h"
#include "api/varve/log_params.h"
#include "api/varve/varve.h"
#include "base/clock.h"
#include "base/container/hash.h"
#include "base/container/idset.h"
#include "base/time_text.h"
#include "query/time/chart.h"
#include "signal/otlp/attributes.h"
#include "wire/text.h"

enum { COLUMNS_DEFAULT = 100, COLUMNS_MAX = 20000 };

/* ---- values ---- */

static void put_log_value(struct json_writer *w, const struct value *v)
{
	struct buf text = {0};

	switch (v->kind) {
	case VALUE_STRING:
		json_put_string(w, v->s);
		return;
	case VALUE_BOOL:
		json_put_bool(w, v->i);
		return;
	case VALUE_INT:
		json_put_i64(w, v->i);
		return;
	case VALUE_DOUBLE:
		json_put_double(w, v->d);
		return;
	case VALUE_BYTES:
		base64_encode(&text, v->s);
		json_put_string(w, buf_str(&text));
		break;
	case VALUE_LIST:
	case VALUE_MAP:
		if (otlp_value_text(&text, v) || !text.n)
			json_put_null(w);
		else
			json_put_raw(w, buf_str(&text));
		break;
	default:
		json_put_null(w);
	}
	buf_fini(&text);
}

static int put_attributes(struct json_writer *w, struct str message, uint32_t field,
			  struct arena *arena)
{
	struct attributes a = {0};
	int rc = message.n ? otlp_attributes_read(&a, message, field, arena) : 0;

	json_put_key(w, STR("attributes"));
	json_open_object(w);
	for (uint32_t i = 0; !rc && i < a.list.n; i++) {
		json_put_key(w, a.list.at[i].key);
		put_log_value(w, &a.list.at[i].value);
	}
	json_close_object(w);
	return rc == -ENOMEM ? rc : 0;
}

/* ---- resources and scopes ---- */

/* The distinct origins of an answer, each written once. */
struct log_origins {
	VEC(struct span_origin) list;
	struct idset index;
};

static int origin_number(struct log_origins *o, struct arena *a, const struct span_origin *origin,
			 uint32_t *number)
{
	uint32_t hash = hash32(origin->message) ^ 31 * hash32(origin->schema_url), i;
	struct idset_cursor c = idset_seek(&o->index, hash);
	struct span_origin copy = {0};
	int rc;

	while (idset_next(&o->index, &c, &i))
		if (str_eq(o->list.at[i].message, origin->message) &&
		    str_eq(o->list.at[i].schema_url, origin->schema_url)) {
			*number = i;
			return 0;
		}
	*number = o->list.n;
	rc = arena_copy_str(a, origin->message, &copy.message);
	if (!rc)
		rc = arena_copy_str(a, origin->schema_url, &copy.schema_url);
	if (!rc)
		rc = idset_add(&o->index, hash, o->list.n);
	return rc ? rc : vec_push(a, &o->list, copy);
}

static struct str text_field(struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message.n ? message : STR(""));
	struct str text = {0};

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(field, PROTO_BYTES))
			text = proto_bytes(&r);
		else
			proto_skip(&r);
	return text;
}

static int put_origins(struct json_writer *w, const char *key, const struct log_origins *o,
		       bool scopes, struct arena *arena)
{
	int rc = 0;

	json_put_key(w, str_from(key));
	json_open_array(w);
	for (uint32_t i = 0; !rc && i < o->list.n; i++) {
		const struct span_origin *x = &o->list.at[i];

		json_open_object(w);
		if (scopes && text_field(x->message, 1).n)
			put_text(w, "name", text_field(x->message, 1));
		if (scopes && text_field(x->message, 2).n)
			put_text(w, "version", text_field(x->message, 2));
		rc = put_attributes(w, x->message,
				    scopes ? OTLP_SCOPE_ATTRIBUTES : OTLP_RESOURCE_ATTRIBUTES,
				    arena);
		if (x->schema_url.n)
			put_text(w, "schema_url", x->schema_url);
		json_close_object(w);
	}
	json_close_array(w);
	return rc;
}

/* ---- records ---- */

struct log_answer {
	struct arena *arena;
	struct arena scratch;
	struct log_origins resources, scopes;
	struct buf records; /* the elements of the array */
	struct json_writer w;
};

static void put_nanoseconds(struct json_writer *w, const char *key, uint64_t ns)
{
	json_put_key(w, str_from(key));
	json_put_u64_string(w, ns);
}

static void put_body(struct json_writer *w, struct str body)
{
	struct buf text = {0};
	struct value v = {0};

	if (body.p && !otlp_value_read(body, &v))
		v = (struct value){0};
	if (v.kind != VALUE_STRING && otlp_value_text(&text, &v))
		buf_clear(&text);
	put_text(w, "text", v.kind == VALUE_STRING ? v.s : buf_str(&text));
	if (v.kind != VALUE_STRING && v.kind != VALUE_EMPTY) {
		json_put_key(w, STR("body"));
		put_log_value(w, &v);
	}
	buf_fini(&text);
}

static int put_record(void *ctx, const struct store_log *l)
{
	struct log_answer *a = ctx;
	struct json_writer *w = &a->w;
	const struct log_record *r = &l->record;
	uint32_t severity = log_severity(r->severity, r->severity_text), resource, scope;
	int rc = origin_number(&a->resources, a->arena, &l->resource, &resource);

	if (!rc)
		rc = origin_number(&a->scopes, a->arena, &l->scope, &scope);
	if (rc)
		return rc;
	json_open_object(w);
	put_nanoseconds(w, "time", l->time);
	if (r->observed)
		put_nanoseconds(w, "observed", r->observed);
	put_u64(w, "severity", severity);
	put_text(w, "level", str_from(severity_class_names[severity_class_of(severity)]));
	if (r->severity_text.n)
		put_text(w, "severity_text", r->severity_text);
	put_text(w, "service", l->service);
	put_body(w, r->body);
	rc = put_attributes(w, r->attributes, OTLP_LOG_ATTRIBUTES, &a->scratch);
	arena_reset(&a->scratch);
	if (r->dropped_attributes)
		put_u64(w, "dropped_attributes", r->dropped_attributes);
	put_u64(w, "resource", resource);
	put_u64(w, "scope", scope);
	if (span_id_is_set(r->trace_id, sizeof(r->trace_id)))
		put_hex(w, "trace", r->trace_id, sizeof(r->trace_id));
	if (span_id_is_set(r->span_id, sizeof(r->span_id)))
		put_hex(w, "span", r->span_id, sizeof(r->span_id));
	if (r->flags)
		put_u64(w, "flags", r->flags);
	if (r->event_name.n)
		put_text(w, "event", r->event_name);
	json_close_object(w);
	return rc ? rc : buf_error(w->out);
}

static void put_end(struct json_writer *w, const struct store_log_end *end)
{
	char text[48];
	int n = snprintf(text, sizeof(text), "%" PRIx64 "-%u", end->to, end->skip);

	if (end->more)
		put_text(w, "next", str_of(text, (size_t)n));
	if (end->stopped)
		put_flag(w, "partial", true);
}

static int answer_logs(struct log_answer *a, struct log_params *p, struct request *r,
		       struct reply *out, struct err *e)
{
	struct store_log_end end = {0};
	struct json_writer w;
	int rc = 0;

	if (r->store->ops->logs)
		rc = r->store->ops->logs(r->store, &p->select, put_record, a, &end, e);
	if (rc)
		return rc;
	w = answer_open(out, r->limits.missing);
	put_ms(&w, "from", p->select.from);
	put_ms(&w, "to", p->s.select.to);
	json_put_key(&w, STR("logs"));
	json_put_raw(&w, STR("["));
	buf_put_str(w.out, buf_str(&a->records));
	buf_put_char(w.out, ']');
	rc = put_origins(&w, "resources", &a->resources, false, r->arena);
	if (!rc)
		rc = put_origins(&w, "scopes", &a->scopes, true, r->arena);
	put_end(&w, &end);
	return rc ? rc : view_close(&w);
}

int varve_logs(struct request *r, struct reply *out, struct err *e)
{
	struct log_answer a = {.arena = r->arena};
	struct log_params p;
	int rc = log_params_read(&p, r, e);

	arena_init(&a.scratch, r->limits.budget);
	buf_init(&a.records, r->limits.budget);
	a.w = json_writer_to(&a.records, 0);
	if (!rc)
		rc = log_params_read_page(&p, r, e);
	if (!rc)
		rc = idset_init(&a.resources.index, r->arena, 16);
	if (!rc)
		rc = idset_init(&a.scopes.index, r->arena, 16);
	if (!rc)
		rc = answer_logs(&a, &p, r, out, e);
	buf_fini(&a.records);
	arena_fini(&a.scratch);
	log_params_fini(&p);
	return rc;
}

/* ---- counts ---- */

struct count_row {
	struct str name;
	uint64_t total, *counts;
};

struct log_counts {
	struct arena *arena;
	uint64_t start, step;
	uint32_t columns;
	bool by_service;
	uint64_t total;
	VEC(struct count_row) rows; /* by severity class, or in the order of appearance */
	struct idset index;	    /* of services */
};

static int add_count_row(struct log_counts *c, struct str name)
{
	struct count_row row = {.counts = arena_zalloc(c->arena, c->columns, sizeof(uint64_t))};
	int rc = row.counts ? arena_copy_str(c->arena, name, &row.name) : -ENOMEM;

	return rc ? rc : vec_push(c->arena, &c->rows, row);
}

static int service_row(struct log_counts *c, struct str service, uint32_t *at)
{
	uint32_t hash = hash32(service);
	struct idset_cursor cursor = idset_seek(&c->index, hash);
	int rc;

	while (idset_next(&c->index, &cursor, at))
		if (str_eq(c->rows.at[*at].name, service))
			return 0;
	*at = c->rows.n;
	rc = idset_add(&c->index, hash, c->rows.n);
	return rc ? rc : add_count_row(c, service);
}

static int add_count(void *ctx, const struct store_log_count *n)
{
	struct log_counts *c = ctx;
	uint64_t column = n->time < c->start ? 0 : (n->time - c->start) / c->step;
	uint32_t row = n->severity;
	int rc = c->by_service ? service_row(c, n->service, &row) : 0;

	if (rc || column >= c->columns)
		return rc;
	c->rows.at[row].counts[column] += n->n;
	c->rows.at[row].total += n->n;
	c->total += n->n;
	return 0;
}

static int read_count_step(struct log_counts *c, struct request *r,
			   const struct store_log_select *s, struct err *e)
{
	struct str text;
	int rc = request_param(r, "step", &text, e);

	c->step = chart_step_for(s->from, s->to, COLUMNS_DEFAULT);
	if (!rc && text.n) {
		rc = duration_parse(text, &c->step, e);
		if (rc)
			err_prefix(e, "step");
	}
	c->step = c->step / NS_PER_SECOND * NS_PER_SECOND;
	if (!rc && !c->step && !text.n)
		c->step = NS_PER_SECOND;
	if (!rc && (!c->step || (s->to - s->from) / c->step >= COLUMNS_MAX))
		rc = err_set(e, -EINVAL, "step: expected 1s or more, and at most %d columns",
			     COLUMNS_MAX);
	if (rc)
		return rc;
	c->start = s->from - s->from % c->step;
	c->columns = (uint32_t)((s->to - c->start + c->step - 1) / c->step);
	return 0;
}

static int read_by(struct log_counts *c, struct request *r, struct err *e)
{
	struct str by;
	int rc = request_param(r, "by", &by, e);

	if (!rc && by.n && !str_eq(by, STR("severity")) && !str_eq(by, STR("service")))
		rc = err_set(e, -EINVAL, "by: expected severity or service");
	c->by_service = !rc && str_eq(by, STR("service"));
	if (!rc)
		rc = idset_init(&c->index, r->arena, 16);
	for (unsigned i = 0; !rc && !c->by_service && i < SEVERITY_CLASSES; i++)
		rc = add_count_row(c, str_from(severity_class_names[i]));
	return rc;
}

static int by_total(const void *a, const void *b)
{
	const struct count_row *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return str_cmp(x->name, y->name);
}

static void put_count_row(struct json_writer *w, const struct count_row *row, uint32_t columns)
{
	if (!row->total)
		return;
	json_open_object(w);
	put_text(w, "name", row->name);
	put_u64(w, "total", row->total);
	json_put_key(w, STR("counts"));
	json_open_array(w);
	for (uint32_t i = 0; i < columns; i++)
		json_put_u64(w, row->counts[i]);
	json_close_array(w);
	json_close_object(w);
}

static int answer_counts(struct log_counts *c, const struct log_params *p, struct request *r,
			 struct reply *out, struct err *e)
{
	struct json_writer w;
	bool stopped = false;
	int rc = 0;

	if (r->store->ops->log_counts && c->columns)
		rc = r->store->ops->log_counts(r->store, &p->select, c->step, add_count, c,
					       &stopped, e);
	if (rc)
		return rc;
	if (c->by_service && c->rows.n)
		qsort(c->rows.at, c->rows.n, sizeof(*c->rows.at), by_total);
	w = answer_open(out, r->limits.missing);
	put_ms(&w, "from", p->select.from);
	put_ms(&w, "to", p->select.to);
	put_ms(&w, "step", c->step);
	put_ms(&w, "start", c->start);
	put_u64(&w, "total", c->total);
	json_put_key(&w, STR("rows"));
	json_open_array(&w);
	for (uint32_t i = 0; i < c->rows.n; i++)
		put_count_row(&w, &c->rows.at[c->by_service ? i : c->rows.n - 1 - i], c->columns);
	json_close_array(&w);
	if (stopped)
		put_flag(&w, "partial", true);
	return view_close(&w);
}

int varve_log_counts(struct request *r, struct reply *out, struct err *e)
{
	struct log_counts c = {.arena = r->arena};
	struct log_params p;
	int rc = log_params_read(&p, r, e);

	if (!rc)
		rc = read_count_step(&c, r, &p.select, e);
	if (!rc)
		rc = read_by(&c, r, e);
	if (!rc)
		rc = answer_counts(&c, &p, r, out, e);
	log_params_fini(&p);
	return rc;
}
