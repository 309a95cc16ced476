/* SPDX-License-Identifier: Apache-2.0 */
/* Events as JSON: for the API, and for the file they are kept in. */
#include <errno.h>
#include <math.h>

#include "api/drift/drift_event.h"
#include "base/clock.h"

/* A member of an event or of a function: how it is written and read. */
enum field_kind { FIELD_TEXT, FIELD_TIME, FIELD_NUMBER, FIELD_U32, FIELD_U64, FIELD_FLAG };

struct field {
	struct str name;
	enum field_kind kind;
	size_t at; /* in the struct */
};

#define EVENT(name, kind)                                                                          \
	{                                                                                          \
		STR_INIT(#name), kind, offsetof(struct drift_event, name)                          \
	}
#define FUNCTION(name, kind)                                                                       \
	{                                                                                          \
		STR_INIT(#name), kind, offsetof(struct drift_event_function, name)                 \
	}

static const struct field event_fields[] = {
	EVENT(id, FIELD_U64),
	EVENT(service, FIELD_TEXT),
	EVENT(type, FIELD_TEXT),
	EVENT(since, FIELD_TIME),
	EVENT(found, FIELD_TIME),
	EVENT(ended, FIELD_TIME),
	EVENT(deploy, FIELD_FLAG),
	EVENT(versions_before, FIELD_TEXT),
	EVENT(versions_after, FIELD_TEXT),
	EVENT(before_from, FIELD_TIME),
	EVENT(before_to, FIELD_TIME),
	EVENT(after_from, FIELD_TIME),
	EVENT(after_to, FIELD_TIME),
	EVENT(extra, FIELD_NUMBER),
	EVENT(more, FIELD_U32),
};

static const struct field function_fields[] = {
	FUNCTION(name, FIELD_TEXT),    FUNCTION(file, FIELD_TEXT),   FUNCTION(ratio, FIELD_NUMBER),
	FUNCTION(low, FIELD_NUMBER),   FUNCTION(high, FIELD_NUMBER), FUNCTION(before, FIELD_NUMBER),
	FUNCTION(after, FIELD_NUMBER), FUNCTION(z, FIELD_NUMBER),    FUNCTION(extra, FIELD_NUMBER),
};

/* ---- writing ---- */

static void put_field(struct json_writer *w, const struct field *f, const void *at)
{
	const void *p = (const char *)at + f->at;

	json_put_key(w, f->name);
	if (f->kind == FIELD_TEXT)
		json_put_string(w, *(const struct str *)p);
	else if (f->kind == FIELD_TIME)
		json_put_u64(w, *(const uint64_t *)p / NS_PER_MS);
	else if (f->kind == FIELD_NUMBER)
		json_put_double(w, isfinite(*(const double *)p) ? *(const double *)p : 0);
	else if (f->kind == FIELD_U32)
		json_put_u64(w, *(const uint32_t *)p);
	else if (f->kind == FIELD_U64)
		json_put_u64(w, *(const uint64_t *)p);
	else
		json_put_bool(w, *(const bool *)p);
}

static void put_link(struct json_writer *w, struct str key,
		     void (*write)(struct buf *out, const struct drift_event *at),
		     const struct drift_event *at)
{
	struct buf text = {0};

	write(&text, at);
	json_put_key(w, key);
	json_put_string(w, buf_str(&text));
	buf_fini(&text);
}

void drift_event_put(struct json_writer *w, const struct drift_event *at, bool tenant)
{
	json_open_object(w);
	json_put_key(w, STR("kind"));
	json_put_string(w, drift_kind_name(at->kind));
	for (size_t i = 0; i < countof(event_fields); i++)
		put_field(w, &event_fields[i], at);
	json_put_key(w, STR("functions"));
	json_open_array(w);
	for (uint32_t i = 0; i < at->function_n; i++) {
		json_open_object(w);
		for (size_t k = 0; k < countof(function_fields); k++)
			put_field(w, &function_fields[k], &at->functions[i]);
		json_close_object(w);
	}
	json_close_array(w);
	if (tenant) {
		json_put_key(w, STR("tenant"));
		json_put_string(w, at->tenant);
	} else {
		put_link(w, STR("text"), drift_event_text, at);
		put_link(w, STR("page"), drift_event_page, at);
		put_link(w, STR("diff"), drift_event_diff, at);
	}
	json_close_object(w);
}

/* ---- reading ---- */

static int read_field(const struct field *f, void *at, const struct json_value *value)
{
	void *p = (char *)at + f->at;
	uint64_t number = 0;
	int rc = 0;

	if (f->kind == FIELD_TEXT) {
		*(struct str *)p = json_str(value);
		return json_kind(value) == JSON_STRING ? 0 : -EINVAL;
	}
	if (f->kind == FIELD_NUMBER)
		return json_double(value, p);
	if (f->kind == FIELD_FLAG)
		return json_bool(value, p);
	rc = json_u64(value, &number);
	if (f->kind == FIELD_U32 && number > UINT32_MAX)
		rc = -ERANGE;
	if (f->kind == FIELD_TIME && number > UINT64_MAX / NS_PER_MS)
		rc = -ERANGE;
	if (rc)
		return rc;
	if (f->kind == FIELD_U32)
		*(uint32_t *)p = (uint32_t)number;
	else
		*(uint64_t *)p = f->kind == FIELD_TIME ? number * NS_PER_MS : number;
	return 0;
}

static int read_fields(const struct field *fields, size_t n, void *at,
		       const struct json_value *object, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (read_field(&fields[i], at, json_get(object, fields[i].name)))
			return err_set(e, -EBADMSG, "an event has no valid %.*s",
				       STR_ARG(fields[i].name));
	return 0;
}

int drift_event_read(struct drift_event *out, const struct json_value *object, struct err *e)
{
	int rc;

	*out = (struct drift_event){.tenant = json_str(json_get(object, STR("tenant")))};
	if (!drift_kind_parse(json_str(json_get(object, STR("kind"))), &out->kind))
		return err_set(e, -EBADMSG, "an event has no valid kind");
	rc = read_fields(event_fields, countof(event_fields), out, object, e);
	json_each(function, json_get(object, STR("functions")))
	{
		if (rc || out->function_n == DRIFT_EVENT_FUNCTIONS)
			break;
		rc = read_fields(function_fields, countof(function_fields),
				 &out->functions[out->function_n++], function, e);
	}
	if (!rc && !out->function_n)
		rc = err_set(e, -EBADMSG, "an event has no functions");
	return rc;
}
