/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and values of attributes, for those who write queries. Version 1 has names and values as
 * plain texts, version 2 names by scope and values with their type.
 */
#include "api/tempo/tempo.h"
#include "api/tempo/tempo_params.h"
#include "net/http/uri.h"
#include "query/attributes/tags.h"
#include "wire/json_write.h"

#define PATH_VALUES "/values"

enum { TAGS_MAX = 10000, SCOPES = TRACE_SCOPE_INTRINSIC };
#define TAG_BYTES_MAX (4 * MIB)

static const struct str intrinsics[] = {
	STR_INIT("duration"),
	STR_INIT("event:name"),
	STR_INIT("event:timeSinceStart"),
	STR_INIT("instrumentation:name"),
	STR_INIT("instrumentation:version"),
	STR_INIT("kind"),
	STR_INIT("link:spanID"),
	STR_INIT("link:traceID"),
	STR_INIT("name"),
	STR_INIT("rootName"),
	STR_INIT("rootServiceName"),
	STR_INIT("span:duration"),
	STR_INIT("span:id"),
	STR_INIT("span:kind"),
	STR_INIT("span:name"),
	STR_INIT("span:parentID"),
	STR_INIT("span:status"),
	STR_INIT("span:statusMessage"),
	STR_INIT("status"),
	STR_INIT("statusMessage"),
	STR_INIT("trace:duration"),
	STR_INIT("trace:id"),
	STR_INIT("trace:rootName"),
	STR_INIT("trace:rootService"),
	STR_INIT("traceDuration"),
};

/* ---- parameters ---- */

static int read_tag_select(struct request *r, bool filter, struct tag_select *s, uint32_t *most,
			   struct err *e)
{
	uint64_t limit;
	int rc;

	*s = (struct tag_select){.store = r->store, .tenant = r->tenant, .limits = r->limits};
	rc = tempo_read_range(r, 0, &s->from, &s->to, e);
	if (!rc && filter)
		rc = request_param(r, "q", &s->filter, e);
	if (!rc)
		rc = request_u64(r, "limit", 0, &limit, e);
	if (!rc)
		*most = limit && limit < TAGS_MAX ? (uint32_t)limit : TAGS_MAX;
	return rc;
}

/* Read the scope: one, all, or the intrinsics, which are no attributes. */
static int read_scopes(struct request *r, unsigned *scopes, bool *intrinsic, struct err *e)
{
	struct str text;
	int rc = request_param(r, "scope", &text, e);

	*scopes = 0;
	*intrinsic = false;
	if (rc)
		return rc;
	if (!text.n || str_eq(text, STR("none"))) {
		*scopes = (1u << SCOPES) - 1;
		*intrinsic = true;
		return 0;
	}
	for (unsigned i = 0; i < SCOPES; i++)
		if (str_eq(text, tag_scope_names[i]))
			*scopes = 1u << i;
	*intrinsic = str_eq(text, tag_scope_names[TRACE_SCOPE_INTRINSIC]);
	if (!*scopes && !*intrinsic)
		rc = err_set(e, -EINVAL,
			     "invalid scope: %.*s; expected span, resource, event, link, "
			     "instrumentation or intrinsic",
			     STR_ARG(str_head(text, 100)));
	return rc;
}

/* ---- names ---- */

static void begin_answer(struct json_writer *w, const char *key)
{
	json_open_object(w);
	json_put_key(w, str_from(key));
	json_open_array(w);
}

static void end_answer(struct json_writer *w)
{
	json_close_array(w);
	json_put_key(w, STR("metrics"));
	json_open_object(w);
	json_close_object(w);
	json_close_object(w);
}

static void put_scope(struct json_writer *w, const struct tag_set *set, struct str scope)
{
	json_open_object(w);
	json_put_key(w, STR("name"));
	json_put_string(w, scope);
	json_put_key(w, STR("tags"));
	json_open_array(w);
	for (uint32_t i = 0; i < set->list.n; i++)
		if (str_eq(set->list.at[i].kind, scope))
			json_put_string(w, set->list.at[i].text);
	json_close_array(w);
	json_close_object(w);
}

