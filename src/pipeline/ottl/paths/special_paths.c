/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths whose value is computed or spread over several fields: trace state, kinds as text,
 * durations, metric types.
 */
#include "pipeline/ottl/paths/special_paths.h"

#include <errno.h>
#include <strings.h>

#include "net/http/http.h"
#include "pipeline/ottl/ottl_access.h"
#include "signal/otlp/build.h"

static int wrong_type(struct ottl_eval *ev, const struct ottl_node *n, const char *expected,
		      const struct ottl_value *v)
{
	return ottl_fail(ev, "%.*s expects %s but got %s", STR_ARG(n->name), expected,
			 ottl_kind_names[v->kind]);
}

static int no_keys(struct ottl_eval *ev, const struct ottl_node *n)
{
	return n->keys.n ? ottl_fail(ev, "%.*s does not support indexing", STR_ARG(n->name)) : 0;
}

/* Put a string into the record of a level. */
static int put_string_field(struct ottl_eval *ev, unsigned level, uint32_t field, struct str s)
{
	struct arena *arena = ottl_level_arena(ev, level);
	struct str bytes;
	int rc;

	proto_writer_clear(&ev->writer);
	proto_put_bytes(&ev->writer, field, s);
	rc = ottl_take_written(&ev->writer, arena, &bytes);
	return rc ? rc : ottl_record_put(&ev->at[level], arena, field, bytes);
}

/* ---- schema URLs, which are outside of the messages ---- */

int read_resource_schema(struct ottl_eval *ev, const struct ottl_node *n,
			 const struct ottl_path_def *def, struct ottl_value *out)
{
	(void)def;
	*out = OTTL_VALUE_STRING(ev->resource->schema_url);
	return no_keys(ev, n);
}

int read_scope_schema(struct ottl_eval *ev, const struct ottl_node *n,
		      const struct ottl_path_def *def, struct ottl_value *out)
{
	(void)def;
	*out = OTTL_VALUE_STRING(ev->scope->schema_url);
	return no_keys(ev, n);
}

static int write_schema(struct ottl_eval *ev, const struct ottl_node *n, struct str *url,
			const struct ottl_value *v)
{
	int rc = 0;

	if (v->kind != OTTL_STRING)
		return wrong_type(ev, n, "string", v);
	if (str_eq(*url, v->s))
		return 0;
	rc = arena_copy_str(&ev->kept, v->s, url);
	ev->changed = true;
	return rc;
}

int write_resource_schema(struct ottl_eval *ev, const struct ottl_node *n,
			  const struct ottl_path_def *def, struct ottl_value *v)
{
	(void)def;
	return write_schema(ev, n, &ev->resource->schema_url, v);
}

int write_scope_schema(struct ottl_eval *ev, const struct ottl_node *n,
		       const struct ottl_path_def *def, struct ottl_value *v)
{
	(void)def;
	return write_schema(ev, n, &ev->scope->schema_url, v);
}

/* ---- trace_state: a list of KEY=VALUE with commas ---- */

/* Return the key of the only index of the path. */
static int state_key(struct ottl_eval *ev, const struct ottl_node *n, struct str *key)
{
	struct ottl_value v;
	int rc = n->keys.n == 1 ? ottl_eval_node(ev, n->keys.at[0], &v)
				: ottl_fail(ev, "trace_state takes one key");

	if (rc)
		return rc;
	if (v.kind != OTTL_STRING)
		return ottl_fail(ev, "the key of trace_state has to be a string");
	*key = v.s;
	return 0;
}

static bool next_member(struct str *rest, struct str *member, struct str *key)
{
	struct str value;

	if (!rest->n)
		return false;
	*member = str_trim(str_cut(rest, ','));
	value = *member;
	*key = str_cut(&value, '=');
	return true;
}

