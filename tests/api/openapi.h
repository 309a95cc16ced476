/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_API_OPENAPI_H
#define VARVE_TESTS_API_OPENAPI_H

/* Check JSON against docs/openapi.json: type, properties, required, items, enum, references. */

#include <fcntl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "test/test.h"
#include "wire/json.h"

struct openapi {
	struct arena arena;
	struct buf text;
	struct json doc;
};

static UNUSED void openapi_open(struct openapi *o)
{
	char path[512];
	struct err e = {0};
	ssize_t n;
	int fd;

	*o = (struct openapi){0};
	snprintf(path, sizeof(path), "%s/docs/openapi.json", getenv("SOURCE_ROOT"));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	while ((n = read(fd, buf_reserve(&o->text, 65536), 65536)) > 0)
		o->text.n += (size_t)n;
	close(fd);
	arena_init(&o->arena, NULL);
	json_init(&o->doc, &o->arena);
	assert_ok_err(json_parse(&o->doc, buf_str(&o->text), &e), &e);
}

static UNUSED void openapi_close(struct openapi *o)
{
	arena_fini(&o->arena);
	buf_fini(&o->text);
}

/* Return the target of a {"$ref": "#/a/b/c"}, or the value itself. */
static UNUSED const struct json_value *openapi_follow(const struct openapi *o,
						      const struct json_value *v)
{
	struct str ref = json_str(json_get(v, STR("$ref")));
	const struct json_value *at = json_root(&o->doc);

	if (!ref.n)
		return v;
	str_cut(&ref, '/');
	while (ref.n)
		at = json_get(at, str_cut(&ref, '/'));
	assert_non_null(at);
	return at;
}

static UNUSED bool openapi_type_is(struct str type, const struct json_value *v)
{
	enum json_kind kind = json_kind(v);
	int64_t whole;

	if (str_eq(type, STR("object")))
		return kind == JSON_OBJECT;
	if (str_eq(type, STR("array")))
		return kind == JSON_ARRAY;
	if (str_eq(type, STR("string")))
		return kind == JSON_STRING;
	if (str_eq(type, STR("integer")))
		return kind == JSON_NUMBER && !json_i64(v, &whole);
	if (str_eq(type, STR("number")))
		return kind == JSON_NUMBER;
	if (str_eq(type, STR("boolean")))
		return kind == JSON_TRUE || kind == JSON_FALSE;
	return false;
}

static UNUSED void openapi_check(const struct openapi *o, const struct json_value *schema,
				 const struct json_value *v, const char *where);

static UNUSED void openapi_check_object(const struct openapi *o, const struct json_value *schema,
					const struct json_value *v, const char *where)
{
	const struct json_value *properties = json_get(schema, STR("properties"));
	const struct json_value *others = json_get(schema, STR("additionalProperties"));

	json_each(name, json_get(schema, STR("required"))) if (!json_get(v, json_str(name)))
		fail_msg("%s: %.*s is missing", where, STR_ARG(json_str(name)));
	json_each_member(key, v)
	{
		const struct json_value *known = json_get(properties, json_str(key));
		char deeper[256];

		snprintf(deeper, sizeof(deeper), "%s.%.*s", where, STR_ARG(json_str(key)));
		if (!known && json_kind(others) != JSON_OBJECT)
			fail_msg("%s is not described", deeper);
		openapi_check(o, known ? known : others, json_member(key), deeper);
	}
}

static UNUSED void openapi_check(const struct openapi *o, const struct json_value *schema,
				 const struct json_value *v, const char *where)
{
	const struct json_value *words;
	bool found = false;

	schema = openapi_follow(o, schema);
	words = json_get(schema, STR("enum"));
	if (json_kind(v) == JSON_NULL && json_kind(json_get(schema, STR("nullable"))) == JSON_TRUE)
		return;
	if (!openapi_type_is(json_str(json_get(schema, STR("type"))), v))
		fail_msg("%s is %s, expected %.*s", where, json_kind_name(json_kind(v)),
			 STR_ARG(json_str(json_get(schema, STR("type")))));
	if (json_kind(v) == JSON_OBJECT)
		openapi_check_object(o, schema, v, where);
	json_each(item, v) openapi_check(o, json_get(schema, STR("items")), item, where);
	json_each(word, words) found |= str_eq(json_str(word), json_str(v));
	if (words && !found)
		fail_msg("%s: \"%.*s\" is not an enum value", where, STR_ARG(json_str(v)));
}

/* Return the description of a path and method ("get"), or NULL. */
static UNUSED const struct json_value *openapi_operation(const struct openapi *o, struct str path,
							 const char *method)
{
	return json_get(json_get(json_get(json_root(&o->doc), STR("paths")), path),
			str_from(method));
}

/* Check that the text conforms to the operation's response for this status ("200", "default"). */
static UNUSED void openapi_check_answer(const struct openapi *o, struct str path,
					const char *method, const char *status, struct str text)
{
	const struct json_value *content;
	struct arena arena;
	struct json doc;
	struct err e = {0};

	content = json_get(openapi_operation(o, path, method), STR("responses"));
	content = json_get(json_get(content, str_from(status)), STR("content"));
	content = json_get(json_get(content, STR("application/json")), STR("schema"));
	if (!content)
		fail_msg("%.*s %s is not described", STR_ARG(path), status);
	arena_init(&arena, NULL);
	json_init(&doc, &arena);
	assert_ok_err(json_parse(&doc, text, &e), &e);
	openapi_check(o, content, json_root(&doc), path.p);
	arena_fini(&arena);
}

#endif
