/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the settings of POST /debug/profiling. */
#include "sdk/debug/debug_control.h"

#include <errno.h>

#include "base/buf.h"
#include "sdk/export/http_client.h"
#include "sdk/options.h"

static int set_pair(struct debug_control *out, struct str key, struct str value, struct err *e)
{
	struct sdk_options read = {0};
	uint64_t hz;
	unsigned on;

	if (str_eq(key, STR("profiles"))) {
		if (value.n &&
		    sdk_option_read(&read, sdk_option_named("profiling.profiles"), value))
			return err_set(
				e, -EINVAL,
				"profiles: \"%.*s\": expected cpu, heap, mutex, block, wall, "
				"threads, threadcreate, mmap or all, separated by commas",
				STR_ARG(str_head(value, 64)));
		out->profiles = read.o.profiles;
	} else if (str_eq(key, STR("cpu_hz"))) {
		if (str_to_u64(value, 10, &hz) || !hz || hz > 1000)
			return err_set(e, -EINVAL, "cpu_hz: \"%.*s\": expected 1 to 1000",
				       STR_ARG(str_head(value, 64)));
		out->cpu_hz = (unsigned)hz;
	} else if (str_eq(key, STR("enabled"))) {
		if (sdk_flag_read(value, &on))
			return err_set(e, -EINVAL, "enabled: \"%.*s\": expected true or false",
				       STR_ARG(str_head(value, 64)));
		if (!on)
			out->profiles = 0;
	} else {
		return err_set(e, -EINVAL,
			       "unknown setting \"%.*s\": expected profiles, cpu_hz or enabled",
			       STR_ARG(str_head(key, 64)));
	}
	return 0;
}

static int read_form(struct debug_control *out, struct str text, struct err *e)
{
	struct buf value = {0};
	int rc = 0;

	while (!rc && text.n) {
		struct str pair = str_cut(&text, '&'), key = str_cut(&pair, '=');

		buf_clear(&value);
		if (!pair.p || post_percent_decode(&value, pair))
			rc = err_set(e, -EINVAL, "expected key=value or JSON, found \"%.*s\"",
				     STR_ARG(str_head(key, 64)));
		else
			rc = set_pair(out, str_trim(key), str_trim(buf_str(&value)), e);
	}
	buf_fini(&value);
	return rc;
}

/* -- JSON: one object of strings, numbers, booleans and lists of strings ----------------------- */

static int bad_json(struct str rest, const char *expected, struct err *e)
{
	return err_set(e, -EINVAL, "JSON: expected %s, found \"%.*s\"", expected,
		       STR_ARG(str_head(rest, 32)));
}

/* Skip white space and, if it is next, `c`. Return whether it was. */
static bool take_char(struct str *rest, char c)
{
	*rest = str_trim(*rest);
	if (!rest->n || rest->p[0] != c)
		return false;
	*rest = str_trim(str_from_at(*rest, 1));
	return true;
}

/* Read a string without escapes, which no known setting needs. */
static int read_json_string(struct str *rest, struct str *out, struct err *e)
{
	size_t end;

	if (!rest->n || rest->p[0] != '"')
		return bad_json(*rest, "a string", e);
	*out = str_from_at(*rest, 1);
	end = str_find(*out, '"');
	if (end == out->n || str_find(str_head(*out, end), '\\') < end)
		return bad_json(*rest, "a string without escapes", e);
	*rest = str_trim(str_from_at(*out, end + 1));
	*out = str_head(*out, end);
	return 0;
}

/* Append a value in the syntax of a form: a list is separated by commas. */
static int read_json_value(struct str *rest, struct buf *out, struct err *e)
{
	struct str text;
	size_t n = 0;
	int rc;

	if (rest->n && rest->p[0] == '"') {
		rc = read_json_string(rest, &text, e);
		if (!rc)
			buf_put_str(out, text);
		return rc;
	}
	if (take_char(rest, '[')) {
		if (take_char(rest, ']'))
			return 0;
		do {
			rc = read_json_string(rest, &text, e);
			if (!rc && out->n)
				buf_put_char(out, ',');
			if (!rc)
				buf_put_str(out, text);
		} while (!rc && take_char(rest, ','));
		return rc || take_char(rest, ']') ? rc : bad_json(*rest, ", or ]", e);
	}
	while (n < rest->n && !strchr(",} \t\r\n", rest->p[n]))
		n++;
	if (!n)
		return bad_json(*rest, "a value", e);
	buf_put_str(out, str_head(*rest, n));
	*rest = str_trim(str_from_at(*rest, n));
	return 0;
}

static int read_json(struct debug_control *out, struct str rest, struct err *e)
{
	struct buf value = {0};
	struct str key;
	int rc = 0;

	take_char(&rest, '{');
	if (take_char(&rest, '}'))
		return rest.n ? bad_json(rest, "the end", e) : 0;
	do {
		buf_clear(&value);
		rc = read_json_string(&rest, &key, e);
		if (!rc && !take_char(&rest, ':'))
			rc = bad_json(rest, ":", e);
		rc = rc ? rc : read_json_value(&rest, &value, e);
		rc = rc ? rc : set_pair(out, key, buf_str(&value), e);
	} while (!rc && take_char(&rest, ','));
	if (!rc && !take_char(&rest, '}'))
		rc = bad_json(rest, ", or }", e);
	if (!rc && rest.n)
		rc = bad_json(rest, "the end", e);
	buf_fini(&value);
	return rc;
}

int debug_control_read(struct debug_control *out, struct str text, struct err *e)
{
	text = str_trim(text);
	return text.n && text.p[0] == '{' ? read_json(out, text, e) : read_form(out, text, e);
}