int read_trace_state(struct ottl_eval *ev, const struct ottl_node *n,
		     const struct ottl_path_def *def, struct ottl_value *out)
{
	struct str state =
		ottl_find_bytes(ottl_record_field(&ev->at[LEVEL_ITEM], def->field), def->field);
	struct str wanted = {0}, member, key;
	int rc;

	*out = OTTL_VALUE_STRING(state);
	if (!n->keys.n)
		return 0;
	*out = OTTL_VALUE_STRING(STR(""));
	rc = state_key(ev, n, &wanted);
	while (!rc && next_member(&state, &member, &key))
		if (str_eq(key, wanted))
			out->s = str_from_at(member, key.n + 1);
	return rc;
}

/* Put the changed member first, as W3C Trace Context says. */
static int replace_member(struct ottl_eval *ev, struct str state, struct str wanted,
			  struct str value, struct str *out)
{
	struct buf b = {0};
	struct str member, key;
	int rc;

	buf_put_str(&b, wanted);
	buf_put_char(&b, '=');
	buf_put_str(&b, value);
	while (next_member(&state, &member, &key)) {
		if (!member.n || str_eq(key, wanted))
			continue;
		buf_put_char(&b, ',');
		buf_put_str(&b, member);
	}
	rc = buf_error(&b);
	if (!rc)
		rc = arena_copy_str(&ev->scratch, buf_str(&b), out);
	buf_fini(&b);
	return rc;
}

int write_trace_state(struct ottl_eval *ev, const struct ottl_node *n,
		      const struct ottl_path_def *def, struct ottl_value *v)
{
	struct str state =
		ottl_find_bytes(ottl_record_field(&ev->at[LEVEL_ITEM], def->field), def->field);
	struct str wanted = {0}, text;
	int rc;

	if (v->kind != OTTL_STRING)
		return wrong_type(ev, n, "string", v);
	text = v->s;
	if (n->keys.n) {
		rc = state_key(ev, n, &wanted);
		if (!rc)
			rc = replace_member(ev, state, wanted, v->s, &text);
		if (rc)
			return rc;
	}
	return str_eq(text, state) ? 0 : put_string_field(ev, LEVEL_ITEM, def->field, text);
}

/* ---- the kind of spans ---- */

static const char *const kind_names[] = {"Unspecified", "Internal", "Server",
					 "Client",	"Producer", "Consumer"};
static const char *const deprecated_names[] = {"SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL",
					       "SPAN_KIND_SERVER",	"SPAN_KIND_CLIENT",
					       "SPAN_KIND_PRODUCER",	"SPAN_KIND_CONSUMER"};

static int read_kind(struct ottl_eval *ev, const struct ottl_node *n, uint32_t field,
		     const char *const *names, struct ottl_value *out)
{
	int rc = ottl_field_read(ottl_record_field(&ev->at[LEVEL_ITEM], field), field, FIELD_INT,
				 &ev->scratch, out);
	uint64_t kind = rc ? 0 : (uint64_t)out->i;

	*out = OTTL_VALUE_STRING(str_from(kind < countof(kind_names) ? names[kind] : ""));
	return rc ? rc : no_keys(ev, n);
}

int read_span_kind(struct ottl_eval *ev, const struct ottl_node *n, const struct ottl_path_def *def,
		   struct ottl_value *out)
{
	return read_kind(ev, n, def->field, kind_names, out);
}

int read_span_kind_deprecated(struct ottl_eval *ev, const struct ottl_node *n,
			      const struct ottl_path_def *def, struct ottl_value *out)
{
	return read_kind(ev, n, def->field, deprecated_names, out);
}

/* Write a varint field of the item. */
static int put_number_field(struct ottl_eval *ev, uint32_t field, uint64_t number)
{
	struct str bytes;
	int rc;

	proto_writer_clear(&ev->writer);
	proto_put_uint(&ev->writer, field, number);
	rc = ottl_take_written(&ev->writer, &ev->scratch, &bytes);
	return rc ? rc : ottl_record_put(&ev->at[LEVEL_ITEM], &ev->scratch, field, bytes);
}

