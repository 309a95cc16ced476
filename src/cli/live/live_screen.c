/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two lines of title, a line of heads, the body, and a line of keys. A frame writes each line whole and
 * erases its rest, so that nothing flickers.
 */
#include "cli/live/live_screen.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "cli/terminal/units.h"

enum { LINES_AROUND = 4, VALUE_WIDTH = 9, SHARE_WIDTH = 6, CHANGE_WIDTH = 10 };

uint32_t live_screen_body(const struct live_state *s, unsigned rows)
{
	(void)s;
	return rows > LINES_AROUND ? rows - LINES_AROUND : 1;
}

uint32_t live_screen_line(const struct live_state *s, uint32_t index, struct str *out)
{
	struct str rest = buf_str(&s->list), line;
	uint32_t n = 0;

	*out = (struct str){0};
	while (str_next_line(&rest, &line)) {
		char text[LIVE_TEXT_MAX * 4];

		snprintf(text, sizeof(text), "%.*s", STR_ARG(line));
		if (s->list_filter[0] && !strcasestr(text, s->list_filter))
			continue;
		if (n == index)
			*out = line;
		n++;
	}
	return n;
}

static void end_line(struct buf *out, const struct terminal *term)
{
	terminal_plain(out, term);
	buf_put_str(out, STR("\033[K\r\n"));
}

/* Append a text of at most the columns that are left of the line. */
static void put_text(struct buf *out, const struct terminal *term, const char *text, size_t *left)
{
	size_t used = text_put_cut(out, str_from(text), term->charset, *left, TEXT_CUT_TAIL);

	*left -= used < *left ? used : *left;
}

static void put_title(struct buf *out, const struct live_state *s, const struct live_data *d,
		      const struct terminal *term)
{
	size_t left = term->columns;
	char text[128];

	terminal_bold(out, term);
	put_text(out, term, s->title[0] ? s->title : "no service chosen", &left);
	terminal_plain(out, term);
	if (d->loaded) {
		const struct tree *t = &d->view.tree;

		snprintf(text, sizeof(text), "  %.*s %s", STR_ARG(str_head(t->type.type, 40)),
			 unit_value(t->sum[TREE_AFTER].all, t->type.unit, false).text);
		put_text(out, term, text, &left);
	}
	if (s->time_ns) {
		time_t seconds = (time_t)(s->time_ns / NS_PER_SECOND);
		struct tm tm = {0};

		localtime_r(&seconds, &tm);
		snprintf(text, sizeof(text), " in %llu s to %02d:%02d:%02d",
			 (unsigned long long)s->window_s, tm.tm_hour, tm.tm_min, tm.tm_sec);
		put_text(out, term, text, &left);
	}
	end_line(out, term);
}

static const char *const sort_names[LIVE_SORTS] = {"self", "total", "change"};

static void put_state(struct buf *out, const struct live_state *s, const struct live_data *d,
		      const struct terminal *term)
{
	size_t left = term->columns;
	char text[LIVE_TEXT_MAX + 64];

	terminal_faint(out, term);
	if (s->zoom_n) {
		snprintf(text, sizeof(text), "callers and callees of %.100s  ",
			 s->zoom[s->zoom_n - 1]);
		put_text(out, term, text, &left);
	}
	snprintf(text, sizeof(text), "%u %s, by %s%s", d->rows.n, d->rows.n == 1 ? "row" : "rows",
		 sort_names[s->sort], s->paused ? ", paused" : "");
	put_text(out, term, text, &left);
	if (s->filter[0] || s->mode == LIVE_FILTER) {
		snprintf(text, sizeof(text), ", filter: %s%s", s->filter,
			 s->mode == LIVE_FILTER ? "_" : "");
		put_text(out, term, text, &left);
	}
	end_line(out, term);
}

/* ---- the table ---- */

static void put_right(struct buf *out, const char *text, int width)
{
	buf_printf(out, "%*s ", width, text);
}

static void put_change(struct buf *out, const struct live_data *d, const int64_t v[TREE_COLUMNS],
		       bool colored)
{
	const struct terminal *term = &d->cli->out;
	bool wrapped = false;
	int64_t delta = add_wrapping(v[TREE_AFTER], -v[TREE_BEFORE], &wrapped);

	if (!d->has_before || !delta) {
		put_right(out, "", CHANGE_WIDTH);
		return;
	}
	if (colored)
		view_put_change_color(out, d->cli, delta);
	put_right(out, unit_change(delta, d->view.tree.type.unit, false).text, CHANGE_WIDTH);
	if (colored)
		terminal_plain(out, term);
}

/* The columns of the table: in a narrow window the names are more important than all values. */
struct live_columns {
	bool total, change;
	size_t name; /* its width */
};

enum { NAME_LEAST = 24 };

static struct live_columns choose_columns(unsigned columns)
{
	size_t pair = VALUE_WIDTH + SHARE_WIDTH + 2, used = pair;
	struct live_columns c = {0};

	c.total = used + pair + NAME_LEAST <= columns;
	used += c.total ? pair : 0;
	c.change = used + CHANGE_WIDTH + 1 + NAME_LEAST <= columns;
	used += c.change ? CHANGE_WIDTH + 1 : 0;
	c.name = columns > used ? columns - used : 1;
	return c;
}

static void put_amount(struct buf *out, const struct live_data *d, int64_t value)
{
	put_right(out, unit_value(value, d->view.tree.type.unit, false).text, VALUE_WIDTH);
	put_right(out, unit_share((double)value, live_data_whole(d), 1).text, SHARE_WIDTH);
}

