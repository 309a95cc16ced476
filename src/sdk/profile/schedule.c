/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of kinds that have intervals of their own. */
#include "sdk/profile/schedule.h"

#include <errno.h>

#include "base/clock.h"
#include "sdk/options.h"

/* -- parsing ----------------------------------------------------------------------------------- */

static int bad_schedule(struct str row, const char *why, struct err *e)
{
	return err_set(e, -EINVAL, "profiling.schedule: \"%.*s\": %s", STR_ARG(str_head(row, 64)),
		       why);
}

/* Parse a length of 1 s to 1 h, with the units of the other options. */
static int read_length(struct str text, uint64_t *ns)
{
	struct sdk_options read = {0};
	int rc = text.n ? sdk_option_read(&read, sdk_option_named("profiling.upload_interval"),
					  str_trim(text))
			: -EINVAL;

	*ns = read.o.export_interval_ms * NS_PER_MS;
	return rc;
}

static int read_kind(struct str name, enum varve_profile *kind)
{
	struct sdk_options read = {0};
	int rc = sdk_option_read(&read, sdk_option_named("profiling.profiles"), name);

	*kind = read.o.profiles;
	return rc || read.o.profiles & (read.o.profiles - 1) ? -EINVAL : 0;
}

static int read_row(struct schedule *out, struct str text, struct err *e)
{
	struct schedule_row *row = &out->rows[out->count];
	struct str every = text, name = str_trim(str_cut(&every, '=')), part = {0};

	if (read_kind(name, &row->kind))
		return bad_schedule(text, "expected one kind of profile before the =", e);
	if (schedule_kinds(out) & row->kind)
		return bad_schedule(text, "this kind is named twice", e);
	if (out->count == SCHEDULE_ROWS)
		return bad_schedule(text, "too many kinds", e);
	if (every.p && str_find(every, '/') < every.n)
		part = str_cut(&every, '/');
	if (read_length(every, &row->every_ns) || (part.p && read_length(part, &row->part_ns)))
		return bad_schedule(text,
				    "expected lengths of 100ms to 1h: cpu=10s/60s or heap=30s", e);
	if (row->part_ns >= row->every_ns)
		return bad_schedule(text, "the part is not shorter than the interval", e);
	if (row->part_ns && row->kind & (VARVE_HEAP | VARVE_MMAP))
		return bad_schedule(text, "memory is recorded always: name an interval alone", e);
	if (row->part_ns && row->kind & VARVE_THREADS)
		return bad_schedule(text, "a dump has no length: name an interval alone", e);
	out->count++;
	return 0;
}

int schedule_read(struct schedule *out, const char *text, struct err *e)
{
	struct str rest = str_from(text ? text : "");
	int rc = 0;

	*out = (struct schedule){0};
	while (!rc && rest.n)
		rc = read_row(out, str_trim(str_cut(&rest, ',')), e);
	return rc;
}

unsigned schedule_kinds(const struct schedule *s)
{
	unsigned kinds = 0;

	for (uint32_t i = 0; i < s->count; i++)
		kinds |= s->rows[i].kind;
	return kinds;
}

unsigned schedule_part_kinds(const struct schedule *s)
{
	unsigned kinds = 0;

	for (uint32_t i = 0; i < s->count; i++)
		kinds |= s->rows[i].part_ns ? s->rows[i].kind : 0;
	return kinds;
}

/* -- windows ----------------------------------------------------------------------------------- */

static void end_row(struct schedule_row *row, struct collector *c, schedule_done *done, void *arg)
{
	collect_end(c, row->window);
	done(arg, row->window, row->kind);
	collect_close(c, row->window);
	row->window = NULL;
}

static void tick_row(struct schedule_row *row, struct collector *c, bool enabled, uint64_t now_ns,
		     schedule_done *done, void *arg)
{
	if (now_ns < row->next_ns && (enabled || !row->window))
		return;
	if (row->window) {
		end_row(row, c, done, arg);
		if (row->part_ns) { /* the pause after the part */
			row->next_ns += row->every_ns - row->part_ns;
			return;
		}
	}
	if (!enabled || collect_open(c, row->kind, &row->window))
		return; /* without memory: retry at the next tick */
	row->next_ns = now_ns + (row->part_ns ? row->part_ns : row->every_ns);
}

void schedule_tick(struct schedule *s, struct collector *c, unsigned enabled, uint64_t now_ns,
		   schedule_done *done, void *arg)
{
	for (uint32_t i = 0; i < s->count; i++)
		tick_row(&s->rows[i], c, (enabled & s->rows[i].kind) != 0, now_ns, done, arg);
}

void schedule_flush(struct schedule *s, struct collector *c, schedule_done *done, void *arg)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct schedule_row *row = &s->rows[i];
		struct window *next = NULL;

		if (!row->window)
			continue;
		/* the rest of the interval is another window */
		if (collect_open(c, row->kind, &next))
			next = NULL;
		end_row(row, c, done, arg);
		row->window = next;
	}
}