int write_span_kind(struct ottl_eval *ev, const struct ottl_node *n,
		    const struct ottl_path_def *def, struct ottl_value *v)
{
	if (v->kind != OTTL_STRING)
		return wrong_type(ev, n, "string", v);
	for (unsigned i = 0; i < countof(kind_names); i++)
		if (v->s.n == strlen(kind_names[i]) && !strncasecmp(v->s.p, kind_names[i], v->s.n))
			return put_number_field(ev, def->field, i);
	return ottl_fail(ev, "unknown span kind \"%.*s\"", STR_ARG(str_head(v->s, 40)));
}

int read_event_index(struct ottl_eval *ev, const struct ottl_node *n,
		     const struct ottl_path_def *def, struct ottl_value *out)
{
	(void)def;
	*out = OTTL_VALUE_INT(ev->parts.current);
	return no_keys(ev, n);
}

/* ---- metrics ---- */

int read_metric_type(struct ottl_eval *ev, const struct ottl_node *n,
		     const struct ottl_path_def *def, struct ottl_value *out)
{
	static const uint8_t types[] = {[OTLP_GAUGE] = 1,
					[OTLP_SUM] = 2,
					[OTLP_HISTOGRAM] = 3,
					[OTLP_EXPONENTIAL] = 4,
					[OTLP_SUMMARY] = 5};
	struct str data;

	(void)def;
	*out = OTTL_VALUE_INT(types[ottl_metric_data(ev, &data)]);
	return no_keys(ev, n);
}

/* Return whether metrics of that kind have aggregation_temporality (2) or is_monotonic (3). */
static bool data_has(uint32_t kind, uint32_t field)
{
	if (field == 3)
		return kind == OTLP_SUM;
	return kind == OTLP_SUM || kind == OTLP_HISTOGRAM || kind == OTLP_EXPONENTIAL;
}

int read_metric_number(struct ottl_eval *ev, const struct ottl_node *n,
		       const struct ottl_path_def *def, struct ottl_value *out)
{
	struct str data;
	uint32_t kind = ottl_metric_data(ev, &data);

	*out = (struct ottl_value){0};
	if (!data_has(kind, def->field))
		return no_keys(ev, n);
	return ottl_field_read(data, def->field, def->field == 3 ? FIELD_BOOL : FIELD_INT,
			       &ev->scratch, out);
}

int write_metric_number(struct ottl_eval *ev, const struct ottl_node *n,
			const struct ottl_path_def *def, struct ottl_value *v)
{
	enum ottl_kind wanted = def->field == 3 ? OTTL_BOOL : OTTL_INT;
	struct ottl_change change = {.field = def->field};
	struct str data;
	uint32_t kind = ottl_metric_data(ev, &data);
	int rc;

	if (!data_has(kind, def->field))
		return 0;
	if (v->kind != wanted)
		return wrong_type(ev, n, ottl_kind_names[wanted], v);
	proto_writer_clear(&ev->writer);
	proto_put_uint(&ev->writer, def->field, (uint64_t)v->i);
	rc = ottl_take_written(&ev->writer, &ev->scratch, &change.bytes);
	if (!rc)
		rc = ottl_message_replace(data, &change, 1, &ev->scratch, &data);
	if (rc)
		return rc;
	proto_put_entry(&ev->writer, kind, data);
	rc = ottl_take_written(&ev->writer, &ev->scratch, &change.bytes);
	return rc ? rc : ottl_record_put(&ev->at[LEVEL_ITEM], &ev->scratch, kind, change.bytes);
}

int read_metric_points(struct ottl_eval *ev, const struct ottl_node *n,
		       const struct ottl_path_def *def, struct ottl_value *out)
{
	struct str data;
	uint32_t kind = ottl_metric_data(ev, &data);

	*out = (struct ottl_value){0};
	if (!kind)
		return no_keys(ev, n);
	return ottl_field_read(data, def->field, FIELD_MESSAGES, &ev->scratch, out);
}

