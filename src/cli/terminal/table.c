/* SPDX-License-Identifier: Apache-2.0 */
/* The first pass collects the widest text of each column; table_pass() then divides the window. */
#include "cli/terminal/table.h"

#include <string.h>

enum {
	NAME_LEAST = 24, /* columns; in a narrower window lines are too long */
	FILE_LEAST = 12, /* columns; with fewer, files are omitted */
	NAME_PADDED = 64,
	MEASURE_MAX = 4096,
};

void table_init(struct table *t, struct buf *out, const struct terminal *terminal)
{
	*t = (struct table){.out = out, .terminal = terminal};
}

void table_head(struct table *t, const char *text)
{
	t->heads[t->columns] = text;
	t->widths[t->columns++] = strlen(text);
}

/* Return the file of a function, else its module. */
static struct str place_of(const struct frame_name *name)
{
	return name->file.n ? name->file : name->module;
}

/* Divide the window between names and files. */
static void fit_columns(struct table *t)
{
	size_t values = 0, room, least_file = min_size(t->file_width, FILE_LEAST);

	/* Not a terminal: names are complete, and the files of most of them are aligned. */
	if (!t->terminal->tty) {
		t->name_width = min_size(t->name_width, NAME_PADDED);
		return;
	}
	for (unsigned i = 0; i < t->columns; i++)
		values += t->widths[i] + 2;
	room = t->terminal->columns > values + NAME_LEAST ? t->terminal->columns - values
							  : NAME_LEAST;
	if (t->name_width + 2 + t->file_width <= room)
		return;
	if (room < NAME_LEAST + 2 + least_file) {
		t->file_width = 0;
		t->name_width = min_size(t->name_width, room);
		return;
	}
	/* Names may take two thirds of the room, or more if files do not need the rest. */
	size_t beside_file = room > 2 + t->file_width ? room - 2 - t->file_width : 0;

	t->name_width = min_size(t->name_width, max_size(room * 2 / 3, beside_file));
	t->file_width = min_size(t->file_width, room - 2 - t->name_width);
}

void table_pass(struct table *t, int pass, const char *name, enum group_by group)
{
	t->at = 0;
	t->writing = pass > 0;
	if (!t->writing) {
		t->name_width = strlen(name);
		return;
	}
	t->paths = group == GROUP_FILE || group == GROUP_MODULE;
	if (t->paths)
		t->file_width = 0;
	fit_columns(t);
	terminal_bold(t->out, t->terminal);
	for (unsigned i = 0; i < t->columns; i++)
		buf_printf(t->out, "%*s  ", (int)t->widths[i], t->heads[i]);
	if (t->file_width)
		buf_printf(t->out, "%-*s  file", (int)t->name_width, name);
	else
		buf_put_str(t->out, str_from(name));
	terminal_plain(t->out, t->terminal);
	buf_put_char(t->out, '\n');
}

void table_value(struct table *t, struct unit_text value)
{
	size_t *width = &t->widths[t->at++];

	if (t->writing)
		buf_printf(t->out, "%*s  ", (int)*width, value.text);
	else
		*width = max_size(*width, strlen(value.text));
}

static void write_name(struct table *t, const struct frame_name *name)
{
	enum text_charset charset = t->terminal->charset;
	struct str place = place_of(name), text = name->text;
	size_t used;

	if (t->terminal->tty && t->paths) {
		used = text_put_cut(t->out, text, charset, t->name_width, TEXT_CUT_HEAD);
	} else if (t->terminal->tty) {
		text = text_short_name(text, charset, t->name_width);
		used = text_put_cut(t->out, text, charset, t->name_width, TEXT_CUT_TAIL);
	} else {
		used = text_put(t->out, text, charset);
	}
	if (t->file_width && place.n) {
		buf_printf(t->out, "%*s  ", used < t->name_width ? (int)(t->name_width - used) : 0,
			   "");
		terminal_faint(t->out, t->terminal);
		text_put_cut(t->out, place, charset, t->file_width, TEXT_CUT_HEAD);
		terminal_plain(t->out, t->terminal);
	}
	buf_put_char(t->out, '\n');
}

void table_name(struct table *t, const struct frame_name *name)
{
	enum text_charset charset = t->terminal->charset;

	t->at = 0;
	if (t->writing) {
		write_name(t, name);
		return;
	}
	t->name_width = max_size(t->name_width, text_width(name->text, charset, MEASURE_MAX));
	t->file_width = max_size(t->file_width, text_width(place_of(name), charset, MEASURE_MAX));
}
