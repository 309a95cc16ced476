/* SPDX-License-Identifier: Apache-2.0 */
/* The loop: take new data over, draw, wait for a key, change the state. */
#include "cli/live/live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/live/live_screen.h"
#include "cli/live/live_terminal.h"

#define AT(field) offsetof(struct live_times, field)

const struct option live_times_options[] = {
	{"window", 0, OPTION_COUNT, AT(window_s), "SECONDS", "30", NULL,
	 "length of what is shown, and of what it is compared with"},
	{"interval", 0, OPTION_COUNT, AT(interval_s), "SECONDS", "5", NULL,
	 "time between two queries of a server"},
	{0},
};

enum { WAIT_MS = 200, TIME_MAX = 86400 };

struct live {
	struct cli *cli;
	struct live_terminal terminal;
	struct live_source source;
	struct live_state state;
	struct live_data data;
	struct live_pair pair; /* of the data */
	struct buf frame;
	bool stale; /* the rows have to be made again */
	bool quit;
};

/* ---- the state ---- */

static void set_message(struct live *l, const char *text)
{
	snprintf(l->state.message, sizeof(l->state.message), "%s", text);
}

static void forget_data(struct live *l)
{
	live_pair_fini(&l->pair);
	live_data_fini(&l->data);
	live_data_init(&l->data, l->cli, l->data.options);
	l->state.time_ns = 0;
	l->state.waiting = true;
	l->stale = true;
}

static void leave_zoom(struct live *l)
{
	if (l->state.zoom_n)
		free(l->state.zoom[--l->state.zoom_n]);
	l->state.selected = l->state.first = 0;
	l->stale = true;
}

static void enter_zoom(struct live *l)
{
	struct live_state *s = &l->state;
	const struct live_row *row;

	if (s->selected >= l->data.rows.n)
		return;
	row = &l->data.rows.at[s->selected];
	if (row->part == LIVE_FOCUS)
		return;
	if (s->zoom_n == LIVE_ZOOM_MAX) {
		set_message(l, "too many steps: go back first");
		return;
	}
	s->zoom[s->zoom_n] = strndup(row->name.text.p, row->name.text.n);
	if (!s->zoom[s->zoom_n])
		return;
	s->zoom_n++;
	s->selected = s->first = 0;
	s->filter[0] = 0;
	l->stale = true;
}

static uint32_t count_lines(const struct live *l)
{
	struct str line;

	return l->state.mode == LIVE_PICK_SERVICE || l->state.mode == LIVE_PICK_TYPE
		       ? live_screen_line(&l->state, UINT32_MAX, &line)
		       : l->data.rows.n;
}

/* Select another row or line, and scroll so that it is visible. */
static void move_to(struct live *l, int64_t to)
{
	struct live_state *s = &l->state;
	uint32_t n = count_lines(l), body = live_screen_body(s, l->terminal.rows);

	if (to >= n)
		to = (int64_t)n - 1;
	s->selected = to > 0 ? (uint32_t)to : 0;
	if (s->selected < s->first)
		s->first = s->selected;
	if (s->selected >= s->first + body)
		s->first = s->selected - body + 1;
	if (s->first + body > n)
		s->first = n > body ? n - body : 0;
}

/* Return whether the key moves the selection. */
static bool move_by_key(struct live *l, int key)
{
	int64_t at = l->state.selected, page = live_screen_body(&l->state, l->terminal.rows);

	switch (key) {
	case KEY_UP:
		move_to(l, at - 1);
		return true;
	case KEY_DOWN:
		move_to(l, at + 1);
		return true;
	case KEY_PAGE_UP:
		move_to(l, at - page);
		return true;
	case KEY_PAGE_DOWN:
		move_to(l, at + page);
		return true;
	case KEY_HOME:
		move_to(l, 0);
		return true;
	case KEY_END:
		move_to(l, INT32_MAX);
		return true;
	default:
		return false;
	}
}

/* Change a text by a key: characters, and Backspace for the last one. Return whether it changed. */
static bool edit_text(char text[LIVE_TEXT_MAX], int key)
{
	size_t n = strlen(text);

	if (key == KEY_BACKSPACE) {
		while (n && (text[n - 1] & 0xc0) == 0x80) /* bytes of one character */
			n--;
		text[n ? n - 1 : 0] = 0;
		return true;
	}
	if (key < ' ' || key > 255 || n + 1 >= LIVE_TEXT_MAX)
		return false;
	text[n] = (char)key;
	text[n + 1] = 0;
	return true;
}

/* ---- keys ---- */

