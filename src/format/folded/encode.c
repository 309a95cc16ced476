/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing collapsed stacks. A line says names only, so stacks that differ in addresses or lines
 * are one line; lines are sorted, as stackcollapse does, so that equal profiles are equal files.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/idset.h"
#include "format/folded/folded.h"
#include "format/text.h"

struct folded_line {
	size_t at, n; /* in text */
	int64_t sum;
};

struct folded_writer {
	const struct profile_batch *batch;
	struct arena arena;
	struct buf text;    /* all lines without their counts, one behind the other */
	int64_t *sums;	    /* by stack */
	bool *used;	    /* by stack: a sample has it */
	struct idset index; /* of lines */
	VEC(struct folded_line) lines;
};

static void put_suffix(struct buf *out, struct str type)
{
	const struct folded_suffix *s = folded_suffixes;

	while (s->suffix.n && !str_eq(s->type, type))
		s++;
	buf_put_str(out, s->suffix);
}

/*
 * What would end the frame or the line becomes what FlameGraph makes of it. No other control
 * character goes out: at the beginning of a file it could pass for the magic of a compressed one.
 */
static void tidy(char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] == ';')
			p[i] = ':';
		else if (p[i] == '\n' || p[i] == '\r')
			p[i] = ' ';
		else if ((unsigned char)p[i] < ' ' && p[i] != '\t')
			p[i] = '?';
	}
}

static void put_frame(struct buf *out, const struct text_frame *f)
{
	size_t at = out->n;

	text_put_frame_name(out, f);
	if (!buf_error(out))
		tidy(out->p + at, out->n - at);
	put_suffix(out, f->type);
}

static void put_stack(struct buf *out, const struct profile_batch *b, uint32_t stack)
{
	uint32_t n;
	const uint32_t *locations = stack_of(b, stack, &n);

	for (uint32_t i = n; i-- > 0;) {
		for (uint32_t k = text_frame_count(b, locations[i]); k-- > 0;) {
			struct text_frame f = text_frame_of(b, locations[i], k);

			if (i + 1 < n || k + 1 < text_frame_count(b, locations[i]))
				buf_put_char(out, ';');
			put_frame(out, &f);
		}
	}
	if (!n)
		buf_put_str(out, STR("[unknown]"));
}

/*
 * A line that would be read as a comment or as a byte order mark gets an empty frame in front,
 * which readers leave out.
 */
static bool needs_guard(const struct profile_batch *b, uint32_t stack)
{
	uint32_t n;
	const uint32_t *locations = stack_of(b, stack, &n);
	struct str name = {0};

	if (n)
		name = text_frame_of(b, locations[n - 1], text_frame_count(b, locations[n - 1]) - 1)
			       .name;
	return name.n && (name.p[0] == '#' || name.p[0] == '\xef');
}

/* Does the stack end with a blank and a number, so that its count could be taken for a second one? */
static bool ends_with_number(struct str stack)
{
	size_t at = stack.n;

	while (at && strchr("0123456789.eE+-", stack.p[at - 1]))
		at--;
	return at && at < stack.n && (stack.p[at - 1] == ' ' || stack.p[at - 1] == '\t');
}

/* The line that reads `text`, made if there is none. */
static int add_line(struct folded_writer *w, size_t at, int64_t sum)
{
	struct str text = str_of(w->text.p + at, w->text.n - at);
	uint32_t hash = hash32(text), id;
	struct idset_cursor c = idset_seek(&w->index, hash);
	int rc;

	while (idset_next(&w->index, &c, &id)) {
		struct folded_line *l = &w->lines.at[id];

		if (!str_eq(str_of(w->text.p + l->at, l->n), text))
			continue;
		l->sum = (int64_t)((uint64_t)l->sum + (uint64_t)sum);
		w->text.n = at;
		return 0;
	}
	rc = idset_add(&w->index, hash, w->lines.n);
	if (!rc)
		rc = vec_push(&w->arena, &w->lines, (struct folded_line){at, text.n, sum});
	return rc;
}

static void add_up(struct folded_writer *w, struct value_type type)
{
	const struct profile_batch *b = w->batch;

	for (uint32_t i = 0; i < b->profiles.n; i++) {
		const struct profile *p = &b->profiles.at[i];

		if (!text_is_type(b, p, type))
			continue;
		for (uint32_t s = p->sample_first; s < p->sample_first + p->sample_count; s++) {
			uint32_t stack = b->sample_stack[s];

			w->used[stack] = true;
			w->sums[stack] =
				(int64_t)((uint64_t)w->sums[stack] + (uint64_t)sample_total(b, s));
		}
	}
}

static int make_lines(struct folded_writer *w)
{
	int rc = 0;

	for (uint32_t stack = 0; !rc && stack < w->batch->stacks.n; stack++) {
		size_t at = w->text.n;

		if (!w->used[stack])
			continue;
		if (needs_guard(w->batch, stack))
			buf_put_char(&w->text, ';');
		put_stack(&w->text, w->batch, stack);
		rc = buf_error(&w->text);
		if (!rc && ends_with_number(str_from_at(buf_str(&w->text), at)))
			buf_put_char(&w->text, ';');
		if (!rc)
			rc = buf_error(&w->text);
		if (!rc)
			rc = add_line(w, at, w->sums[stack]);
	}
	return rc;
}

static int compare_lines(const void *a, const void *b, void *arg)
{
	const struct folded_line *x = a, *y = b;
	const struct buf *text = arg;

	return str_cmp(str_of(text->p + x->at, x->n), str_of(text->p + y->at, y->n));
}

static void put_lines(struct folded_writer *w, struct buf *out)
{
	if (w->lines.n)
		qsort_r(w->lines.at, w->lines.n, sizeof(*w->lines.at), compare_lines, &w->text);
	for (uint32_t i = 0; i < w->lines.n; i++) {
		const struct folded_line *l = &w->lines.at[i];

		buf_put(out, w->text.p + l->at, l->n);
		buf_put_char(out, ' ');
		buf_put_i64(out, l->sum);
		buf_put_char(out, '\n');
	}
}

int folded_encode(struct buf *out, const struct profile_batch *b, const struct encode_options *o,
		  struct err *e)
{
	struct folded_writer w = {.batch = b};
	struct value_type type;
	int rc = text_pick_type(b, o, &type, e);

	arena_init(&w.arena, out->budget);
	buf_init(&w.text, out->budget);
	if (!rc)
		rc = idset_init(&w.index, &w.arena, 64);
	if (!rc) {
		w.sums = arena_zalloc(&w.arena, b->stacks.n, sizeof(*w.sums));
		w.used = arena_zalloc(&w.arena, b->stacks.n, sizeof(*w.used));
		rc = w.sums && w.used ? 0 : -ENOMEM;
	}
	if (!rc) {
		add_up(&w, type);
		rc = make_lines(&w);
	}
	if (!rc) {
		put_lines(&w, out);
		rc = buf_error(out);
	}
	buf_fini(&w.text);
	arena_fini(&w.arena);
	return rc;
}
