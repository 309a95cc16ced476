/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the settings of POST /debug/profiling. */
#include "sdk/debug/debug_control.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "sdk/export/http_client.h"
#include "sdk/options.h"

/* Names of settings, and the options that they are. Only numbers and lists of kinds. */
static const struct {
	const char *name, *path, *expected;
} settings[] = {
	{"profiles", "profiling.profiles",
	 "cpu, heap, mutex, block, wall, threads, threadcreate, mmap or all, separated by commas"},
	{"cpu_hz", "profiling.cpu.sample_rate", "1 to 1000"},
	{"wall_hz", "profiling.wall.sample_rate", "1 to 1000"},
	{"heap_interval", "profiling.memory.sample_rate", "bytes, as 512KB"},
	{"block_interval", "profiling.block.sample_rate", "a time, as 10us"},
	{"slow_span", "profiling.conditional.slow_request_threshold", "a time, as 500ms"},
	{"busy_span", "profiling.conditional.cpu_threshold_percent", "a share, as 80%"},
	{"load_threshold", "profiling.adaptive_sampler.load_threshold", "a share, as 0.8"},
	{"floor_hz", "profiling.adaptive_sampler.floor", "1 to 1000"},
	{"cpu_threshold", "profiling.adaptive_rate.cpu_threshold", "a share, as 0.8"},
	{"memory_threshold", "profiling.adaptive_rate.memory_threshold", "bytes, as 512MB"},
	{"overhead_target", "profiling.overhead.target", "a share, as 1%"},
	{"shed_cpu", "profiling.load_shedding.cpu_threshold", "a share, as 90%"},
};

static int set_enabled(struct debug_control *out, struct str value, struct err *e)
{
	unsigned on;

	if (sdk_flag_read(value, &on))
		return err_set(e, -EINVAL, "enabled: \"%.*s\": expected true or false",
			       STR_ARG(str_head(value, 64)));
	out->enabled = on ? DEBUG_ENABLE : DEBUG_DISABLE;
	return 0;
}

static int set_pair(struct debug_control *out, struct str key, struct str value, struct err *e)
{
	const struct option_row *row;

	if (str_eq(key, STR("enabled")))
		return set_enabled(out, value, e);
	for (size_t i = 0; i < countof(settings); i++) {
		if (!str_eq(key, str_from(settings[i].name)))
			continue;
		row = sdk_option_named(settings[i].path);
		if (row->type == OPTION_PROFILES && !value.n) { /* no kinds */
			out->wanted.o.profiles = 0;
			out->wanted.given[row - sdk_option_table] = true;
			return 0;
		}
		if (sdk_option_read(&out->wanted, row, value))
			return err_set(e, -EINVAL, "%s: \"%.*s\": expected %s", settings[i].name,
				       STR_ARG(str_head(value, 64)), settings[i].expected);
		return 0;
	}
	return err_set(e, -EINVAL,
		       "unknown setting \"%.*s\": expected enabled, profiles, cpu_hz, "
		       "wall_hz, heap_interval, block_interval or a threshold (docs/control.md)",
		       STR_ARG(str_head(key, 64)));
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
	*out = (struct debug_control){0};
	arena_init(&out->wanted.arena, NULL);
	text = str_trim(text);
	return text.n && text.p[0] == '{' ? read_json(out, text, e) : read_form(out, text, e);
}

void debug_control_fini(struct debug_control *c)
{
	arena_fini(&c->wanted.arena);
}

bool debug_control_gives(const struct debug_control *c, const char *path)
{
	return c->wanted.given[sdk_option_named(path) - sdk_option_table];
}

void debug_control_copy(const struct debug_control *c, struct varve_options *to)
{
	for (size_t i = 0; i < countof(settings); i++) {
		const struct option_row *row = sdk_option_named(settings[i].path);
		size_t size = row->type == OPTION_SHARE ? sizeof(double)
			      : row->type == OPTION_COUNT || row->type == OPTION_PROFILES
				      ? sizeof(unsigned)
				      : sizeof(uint64_t);

		if (c->wanted.given[row - sdk_option_table])
			memcpy((char *)to + row->offset, (const char *)&c->wanted.o + row->offset,
			       size);
	}
}