static void put_row(struct buf *out, const struct live_state *s, const struct live_data *d,
		    const struct live_row *r, bool selected, const struct terminal *term)
{
	static const char *const marks[] = {"", "caller  ", "", "callee  "};
	struct live_columns c = choose_columns(term->columns);
	bool by_total = !c.total ? s->sort == LIVE_BY_TOTAL || r->part : false;

	if (selected)
		buf_put_str(out, STR("\033[7m"));
	else if (r->part == LIVE_FOCUS)
		terminal_bold(out, term);
	put_amount(out, d, by_total ? r->total[TREE_AFTER] : r->self[TREE_AFTER]);
	if (c.total)
		put_amount(out, d, r->total[TREE_AFTER]);
	if (c.change)
		put_change(out, d, s->sort == LIVE_BY_TOTAL || r->part ? r->total : r->self,
			   !selected && r->part != LIVE_FOCUS);
	put_text(out, term, marks[r->part], &c.name);
	text_put_cut(out, text_short_name(r->name.text, term->charset, c.name), term->charset,
		     c.name, TEXT_CUT_TAIL);
	if (selected)
		buf_put_str(out, STR("\033[0m"));
	end_line(out, term);
}

static void put_heads(struct buf *out, const struct live_state *s, const struct terminal *term)
{
	struct live_columns c = choose_columns(term->columns);
	bool by_total = !c.total && (s->sort == LIVE_BY_TOTAL || s->zoom_n);

	terminal_bold(out, term);
	put_right(out, by_total ? "total" : "self", VALUE_WIDTH);
	put_right(out, "%", SHARE_WIDTH);
	if (c.total) {
		put_right(out, "total", VALUE_WIDTH);
		put_right(out, "%", SHARE_WIDTH);
	}
	if (c.change)
		put_right(out, "change", CHANGE_WIDTH);
	put_text(out, term, "function", &c.name);
	end_line(out, term);
}

static void put_table(struct buf *out, const struct live_state *s, const struct live_data *d,
		      const struct terminal *term, uint32_t body)
{
	uint32_t i = s->first;

	put_heads(out, s, term);
	for (uint32_t line = 0; line < body; line++, i++) {
		if (i < d->rows.n)
			put_row(out, s, d, &d->rows.at[i], i == s->selected, term);
		else
			end_line(out, term);
	}
}

/* ---- lists and help ---- */

static void put_list(struct buf *out, const struct live_state *s, const struct terminal *term,
		     uint32_t body)
{
	bool services = s->mode == LIVE_PICK_SERVICE;
	size_t left = term->columns;
	char head[LIVE_TEXT_MAX + 64];

	terminal_bold(out, term);
	snprintf(head, sizeof(head), "Choose a %s: %s_", services ? "service" : "profile type",
		 s->list_filter);
	put_text(out, term, head, &left);
	end_line(out, term);
	for (uint32_t line = 0; line < body; line++) {
		struct str text;

		live_screen_line(s, s->first + line, &text);
		if (text.n && s->first + line == s->selected)
			buf_put_str(out, STR("\033[7m"));
		text_put_cut(out, text, term->charset, term->columns, TEXT_CUT_TAIL);
		if (text.n && s->first + line == s->selected)
			buf_put_str(out, STR("\033[0m"));
		end_line(out, term);
	}
}

static const char *const help[] = {
	"",
	"  up, down, j, k       select a function (also page up and down, home, end)",
	"  Enter                its callers and callees",
	"  Backspace, Escape    back",
	"  s                    choose a service",
	"  t                    choose a profile type",
	"  o                    order: by self, total, change",
	"  /                    show only functions that contain a text",
	"  p, space             pause and go on",
	"  q                    quit",
	"",
	"  self: of the function itself; total: with what it calls; %: of the whole;",
	"  change: against the interval before, of the value that sorts",
};

static void put_help(struct buf *out, const struct terminal *term, uint32_t body)
{
	size_t left = term->columns;

	terminal_bold(out, term);
	put_text(out, term, "Keys", &left);
	end_line(out, term);
	for (uint32_t i = 0; i < body; i++) {
		left = term->columns;
		if (i < countof(help))
			put_text(out, term, help[i], &left);
		end_line(out, term);
	}
}

static const char *keys_of(const struct live_state *s)
{
	switch (s->mode) {
	case LIVE_FILTER:
		return "type a text; Enter: keep it, Escape: remove it";
	case LIVE_PICK_SERVICE:
	case LIVE_PICK_TYPE:
		return "type to search; up, down, Enter: choose, Escape: back";
	case LIVE_HELP:
		return "any key: back";
	case LIVE_TABLE:
		break;
	}
	return s->zoom_n ? "Enter: callers and callees  Backspace: back  o order  / filter  q quit"
			 : "Enter: callers, callees  s service  t type  o order  / filter  p pause "
			   " ? "
			   "help";
}

void live_screen_draw(struct buf *out, const struct live_state *s, const struct live_data *d,
		      const struct terminal *terminal, unsigned rows)
{
	uint32_t body = live_screen_body(s, rows);
	size_t left = terminal->columns;

	buf_put_str(out, STR("\033[H"));
	put_title(out, s, d, terminal);
	put_state(out, s, d, terminal);
	if (s->mode == LIVE_PICK_SERVICE || s->mode == LIVE_PICK_TYPE)
		put_list(out, s, terminal, body);
	else if (s->mode == LIVE_HELP)
		put_help(out, terminal, body);
	else
		put_table(out, s, d, terminal, body);
	if (!s->message[0])
		terminal_faint(out, terminal);
	put_text(out, terminal,
		 s->message[0] ? s->message
		 : s->waiting  ? "waiting for data"
			       : keys_of(s),
		 &left);
	terminal_plain(out, terminal);
	buf_put_str(out, STR("\033[J"));
}
