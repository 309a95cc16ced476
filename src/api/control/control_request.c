/* SPDX-License-Identifier: Apache-2.0 */
/* Reads requests of control in JSON. Strings borrow from the body and the arena. */
#include "api/control/control_request.h"

#include <errno.h>

#include "wire/json.h"

enum { REQUEST_MAX = 16 * 1024 };

static int open_body(struct str body, struct json *doc, struct arena *arena, struct err *e)
{
	int rc;

	if (body.n > REQUEST_MAX)
		return err_set(e, -EINVAL, "the body has more than %d bytes", REQUEST_MAX);
	json_init(doc, arena);
	rc = json_parse(doc, body, e);
	if (rc)
		return rc == -EBADMSG ? -EINVAL : rc;
	if (json_kind(json_root(doc)) != JSON_OBJECT)
		return err_set(e, -EINVAL, "the body has to be a JSON object");
	return 0;
}

static int read_string(const struct json_value *v, const char *key, struct str *out, struct err *e)
{
	if (json_kind(v) != JSON_STRING)
		return err_set(e, -EINVAL, "%s: expected a string", key);
	*out = json_str(v);
	return 0;
}

static int read_number(const struct json_value *v, const char *key, uint64_t most, uint64_t *out,
		       struct err *e)
{
	if (json_kind(v) != JSON_NUMBER || json_u64(v, out) || !*out || *out > most)
		return err_set(e, -EINVAL, "%s: expected a number from 1 to %llu", key,
			       (unsigned long long)most);
	return 0;
}

/* Read "cpu,heap" or ["cpu", "heap"]. */
static int read_kinds(const struct json_value *v, const char *key, unsigned *out, struct err *e)
{
	unsigned one;

	*out = 0;
	if (json_kind(v) == JSON_STRING)
		return !json_str(v).n || !control_kinds_read(json_str(v), out)
			       ? 0
			       : err_set(e, -EINVAL, "%s: unknown kind of profile in \"%.*s\"", key,
					 STR_ARG(str_head(json_str(v), 64)));
	if (json_kind(v) != JSON_ARRAY)
		return err_set(e, -EINVAL, "%s: expected a list of kinds", key);
	json_each(item, v)
	{
		if (json_kind(item) != JSON_STRING || control_kinds_read(json_str(item), &one))
			return err_set(e, -EINVAL, "%s: unknown kind of profile \"%.*s\"", key,
				       STR_ARG(str_head(json_str(item), 64)));
		*out |= one;
	}
	return 0;
}

/* A field of the request of control, or of that of a capture. */
static int read_control_field(struct control_request *q, struct str key, const struct json_value *v,
			      struct err *e)
{
	uint64_t number = 0;
	int rc;

	if (str_eq(key, STR("service")))
		return read_string(v, "service", &q->service, e);
	if (str_eq(key, STR("instance")))
		return read_string(v, "instance", &q->instance, e);
	if (str_eq(key, STR("reason")))
		return read_string(v, "reason", &q->reason, e);
	if (str_eq(key, STR("heap_interval")))
		return read_number(v, "heap_interval", UINT64_C(1) << 40,
				   &q->settings.heap_interval, e);
	if (str_eq(key, STR("profiles"))) {
		q->settings.has_profiles = true;
		return read_kinds(v, "profiles", &q->settings.profiles, e);
	}
	if (str_eq(key, STR("cpu_hz"))) {
		rc = read_number(v, "cpu_hz", CONTROL_HZ_MAX, &number, e);
		q->settings.cpu_hz = (unsigned)number;
	} else if (str_eq(key, STR("wall_hz"))) {
		rc = read_number(v, "wall_hz", CONTROL_HZ_MAX, &number, e);
		q->settings.wall_hz = (unsigned)number;
	} else if (str_eq(key, STR("seconds"))) {
		rc = read_number(v, "seconds", CONTROL_LEASE_SECONDS_MAX, &number, e);
		q->seconds = (unsigned)number;
	} else {
		rc = err_set(e, -EINVAL, "unknown field \"%.*s\"", STR_ARG(str_head(key, 40)));
	}
	return rc;
}

static int read_capture_field(struct control_capture_request *q, struct str key,
			      const struct json_value *v, struct err *e)
{
	uint64_t number = 0;
	int rc;

	if (str_eq(key, STR("service")))
		return read_string(v, "service", &q->service, e);
	if (str_eq(key, STR("instance")))
		return read_string(v, "instance", &q->instance, e);
	if (str_eq(key, STR("kind")))
		return read_kinds(v, "kind", &q->kind, e);
	if (str_eq(key, STR("all"))) {
		if (json_kind(v) != JSON_TRUE && json_kind(v) != JSON_FALSE)
			return err_set(e, -EINVAL, "all: expected true or false");
		q->all = json_kind(v) == JSON_TRUE;
		return 0;
	}
	if (!str_eq(key, STR("seconds")))
		return err_set(e, -EINVAL, "unknown field \"%.*s\"", STR_ARG(str_head(key, 40)));
	rc = read_number(v, "seconds", CONTROL_CAPTURE_SECONDS_MAX, &number, e);
	q->seconds = (unsigned)number;
	return rc;
}

int control_request_read(struct control_request *out, struct str body, struct arena *arena,
			 struct err *e)
{
	struct json doc;
	int rc = open_body(body, &doc, arena, e);

	*out = (struct control_request){0};
	if (rc)
		return rc;
	json_each_member(key, json_root(&doc))
	{
		if (!rc)
			rc = read_control_field(out, json_str(key), json_member(key), e);
	}
	return rc;
}

int control_capture_request_read(struct control_capture_request *out, struct str body,
				 struct arena *arena, struct err *e)
{
	struct json doc;
	int rc = open_body(body, &doc, arena, e);

	*out = (struct control_capture_request){0};
	if (rc)
		return rc;
	json_each_member(key, json_root(&doc))
	{
		if (!rc)
			rc = read_capture_field(out, json_str(key), json_member(key), e);
	}
	return rc;
}