static void open_list(struct live *l, enum live_list list)
{
	struct live_state *s = &l->state;

	if (l->source.is_url) {
		set_message(l, "a URL has one service and one type: give another URL");
		return;
	}
	if (list == LIVE_TYPES && !s->title[0]) {
		set_message(l, "choose a service first: s");
		return;
	}
	s->mode = list == LIVE_SERVICES ? LIVE_PICK_SERVICE : LIVE_PICK_TYPE;
	s->list_filter[0] = 0;
	buf_clear(&s->list);
	s->selected = s->first = 0;
	live_source_list(&l->source, list);
}

static void choose_line(struct live *l)
{
	struct live_state *s = &l->state;
	bool service = s->mode == LIVE_PICK_SERVICE;
	char *target = service ? s->title : s->type;
	size_t room = service ? sizeof(s->title) : sizeof(s->type);
	struct str line;

	live_screen_line(s, s->selected, &line);
	s->mode = LIVE_TABLE;
	s->selected = s->first = 0;
	if (!line.n || line.n >= room)
		return;
	snprintf(target, room, "%.*s", STR_ARG(line));
	if (service)
		s->type[0] = 0;
	while (s->zoom_n)
		leave_zoom(l);
	live_source_select(&l->source, s->title, s->type);
	forget_data(l);
}

static void key_in_list(struct live *l, int key)
{
	struct live_state *s = &l->state;

	if (move_by_key(l, key))
		return;
	if (key == KEY_ENTER) {
		choose_line(l);
	} else if (key == KEY_ESCAPE) {
		s->mode = LIVE_TABLE;
		s->selected = s->first = 0;
	} else if (edit_text(s->list_filter, key)) {
		s->selected = s->first = 0;
	}
}

static void key_in_filter(struct live *l, int key)
{
	struct live_state *s = &l->state;

	if (key == KEY_ESCAPE)
		s->filter[0] = 0;
	if (key == KEY_ESCAPE || key == KEY_ENTER)
		s->mode = LIVE_TABLE;
	else if (!edit_text(s->filter, key))
		return;
	s->selected = s->first = 0;
	l->stale = true;
}

static void key_in_table(struct live *l, int key)
{
	struct live_state *s = &l->state;

	switch (key) {
	case 'q':
		l->quit = true;
		break;
	case 'j':
		move_to(l, (int64_t)s->selected + 1);
		break;
	case 'k':
		move_to(l, (int64_t)s->selected - 1);
		break;
	case KEY_ENTER:
	case KEY_RIGHT:
		enter_zoom(l);
		break;
	case KEY_BACKSPACE:
	case KEY_ESCAPE:
	case KEY_LEFT:
		leave_zoom(l);
		break;
	case 's':
		open_list(l, LIVE_SERVICES);
		break;
	case 't':
		open_list(l, LIVE_TYPES);
		break;
	case 'o':
		s->sort = (s->sort + 1) % LIVE_SORTS;
		s->selected = s->first = 0;
		l->stale = true;
		break;
	case '/':
		s->mode = LIVE_FILTER;
		break;
	case 'p':
	case ' ':
		s->paused = !s->paused;
		live_source_pause(&l->source, s->paused);
		break;
	case '?':
	case 'h':
		s->mode = LIVE_HELP;
		break;
	default:
		move_by_key(l, key);
	}
}

static void handle_key(struct live *l, int key)
{
	l->state.message[0] = 0;
	if (key == KEY_CONTROL_C || key == KEY_QUIT)
		l->quit = true;
	else if (key == KEY_CONTROL_Z)
		live_terminal_suspend(&l->terminal);
	else if (key == KEY_RESIZED || key == KEY_CONTROL_L)
		move_to(l, l->state.selected);
	else if (l->state.mode == LIVE_HELP)
		l->state.mode = LIVE_TABLE;
	else if (l->state.mode == LIVE_FILTER)
		key_in_filter(l, key);
	else if (l->state.mode == LIVE_TABLE)
		key_in_table(l, key);
	else
		key_in_list(l, key);
}

/* ---- data ---- */

static void take_pair(struct live *l)
{
	struct live_pair pair = {0};
	struct err e = {0};

	if (!live_source_take(&l->source, &pair))
		return;
	if (pair.error.text[0]) {
		set_message(l, pair.error.text);
		live_pair_fini(&pair);
		return;
	}
	live_pair_fini(&l->pair);
	l->pair = pair;
	l->state.time_ns = pair.time_ns;
	l->state.waiting = false;
	l->stale = true;
	if (!pair.after.n && !pair.before.n)
		set_message(l, "no data in this time: is the service running? s: other services");
	if (live_data_load(&l->data, &l->pair, &e))
		set_message(l, e.text);
}

