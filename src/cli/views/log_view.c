/* SPDX-License-Identifier: Apache-2.0 */
/* Log records as lines of text. */
#include "cli/views/log_view.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static void put_level_color(struct buf *out, const struct terminal *t, struct str level)
{
	static const struct {
		const char *level;
		struct rgb color;
	} colors[] = {
		{"fatal", {0xe0, 0x40, 0xc0}}, {"error", {0xe0, 0x50, 0x50}},
		{"warn", {0xd0, 0xa0, 0x30}},  {"info", {0x50, 0xa0, 0x60}},
		{"debug", {0x60, 0x90, 0xc0}}, {"trace", {0x90, 0x90, 0x90}},
	};

	for (size_t i = 0; i < countof(colors); i++)
		if (str_eq(level, str_from(colors[i].level)))
			terminal_foreground(out, t, colors[i].color);
}

static void put_scalar(struct buf *out, const struct terminal *t, const struct json_value *v)
{
	if (json_kind(v) == JSON_STRING || json_kind(v) == JSON_NUMBER)
		text_put(out, str_of(v->p, v->n), t->charset);
	else if (json_kind(v) == JSON_TRUE || json_kind(v) == JSON_FALSE)
		buf_put_str(out, json_kind(v) == JSON_TRUE ? STR("true") : STR("false"));
	else
		buf_put_str(out, STR("..."));
}

static void put_attributes(struct buf *out, const struct terminal *t, const struct json_value *log)
{
	json_each_member(key, json_get(log, STR("attributes")))
	{
		buf_put_str(out, STR("  "));
		terminal_faint(out, t);
		text_put(out, json_str(key), t->charset);
		buf_put_char(out, '=');
		terminal_plain(out, t);
		put_scalar(out, t, json_member(key));
	}
}

static void put_log(struct buf *out, const struct terminal *t, const struct json_value *log)
{
	char text[CLOCK_TEXT_SIZE];
	struct str level = json_str(json_get(log, STR("level")));
	struct str rest = json_str(json_get(log, STR("text"))), line;
	uint64_t time = 0;

	if (json_u64(json_get(log, STR("time")), &time))
		time = 0;
	terminal_faint(out, t);
	buf_put_str(out, str_from(clock_format(time, text)));
	terminal_plain(out, t);
	buf_put_char(out, ' ');
	put_level_color(out, t, level);
	buf_printf(out, "%-5.*s", STR_ARG(level.n ? level : STR("-")));
	terminal_plain(out, t);
	buf_put_char(out, ' ');
	terminal_bold(out, t);
	text_put(out, json_str(json_get(log, STR("service"))), t->charset);
	terminal_plain(out, t);
	buf_put_char(out, ' ');
	if (str_next_line(&rest, &line))
		text_put(out, line, t->charset);
	put_attributes(out, t, log);
	buf_put_char(out, '\n');
	while (str_next_line(&rest, &line)) { /* a stack trace, for example */
		buf_put_str(out, STR("    "));
		text_put(out, line, t->charset);
		buf_put_char(out, '\n');
	}
}

void log_view_put(struct buf *out, const struct terminal *t, const struct json_value *answer)
{
	const struct json_value *logs = json_get(answer, STR("logs"));
	uint32_t n = json_count(logs), i = 0;
	const struct json_value **at = n ? calloc(n, sizeof(const struct json_value *)) : NULL;

	if (!at)
		return;
	json_each(log, logs) at[i++] = log;
	while (i)
		put_log(out, t, at[--i]);
	free(at);
	if (!json_bool(json_get(answer, STR("partial")), &(bool){false}))
		buf_put_str(out, STR("(the time limit was reached: older records were not "
				     "searched)\n"));
}
