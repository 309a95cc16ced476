/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OTLP logs. The decoder reads the times of each record; the others are left in the message, which
 * the store takes apart when it merges blocks, long after the sender was answered.
 */
#include "format/otlp/logs.h"

#include <stdio.h>

#include "format/otlp/otlp_names.h"
#include "signal/otlp/attributes.h"
#include "wire/proto.h"

struct logs_decoder {
	struct log_batch *out;
	struct str whole;
	struct err *e;
};

static int reader_error(const struct logs_decoder *d, const struct proto_reader *r)
{
	return r->error ? proto_fail(r, d->whole, d->e) : 0;
}

/* ---- resources and scopes ---- */

static struct str text_attribute(struct str resource, struct str key)
{
	struct value v;

	if (resource.n && otlp_attribute_find(resource, OTLP_RESOURCE_ATTRIBUTES, key, &v) &&
	    v.kind == VALUE_STRING)
		return v.s;
	return (struct str){0};
}

static int add_service(struct logs_decoder *d, struct str resource)
{
	struct arena *a = &d->out->arena;
	struct str service = text_attribute(resource, STR("service.name"));
	int rc;

	if (!service.n)
		service = text_attribute(resource, STR("service_name"));
	rc = otlp_service_name(a, service, text_attribute(resource, STR("process.executable.name")),
			       &service);
	return rc ? rc : vec_push(a, &d->out->services, service);
}

/* Read the fields 1, a Resource or InstrumentationScope, and 3, the schema URL. */
static int read_origin(const struct logs_decoder *d, struct str message, struct span_origin *out)
{
	struct proto_reader r = proto_reader_of(message);

	*out = (struct span_origin){0};
	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			out->message = proto_nested(&r);
		else if (r.tag == PROTO_TAG(3, PROTO_BYTES))
			out->schema_url = proto_bytes(&r);
		else
			proto_skip(&r);
	return reader_error(d, &r);
}

/* ---- records ---- */

static int read_times(const struct logs_decoder *d, struct str message, struct log_item *out)
{
	struct proto_reader r = proto_reader_of(message);
	uint64_t time = 0, observed = 0;

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_FIXED64))
			time = proto_fixed64(&r);
		else if (r.tag == PROTO_TAG(11, PROTO_FIXED64))
			observed = proto_fixed64(&r);
		else
			proto_skip(&r);
	out->time = time ? time : observed;
	out->untimed = !out->time;
	return reader_error(d, &r);
}

static int add_record(struct logs_decoder *d, struct str message)
{
	struct log_batch *b = d->out;
	struct log_item entry = {
		.resource = b->resources.n, .scope = b->scopes.n, .message = message};
	int rc;

	if (message.n > LOG_RECORD_MAX) {
		if (!b->rejected++)
			snprintf(b->reason, sizeof(b->reason), "log record %u: larger than 4 MiB",
				 b->logs.n);
		return 0;
	}
	rc = read_times(d, message, &entry);
	b->bytes += message.n;
	return rc ? rc : vec_push(&b->arena, &b->logs, entry);
}

static int read_scope_logs(struct logs_decoder *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct span_origin scope;
	int rc = read_origin(d, message, &scope);

	if (!rc)
		rc = vec_push(&d->out->arena, &d->out->scopes, scope);
	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			rc = add_record(d, proto_nested(&r));
		else
			proto_skip(&r);
	}
	return rc ? rc : reader_error(d, &r);
}

static int read_resource_logs(struct logs_decoder *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct span_origin resource;
	int rc = read_origin(d, message, &resource);

	if (!rc)
		rc = vec_push(&d->out->arena, &d->out->resources, resource);
	if (!rc)
		rc = add_service(d, resource.message);
	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			rc = read_scope_logs(d, proto_nested(&r));
		else
			proto_skip(&r);
	}
	return rc;
}

int otlp_logs_decode(struct log_batch *out, struct str in, struct err *e)
{
	struct logs_decoder d = {out, in, e};
	struct proto_reader r = proto_reader_of(in);
	int rc = 0;

	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			rc = read_resource_logs(&d, proto_nested(&r));
		else
			proto_skip(&r);
	}
	if (!rc)
		rc = reader_error(&d, &r);
	if (!rc)
		return 0;
	log_batch_reset(out);
	return err_errno(e, rc, "decode OTLP logs");
}

/* ---- encoding ---- */

static const struct span_origin *origin_of(const struct span_origin *at, uint32_t number)
{
	return number ? &at[number - 1] : NULL;
}

int otlp_logs_encode(struct buf *out, const struct log_batch *b)
{
	struct proto_writer w;
	uint32_t i = b->logs.n;
	int rc;

	proto_writer_init(&w, b->arena.budget);
	while (i) {
		uint32_t resource = b->logs.at[i - 1].resource;
		const struct span_origin *r = origin_of(b->resources.at, resource);
		size_t resource_end = proto_mark(&w);

		if (r)
			proto_put_bytes(&w, 3, r->schema_url);
		while (i && b->logs.at[i - 1].resource == resource) {
			uint32_t scope = b->logs.at[i - 1].scope;
			const struct span_origin *s = origin_of(b->scopes.at, scope);
			size_t scope_end = proto_mark(&w);

			if (s)
				proto_put_bytes(&w, 3, s->schema_url);
			for (; i && b->logs.at[i - 1].scope == scope &&
			       b->logs.at[i - 1].resource == resource;
			     i--)
				proto_put_entry(&w, 2, b->logs.at[i - 1].message);
			if (s && s->message.p)
				proto_put_entry(&w, 1, s->message);
			proto_put_header(&w, 2, scope_end);
		}
		if (r && r->message.p)
			proto_put_entry(&w, 1, r->message);
		proto_put_header(&w, 1, resource_end);
	}
	rc = proto_writer_error(&w);
	if (!rc && b->logs.n)
		buf_put_str(out, proto_writer_str(&w));
	proto_writer_fini(&w);
	return rc ? rc : buf_error(out);
}