/* The value of a number point is a oneof of as_double (4) and as_int (6), both fixed64. */
enum { VALUE_AS_DOUBLE = 4, VALUE_AS_INT = 6 };

int read_point_value(struct ottl_eval *ev, const struct ottl_node *n,
		     const struct ottl_path_def *def, struct ottl_value *out)
{
	bool is_int = def->field == VALUE_AS_INT;

	return ottl_field_read(ottl_record_field(&ev->at[LEVEL_PART], def->field), def->field,
			       is_int ? FIELD_FIXED64 : FIELD_DOUBLE, &ev->scratch, out)
		       ?: no_keys(ev, n);
}

int write_point_value(struct ottl_eval *ev, const struct ottl_node *n,
		      const struct ottl_path_def *def, struct ottl_value *v)
{
	struct ottl_record *r = &ev->at[LEVEL_PART];
	bool is_int = def->field == VALUE_AS_INT;
	const char *expected;
	struct str bytes;
	int rc;

	proto_writer_clear(&ev->writer);
	rc = ottl_field_write(&ev->writer, def->field, is_int ? FIELD_FIXED64 : FIELD_DOUBLE, true,
			      v, &ev->scratch, &expected);
	if (rc)
		return rc == -EINVAL ? wrong_type(ev, n, expected, v) : rc;
	rc = ottl_take_written(&ev->writer, &ev->scratch, &bytes);
	if (!rc)
		rc = ottl_record_put(r, &ev->scratch, def->field, bytes);
	if (!rc)
		rc = ottl_record_put(r, &ev->scratch, is_int ? VALUE_AS_DOUBLE : VALUE_AS_INT,
				     (struct str){0});
	return rc;
}

/* ---- logs and clients ---- */

int read_body_text(struct ottl_eval *ev, const struct ottl_node *n, const struct ottl_path_def *def,
		   struct ottl_value *out)
{
	struct ottl_slot *slot;
	int rc = ottl_record_load(&ev->at[LEVEL_ITEM], &ev->scratch, def->field, true, &slot);

	if (rc)
		return rc;
	*out = OTTL_VALUE_STRING((struct str){0});
	return ottl_text_of(ev, &slot->value, &out->s) ?: no_keys(ev, n);
}

int write_body_text(struct ottl_eval *ev, const struct ottl_node *n,
		    const struct ottl_path_def *def, struct ottl_value *v)
{
	struct ottl_slot *slot;
	int rc;

	if (v->kind != OTTL_STRING)
		return wrong_type(ev, n, "string", v);
	rc = ottl_record_load(&ev->at[LEVEL_ITEM], &ev->scratch, def->field, true, &slot);
	if (rc)
		return rc;
	slot->value = *v;
	slot->changed = true;
	return 0;
}

/* Return the values of all headers of that name. */
int read_client_metadata(struct ottl_eval *ev, const struct ottl_node *n,
			 const struct ottl_path_def *def, struct ottl_value *out)
{
	const struct delivery *d = ev->delivery;
	struct ottl_list *list;
	struct ottl_value key;
	int rc;

	(void)def;
	*out = (struct ottl_value){0};
	rc = n->keys.n ? ottl_eval_node(ev, n->keys.at[0], &key)
		       : ottl_fail(ev, "otelcol.client.metadata needs a key");
	if (!rc && key.kind != OTTL_STRING)
		rc = ottl_fail(ev, "the key of otelcol.client.metadata has to be a string");
	if (rc)
		return rc;
	list = ottl_list_new(&ev->scratch);
	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && d && i < d->metadata_count; i++)
		if (d->metadata[i].name.n == key.s.n &&
		    !strncasecmp(d->metadata[i].name.p, key.s.p, key.s.n))
			rc = ottl_list_add(&ev->scratch, list,
					   OTTL_VALUE_STRING(d->metadata[i].value));
	if (list->items.n)
		*out = (struct ottl_value){.kind = OTTL_LIST, .list = list};
	return rc;
}
