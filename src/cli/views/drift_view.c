/* SPDX-License-Identifier: Apache-2.0 */
/* Events of drift as text. */
#include "cli/views/drift_view.h"

#include "base/clock.h"

static void put_time(struct buf *out, const struct json_value *event, const char *name)
{
	char text[CLOCK_TEXT_SIZE];
	uint64_t ms = 0;

	if (json_u64(json_get(event, str_from(name)), &ms) || ms > UINT64_MAX / NS_PER_MS)
		ms = 0;
	/* slots begin with whole minutes */
	buf_put_str(out, str_head(str_from(clock_format(ms * NS_PER_MS, text)),
				  strlen("YYYY-MM-DDTHH:MM")));
	buf_put_char(out, 'Z');
}

static double number_of(const struct json_value *object, const char *name)
{
	double value = 0;

	return json_double(json_get(object, str_from(name)), &value) ? 0 : value;
}

static void put_text(struct buf *out, const struct terminal *t, const struct json_value *event,
		     const char *name)
{
	text_put(out, json_str(json_get(event, str_from(name))), t->charset);
}

static void put_kind(struct buf *out, const struct terminal *t, const struct json_value *event)
{
	static const struct {
		struct str kind;
		struct rgb color;
	} colors[] = {
		{STR_INIT("regression"), {0xe0, 0x50, 0x50}},
		{STR_INIT("improvement"), {0x50, 0xa0, 0x60}},
		{STR_INIT("new"), {0xd0, 0xa0, 0x30}},
	};
	struct str kind = json_str(json_get(event, STR("kind")));

	for (size_t i = 0; i < countof(colors); i++)
		if (str_eq(kind, colors[i].kind))
			terminal_foreground(out, t, colors[i].color);
	text_put(out, kind, t->charset);
	terminal_plain(out, t);
	for (size_t n = kind.n; n < strlen("improvement"); n++)
		buf_put_char(out, ' ');
}

static void put_function(struct buf *out, const struct terminal *t, const struct json_value *f)
{
	buf_printf(out, "    %+7.2f %%  %5.2fx (%.2f to %.2f)  ",
		   (number_of(f, "after") - number_of(f, "before")) * 100, number_of(f, "ratio"),
		   number_of(f, "low"), number_of(f, "high"));
	put_text(out, t, f, "name");
	if (json_str(json_get(f, STR("file"))).n) {
		terminal_faint(out, t);
		buf_put_str(out, STR("  "));
		put_text(out, t, f, "file");
		terminal_plain(out, t);
	}
	buf_put_char(out, '\n');
}

static void put_event(struct buf *out, const struct terminal *t, const struct json_value *event)
{
	uint64_t ended = 0;

	put_time(out, event, "since");
	buf_put_str(out, STR("  "));
	put_kind(out, t, event);
	buf_put_str(out, STR("  "));
	terminal_bold(out, t);
	put_text(out, t, event, "service");
	terminal_plain(out, t);
	buf_put_str(out, STR("  "));
	put_text(out, t, event, "text");
	if (!json_u64(json_get(event, STR("ended")), &ended) && ended) {
		buf_put_str(out, STR(", ended "));
		put_time(out, event, "ended");
	}
	buf_put_char(out, '\n');
	json_each(f, json_get(event, STR("functions"))) put_function(out, t, f);
	terminal_faint(out, t);
	buf_put_str(out, STR("    "));
	put_text(out, t, event, "page");
	terminal_plain(out, t);
	buf_put_char(out, '\n');
}

void drift_view_put(struct buf *out, const struct terminal *t, const struct json_value *root)
{
	const struct json_value *events = json_get(root, STR("events"));

	if (json_kind(json_get(root, STR("enabled"))) == JSON_FALSE)
		buf_put_str(out, STR("the server does not look for drift (--no-drift)\n"));
	else if (!json_count(events))
		buf_put_str(out, STR("no events\n"));
	json_each(event, events) put_event(out, t, event);
}
