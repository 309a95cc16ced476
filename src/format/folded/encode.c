/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes collapsed stacks. A line holds names only, so stacks that differ in addresses or line
 * numbers become one line. Lines are sorted, as stackcollapse does, so that equal profiles give
 * equal files.
 */
#include <stdlib.h>

#include "base/container/hash.h"
#include "base/container/idset.h"
#include "format/folded/folded.h"
#include "format/folded/frames.h"
#include "format/text.h"

struct encoded_line {
	size_t at, n; /* in text */
	int64_t sum;
};

/* The sum of the samples with one stack and one root frame (the value of the root label). */
struct folded_sum {
	uint32_t root, stack;
	int64_t sum;
};

struct folded_writer {
	const struct profile_batch *batch;
	struct arena arena;
	struct str root_label;
	VEC(struct str) roots; /* texts of root frames; row 0: none */
	/* Row in `roots` by attribute; only with a root_label. */
	uint32_t *attribute_root;
	VEC(struct folded_sum) sums;
	struct idset sum_index;
	struct buf text;    /* the stacks of all lines, concatenated */
	struct idset index; /* of lines */
	VEC(struct encoded_line) lines;
};

static void put_suffix(struct buf *out, struct str type)
{
	const struct folded_suffix *s = folded_suffixes;

	while (s->suffix.n && !str_eq(s->type, type))
		s++;
	buf_put_str(out, s->suffix);
}

/*
 * Replace characters that end a frame or a line, as FlameGraph does. Other control characters are
 * replaced, too: at the beginning of a file they could be mistaken for the magic of a compressed
 * one.
 */
static void replace_reserved_chars(char *p, size_t n)
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
		replace_reserved_chars(out->p + at, out->n - at);
	put_suffix(out, f->type);
}

/* Append the stack, after the root frame if there is one. */
static void put_stack(struct buf *out, const struct profile_batch *b, struct str root,
		      uint32_t stack)
{
	uint32_t n;
	const uint32_t *locations = stack_of(b, stack, &n);

	if (root.n) {
		struct text_frame f = {.name = root};

		put_frame(out, &f);
		if (n)
			buf_put_char(out, ';');
	}
	for (uint32_t i = n; i-- > 0;) {
		for (uint32_t k = text_frame_count(b, locations[i]); k-- > 0;) {
			struct text_frame f = text_frame_of(b, locations[i], k);

			if (i + 1 < n || k + 1 < text_frame_count(b, locations[i]))
				buf_put_char(out, ';');
			put_frame(out, &f);
		}
	}
	if (!n && !root.n)
		buf_put_str(out, STR("[unknown]"));
}

/*
 * Return whether the line would be read as a comment or a byte order mark. Such a line gets an
 * empty first frame, which decoders ignore.
 */
static bool needs_guard(const struct profile_batch *b, struct str root, uint32_t stack)
{
	uint32_t n;
	const uint32_t *locations = stack_of(b, stack, &n);
	struct str name = root;

	if (n && !root.n)
		name = text_frame_of(b, locations[n - 1], text_frame_count(b, locations[n - 1]) - 1)
			       .name;
	return name.n && (name.p[0] == '#' || name.p[0] == '\xef');
}

/* Return whether the stack ends with a blank and a number, which could be read as a count. */
static bool ends_with_number(struct str stack)
{
	size_t at = stack.n;

	while (at && strchr("0123456789.eE+-", stack.p[at - 1]))
		at--;
	return at && at < stack.n && (stack.p[at - 1] == ' ' || stack.p[at - 1] == '\t');
}

/* Add `sum` to the line with the text at `at`, which becomes a new line if there is none. */
static int add_line(struct folded_writer *w, size_t at, int64_t sum)
{
	struct str text = str_of(w->text.p + at, w->text.n - at);
	uint32_t hash = hash32(text), id;
	struct idset_cursor c = idset_seek(&w->index, hash);
	int rc;

	while (idset_next(&w->index, &c, &id)) {
		struct encoded_line *l = &w->lines.at[id];

		if (!str_eq(str_of(w->text.p + l->at, l->n), text))
			continue;
		l->sum = (int64_t)((uint64_t)l->sum + (uint64_t)sum);
		w->text.n = at;
		return 0;
	}
	rc = idset_add(&w->index, hash, w->lines.n);
	if (!rc)
		rc = vec_push(&w->arena, &w->lines, (struct encoded_line){at, text.n, sum});
	return rc;
}

static int push_root(struct folded_writer *w, const struct value *v, uint32_t *root)
{
	struct str text = {0};
	int rc = 0;

	*root = 0;
	if (v->kind == VALUE_INT)
		rc = arena_printf(&w->arena, &text, "%lld", (long long)v->i);
	else if (v->kind == VALUE_STRING)
		text = v->s;
	if (!rc && !str_trim(text).n)
		return 0;
	*root = w->roots.n;
	return rc ? rc : vec_push(&w->arena, &w->roots, text);
}

