/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The resource: attributes from options, OTEL_RESOURCE_ATTRIBUTES, the program and the host; the
 * first value of a key counts.
 */
#include "sdk/resource.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sdk/sdk.h"
#include "wire/text.h"

static int add_attribute(struct sdk *s, const char *key, struct value value)
{
	struct keyvalue *row = &s->resource[s->resource_count];
	struct str copy;
	int rc;

	for (uint32_t i = 0; i < s->resource_count; i++)
		if (str_eq(s->resource[i].key, str_from(key)))
			return 0; /* the first value counts */
	if (s->resource_count == SDK_RESOURCE_MAX)
		return 0;
	rc = arena_copy_str(&s->arena, str_from(key), &copy);
	if (!rc && value.kind == VALUE_STRING)
		rc = arena_copy_str(&s->arena, value.s, &value.s);
	if (rc)
		return rc;
	*row = (struct keyvalue){copy, value};
	s->resource_count++;
	return 0;
}

static int add_text_attribute(struct sdk *s, const char *key, const char *text)
{
	return text && *text ? add_attribute(s, key, VALUE_OF_STR(str_from(text))) : 0;
}

/* Decode percent escapes in place. */
static void percent_decode(char *text)
{
	char *out = text;

	for (; *text; text++) {
		if (*text == '%' && hex_digit(text[1]) >= 0 && hex_digit(text[2]) >= 0) {
			*out++ = (char)(hex_digit(text[1]) << 4 | hex_digit(text[2]));
			text += 2;
		} else {
			*out++ = *text;
		}
	}
	*out = 0;
}

/* Add the attributes of OTEL_RESOURCE_ATTRIBUTES: key=value,key2=value2, percent-encoded. */
static int add_env_attributes(struct sdk *s, const char *text)
{
	struct str rest = str_from(text ? text : ""), pair, copy, key;
	int rc = 0;

	while (!rc && rest.n) {
		pair = str_trim(str_cut(&rest, ','));
		rc = arena_copy_str(&s->arena, pair, &copy);
		if (rc || !memchr(copy.p, '=', copy.n))
			continue;
		pair = copy;
		key = str_trim(str_cut(&pair, '='));
		((char *)key.p)[key.n] = 0;
		percent_decode((char *)key.p);
		percent_decode((char *)pair.p);
		if (key.n)
			rc = add_text_attribute(s, key.p, pair.p);
	}
	return rc;
}

static int make_instance_id(struct sdk *s)
{
	uint8_t id[16];

	if (getrandom(id, sizeof(id), 0) != sizeof(id))
		return -EIO;
	id[6] = (uint8_t)((id[6] & 0x0f) | 0x40); /* a random UUID, version 4 */
	id[8] = (uint8_t)((id[8] & 0x3f) | 0x80);
	snprintf(s->instance_id, sizeof(s->instance_id),
		 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", id[0],
		 id[1], id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10], id[11],
		 id[12], id[13], id[14], id[15]);
	return 0;
}

int sdk_new_instance(struct sdk *s)
{
	int rc = make_instance_id(s);

	for (uint32_t i = 0; !rc && i < s->resource_count; i++) {
		if (str_eq(s->resource[i].key, STR("service.instance.id")))
			s->resource[i].value = VALUE_OF_STR(str_from(s->instance_id));
		else if (str_eq(s->resource[i].key, STR("process.pid")))
			s->resource[i].value = VALUE_OF_INT(getpid());
	}
	return rc;
}

int sdk_make_resource(struct sdk *s, struct err *e)
{
	const struct varve_options *o = &s->options.o;
	struct utsname machine;
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	int rc = make_instance_id(s);

	path[n > 0 ? n : 0] = 0;
	rc = rc ? rc : add_text_attribute(s, "service.name", o->service_name);
	rc = rc ? rc : add_text_attribute(s, "service.version", o->service_version);
	rc = rc ? rc : add_env_attributes(s, o->resource_attributes);
	rc = rc ? rc : add_text_attribute(s, "service.name", program_invocation_short_name);
	rc = rc ? rc : add_text_attribute(s, "service.name", "unknown_service");
	rc = rc ? rc : add_text_attribute(s, "service.instance.id", s->instance_id);
	rc = rc ? rc : add_attribute(s, "process.pid", VALUE_OF_INT(getpid()));
	rc = rc ? rc
		: add_text_attribute(s, "process.executable.name", program_invocation_short_name);
	rc = rc ? rc : add_text_attribute(s, "process.executable.path", path);
	if (!rc && !uname(&machine))
		rc = add_text_attribute(s, "host.name", machine.nodename);
	rc = rc ? rc : add_text_attribute(s, "telemetry.sdk.name", "varve");
	rc = rc ? rc : add_text_attribute(s, "telemetry.sdk.language", "c");
	rc = rc ? rc : add_text_attribute(s, "telemetry.sdk.version", VARVE_VERSION);
	return rc ? err_errno(e, rc, "collect the resource attributes") : 0;
}