static bool has_kind(const struct tag_set *set, struct str kind)
{
	for (uint32_t i = 0; i < set->list.n; i++)
		if (str_eq(set->list.at[i].kind, kind))
			return true;
	return false;
}

static void put_scopes(struct json_writer *w, const struct tag_set *set)
{
	static const enum trace_scope order[] = {
		TRACE_SCOPE_RESOURCE,	     TRACE_SCOPE_SPAN,
		TRACE_SCOPE_EVENT,	     TRACE_SCOPE_LINK,
		TRACE_SCOPE_INSTRUMENTATION, TRACE_SCOPE_INTRINSIC,
	};

	begin_answer(w, "scopes");
	for (size_t i = 0; i < countof(order); i++)
		if (has_kind(set, tag_scope_names[order[i]]))
			put_scope(w, set, tag_scope_names[order[i]]);
	end_answer(w);
}

/* Names of all scopes, each once. */
static int put_names(struct json_writer *w, const struct tag_set *set)
{
	struct tag_set names;
	int rc = tag_set_init(&names, SCOPES * TAGS_MAX, SIZE_MAX, set->arena);

	for (uint32_t i = 0; !rc && i < set->list.n; i++)
		rc = tag_set_add(&names, STR(""), set->list.at[i].text);
	tag_set_sort(&names);
	begin_answer(w, "tagNames");
	for (uint32_t i = 0; !rc && i < names.list.n; i++)
		json_put_string(w, names.list.at[i].text);
	end_answer(w);
	return rc;
}

static int answer_names(struct request *r, bool by_scope, struct reply *out, struct err *e)
{
	struct json_writer w = json_writer_to(&out->body, 0);
	struct tag_select s;
	struct tag_set set;
	unsigned scopes;
	bool intrinsic;
	uint32_t most;
	int rc = read_tag_select(r, by_scope, &s, &most, e);

	if (!rc)
		rc = read_scopes(r, &scopes, &intrinsic, e);
	if (!rc)
		rc = tag_set_init(&set, SCOPES * TAGS_MAX, TAG_BYTES_MAX, r->arena);
	if (!rc && scopes)
		rc = tags_find_names(&s, scopes, most, &set, e);
	/* all scopes together have the intrinsics in version 2 only */
	for (size_t i = 0; !rc && intrinsic && (by_scope || !scopes) && i < countof(intrinsics);
	     i++)
		rc = tag_set_add(&set, tag_scope_names[TRACE_SCOPE_INTRINSIC], intrinsics[i]);
	if (rc)
		return rc < 0 ? rc : 0;
	tag_set_sort(&set);
	if (by_scope)
		put_scopes(&w, &set);
	else
		rc = put_names(&w, &set);
	return rc ? rc : buf_error(&out->body);
}

int tempo_tag_names(struct request *r, struct reply *out, struct err *e)
{
	int rc = answer_names(r, false, out, e);

	return rc ? rc : tempo_reply_as_accepted(r, out, &tempo_tags_response, e);
}

int tempo_tag_names_v2(struct request *r, struct reply *out, struct err *e)
{
	int rc = answer_names(r, true, out, e);

	return rc ? rc : tempo_reply_as_accepted(r, out, &tempo_tags_v2_response, e);
}

/* ---- values ---- */

/* Write the field of a tag of version 1: an intrinsic, or the attribute in any scope. */
static int field_of_tag(struct str tag, struct arena *a, struct str *out)
{
	static const struct {
		const char *tag, *field;
	} known[] = {
		{"name", "name"},
		{"status.code", "status"},
		{"root.name", "rootName"},
		{"root.service.name", "rootServiceName"},
		{"service.name", "resource.service.name"},
	};
	struct buf text = {0};
	int rc;

	for (size_t i = 0; i < countof(known); i++)
		if (str_eq(tag, str_from(known[i].tag))) {
			*out = str_from(known[i].field);
			return 0;
		}
	buf_init(&text, a->budget);
	buf_put_str(&text, STR(".\""));
	for (size_t i = 0; i < tag.n; i++) {
		if (tag.p[i] == '"' || tag.p[i] == '\\')
			buf_put_char(&text, '\\');
		buf_put_char(&text, tag.p[i]);
	}
	buf_put_char(&text, '"');
	rc = buf_error(&text);
	if (!rc)
		rc = arena_copy_str(a, buf_str(&text), out);
	buf_fini(&text);
	return rc;
}