/* Find the attributes with the root label's key. */
static int find_root_attributes(struct folded_writer *w)
{
	const struct profile_batch *b = w->batch;
	int rc = vec_push(&w->arena, &w->roots, (struct str){0});

	if (rc || !w->root_label.n)
		return rc;
	w->attribute_root = arena_zalloc(&w->arena, b->attributes.n, sizeof(*w->attribute_root));
	if (!w->attribute_root)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < b->attributes.n; i++)
		if (str_eq(string_of(b, b->attributes.at[i].key), w->root_label))
			rc = push_root(w, &b->attributes.at[i].value, &w->attribute_root[i]);
	return rc;
}

/* Get the root of samples without that label: the profile's, or its resource's. */
static int root_of_profile(struct folded_writer *w, const struct profile *p, uint32_t *root)
{
	const struct profile_batch *b = w->batch;
	const struct resource *r = &b->resources.at[b->scopes.at[p->scope].resource];
	const struct value *v;

	*root = 0;
	for (uint32_t i = 0; w->root_label.n && !*root && i < p->attributes.n; i++)
		*root = w->attribute_root[b->attribute_refs.at[p->attributes.at + i]];
	if (!w->root_label.n || *root)
		return 0;
	v = profile_find_keyvalue(b, r->attributes, w->root_label);
	return v ? push_root(w, v, root) : 0;
}

static uint32_t root_of_sample(const struct folded_writer *w, uint32_t sample, uint32_t root)
{
	const struct profile_batch *b = w->batch;

	if (!w->root_label.n)
		return 0;
	for (uint32_t i = b->sample_attributes_at[sample]; i < b->sample_attributes_at[sample + 1];
	     i++)
		if (w->attribute_root[b->sample_attributes.at[i]])
			return w->attribute_root[b->sample_attributes.at[i]];
	return root;
}

static int add_sum(struct folded_writer *w, uint32_t root, uint32_t stack, int64_t value)
{
	uint32_t key[] = {root, stack}, hash = (uint32_t)hash_bytes(key, sizeof(key)), id;
	struct idset_cursor c = idset_seek(&w->sum_index, hash);
	int rc;

	while (idset_next(&w->sum_index, &c, &id)) {
		struct folded_sum *s = &w->sums.at[id];

		if (s->root != root || s->stack != stack)
			continue;
		s->sum = (int64_t)((uint64_t)s->sum + (uint64_t)value);
		return 0;
	}
	rc = idset_add(&w->sum_index, hash, w->sums.n);
	return rc ? rc : vec_push(&w->arena, &w->sums, (struct folded_sum){root, stack, value});
}

static int sum_samples(struct folded_writer *w, struct value_type type)
{
	const struct profile_batch *b = w->batch;
	int rc = find_root_attributes(w);

	for (uint32_t i = 0; !rc && i < b->profiles.n; i++) {
		const struct profile *p = &b->profiles.at[i];
		uint32_t end = p->sample_first + p->sample_count, root;

		if (!text_is_type(b, p, type))
			continue;
		rc = root_of_profile(w, p, &root);
		for (uint32_t s = p->sample_first; !rc && s < end; s++)
			rc = add_sum(w, root_of_sample(w, s, root), b->sample_stack[s],
				     sample_total(b, s));
	}
	return rc;
}

static int make_lines(struct folded_writer *w)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < w->sums.n; i++) {
		const struct folded_sum *s = &w->sums.at[i];
		struct str root = w->roots.at[s->root];
		size_t at = w->text.n;

		if (needs_guard(w->batch, root, s->stack))
			buf_put_char(&w->text, ';');
		put_stack(&w->text, w->batch, root, s->stack);
		rc = buf_error(&w->text);
		if (!rc && ends_with_number(str_from_at(buf_str(&w->text), at)))
			buf_put_char(&w->text, ';');
		if (!rc)
			rc = buf_error(&w->text);
		if (!rc)
			rc = add_line(w, at, s->sum);
	}
	return rc;
}

static int compare_lines(const void *a, const void *b, void *arg)
{
	const struct encoded_line *x = a, *y = b;
	const struct buf *text = arg;

	return str_cmp(str_of(text->p + x->at, x->n), str_of(text->p + y->at, y->n));
}

static void put_lines(struct folded_writer *w, struct buf *out)
{
	if (w->lines.n)
		qsort_r(w->lines.at, w->lines.n, sizeof(*w->lines.at), compare_lines, &w->text);
	for (uint32_t i = 0; i < w->lines.n; i++) {
		const struct encoded_line *l = &w->lines.at[i];

		buf_put(out, w->text.p + l->at, l->n);
		buf_put_char(out, ' ');
		buf_put_i64(out, l->sum);
		buf_put_char(out, '\n');
	}
}

int folded_encode(struct buf *out, const struct profile_batch *b, const struct encode_options *o,
		  struct err *e)
{
	struct folded_writer w = {.batch = b, .root_label = o ? o->root_label : STR("")};
	struct value_type type;
	int rc = text_pick_type(b, o, &type, e);

	arena_init(&w.arena, out->budget);
	buf_init(&w.text, out->budget);
	if (!rc)
		rc = idset_init(&w.index, &w.arena, 64);
	if (!rc)
		rc = idset_init(&w.sum_index, &w.arena, 64);
	if (!rc)
		rc = sum_samples(&w, type);
	if (!rc)
		rc = make_lines(&w);
	if (!rc) {
		put_lines(&w, out);
		rc = buf_error(out);
	}
	buf_fini(&w.text);
	arena_fini(&w.arena);
	return rc;
}