static void take_lists(struct live *l)
{
	struct buf list = {0};

	for (int i = 0; i < 2; i++) {
		enum live_mode mode = i == LIVE_SERVICES ? LIVE_PICK_SERVICE : LIVE_PICK_TYPE;

		if (!live_source_take_list(&l->source, (enum live_list)i, &list))
			continue;
		if (l->state.mode == mode) {
			buf_fini(&l->state.list);
			l->state.list = list;
			list = (struct buf){0};
			if (!l->state.list.n)
				set_message(l, "the server has nothing to choose from, or does not "
					       "answer: Escape");
		}
		buf_fini(&list);
	}
}

/* Make the rows. A function that is not in new data is shown as missing, not left. */
static void make_rows(struct live *l)
{
	struct live_state *s = &l->state;
	struct str function = str_from(s->zoom_n ? s->zoom[s->zoom_n - 1] : "");
	struct err e = {0};

	if (live_data_rows(&l->data, function, str_from(s->filter), s->sort, &e))
		set_message(l, e.text);
	move_to(l, s->selected);
	l->stale = false;
}

static int draw(struct live *l)
{
	int rc;

	l->cli->out.columns = l->terminal.columns;
	buf_clear(&l->frame);
	live_screen_draw(&l->frame, &l->state, &l->data, &l->cli->out, l->terminal.rows);
	rc = buf_error(&l->frame);
	return rc ? rc : live_terminal_write(buf_str(&l->frame));
}

static int run_loop(struct live *l)
{
	int rc = 0;

	while (!l->quit && !rc) {
		int key;

		take_pair(l);
		take_lists(l);
		if (l->stale && l->state.mode != LIVE_PICK_SERVICE &&
		    l->state.mode != LIVE_PICK_TYPE)
			make_rows(l);
		rc = draw(l);
		key = live_terminal_key(&l->terminal, WAIT_MS);
		if (key)
			handle_key(l, key);
	}
	return rc;
}

/* ---- begin and end ---- */

static int check_times(const struct live_times *t, struct err *e)
{
	if (!t->window_s || t->window_s > TIME_MAX)
		return err_set(e, -EINVAL, "--window: expected 1 to %d seconds", TIME_MAX);
	if (!t->interval_s || t->interval_s > TIME_MAX)
		return err_set(e, -EINVAL, "--interval: expected 1 to %d seconds", TIME_MAX);
	return 0;
}

static int open_live(struct live *l, const struct live_options *o, struct err *e)
{
	int rc = live_terminal_open(&l->terminal, e);

	if (rc == -ENOTTY)
		*e = (struct err){0};
	if (rc == -ENOTTY)
		return err_set(
			e, rc,
			"stdin and stdout must be a terminal; for files and pipes: varve query "
			"top SERVICE");
	if (!rc)
		rc = live_source_init(&l->source, o, l->cli, e);
	return rc;
}

enum exit_code live_run(struct cli *cli, const struct remote_options *remote,
			const struct live_times *times, const struct view_options *view,
			enum live_sort sort, const char *target)
{
	struct live_options o = {remote, target, view->type, times->window_s, times->interval_s};
	struct view_options local = *view;
	struct live l = {.cli = cli};
	struct err e = {0};
	int rc = check_times(times, &e);

	if (!rc && view->label.n)
		rc = err_set(&e, -EINVAL, "put labels into the selector: 'name{label=\"value\"}'");
	progress_stop(&cli->progress); /* it would write into the screen */
	if (!target || !strstr(target, "://"))
		local.type = NULL; /* applied by the server */
	live_data_init(&l.data, cli, &local);
	snprintf(l.state.title, sizeof(l.state.title), "%s", target ? target : "");
	snprintf(l.state.type, sizeof(l.state.type), "%s", view->type ? view->type : "");
	l.state.window_s = times->window_s;
	l.state.waiting = target != NULL;
	l.state.sort = sort;
	if (!rc) {
		rc = open_live(&l, &o, &e);
		if (!rc && !target)
			open_list(&l, LIVE_SERVICES);
		if (!rc)
			rc = run_loop(&l);
	}
	live_terminal_close(&l.terminal); /* first: the thread may take a second to end */
	if (l.source.options)
		live_source_fini(&l.source);
	while (l.state.zoom_n)
		free(l.state.zoom[--l.state.zoom_n]);
	live_data_fini(&l.data);
	live_pair_fini(&l.pair);
	buf_fini(&l.state.list);
	buf_fini(&l.frame);
	if (rc)
		err_errno(&e, rc, "terminal");
	return rc ? cli_fail(cli, &e) : EXIT_DONE;
}