/* Values without their types, each once. */
static int put_texts(struct json_writer *w, const struct tag_set *set)
{
	struct tag_set texts;
	int rc = tag_set_init(&texts, TAGS_MAX, SIZE_MAX, set->arena);

	for (uint32_t i = 0; !rc && i < set->list.n; i++)
		rc = tag_set_add(&texts, STR(""), set->list.at[i].text);
	tag_set_sort(&texts);
	begin_answer(w, "tagValues");
	for (uint32_t i = 0; !rc && i < texts.list.n; i++)
		json_put_string(w, texts.list.at[i].text);
	end_answer(w);
	return rc;
}

static void put_values(struct json_writer *w, const struct tag_set *set)
{
	begin_answer(w, "tagValues");
	for (uint32_t i = 0; i < set->list.n; i++) {
		json_open_object(w);
		json_put_key(w, STR("type"));
		json_put_string(w, set->list.at[i].kind);
		json_put_key(w, STR("value"));
		json_put_string(w, set->list.at[i].text);
		json_close_object(w);
	}
	end_answer(w);
}

int tempo_put_tag_values(struct request *r, struct str tag, bool typed, struct reply *out,
			 struct err *e)
{
	struct json_writer w = json_writer_to(&out->body, 0);
	struct str field = tag;
	struct tag_select s;
	struct tag_set set;
	uint32_t most;
	int rc = read_tag_select(r, typed, &s, &most, e);

	if (!rc && !tag.n)
		rc = err_set(e, -EINVAL, "missing tag in the path");
	if (!rc && !typed)
		rc = field_of_tag(tag, r->arena, &field);
	if (!rc)
		rc = tag_set_init(&set, most, TAG_BYTES_MAX, r->arena);
	if (!rc)
		rc = tags_find_values(&s, field, &set, e);
	if (rc)
		return rc;
	tag_set_sort(&set);
	if (typed)
		put_values(&w, &set);
	else
		rc = put_texts(&w, &set);
	return rc ? rc : buf_error(&out->body);
}

/* Return the tag of the path PREFIX TAG /values. Grafana escapes it twice. */
static int tag_of_path(struct request *r, const char *prefix, struct str *tag, struct err *e)
{
	struct str path = r->sender ? r->sender->path : STR(""), end;
	size_t n = strlen(prefix), least = n + sizeof(PATH_VALUES) - 1;
	int rc;

	if (path.n < least)
		return err_set(e, -ENOENT, "expected a path as %sTAG" PATH_VALUES, prefix);
	end = str_from_at(path, path.n - (sizeof(PATH_VALUES) - 1));
	*tag = str_head(str_from_at(path, n), path.n - least);
	if (!str_eq(end, STR(PATH_VALUES)))
		return err_set(e, -ENOENT, "expected a path as %sTAG" PATH_VALUES, prefix);
	rc = str_find(*tag, '%') < tag->n ? http_unescape(r->arena, *tag, false, tag) : 0;
	return rc == -EINVAL ? 0 : rc; /* a tag with % in its name */
}

int tempo_tag_values(struct request *r, struct reply *out, struct err *e)
{
	struct str tag;
	int rc = tag_of_path(r, TEMPO_TAG_PATH, &tag, e);

	if (!rc)
		rc = tempo_put_tag_values(r, tag, false, out, e);
	return rc ? rc : tempo_reply_as_accepted(r, out, &tempo_tag_values_response, e);
}

int tempo_tag_values_v2(struct request *r, struct reply *out, struct err *e)
{
	struct str tag;
	int rc = tag_of_path(r, TEMPO_TAG_PATH_V2, &tag, e);

	if (!rc)
		rc = tempo_put_tag_values(r, tag, true, out, e);
	return rc ? rc : tempo_reply_as_accepted(r, out, &tempo_tag_values_v2_response, e);
}
