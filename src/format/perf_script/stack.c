/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the text of frames to rows. A program has few distinct frames and prints them over and over: each text is taken
 * apart once and found by its hash from then on.
 */
#include "format/perf_script/stack.h"

/* What a frame's text came to. */
struct perf_known {
	uint64_t address;
	uint32_t mapping;
	uint32_t type; /* attribute, 0: none */
	struct list lines;
	bool inlined;
	uint32_t location; /* without inlined calls; not for inlined ones */
};

int perf_stack_init(struct perf_stack *s, struct profile_builder *builder, struct arena *arena)
{
	*s = (struct perf_stack){.builder = builder, .arena = arena};
	return text_cache_init(&s->cache, arena);
}

void perf_stack_clear(struct perf_stack *s)
{
	s->holding = s->has_srcline = false;
	s->inlined.n = s->locations.n = s->held.n = 0;
}

/* One function, its file and line as the source line has them. */
static int add_line(struct perf_stack *s, struct str name, const struct perf_srcline *src)
{
	struct function function = {0};
	struct line line = {.line = src->line};
	struct str file;
	int rc = text_repair_utf8(s->arena, name, &name);

	if (!rc)
		rc = text_repair_utf8(s->arena, src->file, &file);
	if (!rc)
		rc = profile_add_string(s->builder, name, &function.name);
	if (!rc)
		rc = profile_add_string(s->builder, file, &function.filename);
	if (!rc)
		rc = profile_add_function(s->builder, &function, &line.function);
	return rc ? rc : vec_push(s->arena, &s->known_lines, line);
}

/*
 * Java's perf maps name inlined calls in one symbol, "A->B->C", the caller first. Elsewhere "->" is an
 * operator of C++.
 */
static int add_lines(struct perf_stack *s, const struct perf_frame *f,
		     const struct perf_srcline *src, bool jit, struct list *lines)
{
	struct str rest = f->symbol;
	int rc = 0;

	lines->at = s->known_lines.n;
	while (!rc && rest.n) {
		size_t at = rest.n;

		if (jit)
			for (size_t i = rest.n; i-- > 1 && at == rest.n;)
				if (rest.p[i] == '>' && rest.p[i - 1] == '-')
					at = i + 1;

		struct str name = at == rest.n ? rest : str_from_at(rest, at);

		rest = at == rest.n ? STR("") : str_head(rest, at - 2);
		if (name.n)
			rc = add_line(s, name, src);
	}
	lines->n = s->known_lines.n - lines->at;
	return rc;
}

static int add_location(struct perf_stack *s, const struct perf_known *k, const struct line *lines,
			uint32_t n, uint32_t *location)
{
	return profile_add_location(s->builder,
				    &(struct location_parts){.address = k->address,
							     .mapping = k->mapping,
							     .lines = lines,
							     .line_count = n,
							     .attributes = &k->type,
							     .attribute_count = k->type > 0},
				    location);
}

static int add_mapping(struct perf_stack *s, struct str dso, uint32_t *id)
{
	struct mapping mapping = {0};
	int rc = text_repair_utf8(s->arena, dso, &dso);

	if (!rc)
		rc = profile_add_string(s->builder, dso, &mapping.filename);
	return rc ? rc : profile_add_mapping(s->builder, &mapping, NULL, 0, id);
}

/* Take the text of a frame that was not seen before apart. */
static int learn(struct perf_stack *s, struct str frame_text, struct str srcline_text,
		 struct perf_known *k)
{
	struct perf_frame f;
	struct perf_srcline src = {0};
	struct str type;
	int rc = 0;

	*k = (struct perf_known){0};
	if (!perf_frame_parse(frame_text, &f))
		return -EINVAL; /* not reached: the caller has parsed it */
	perf_srcline_parse(srcline_text, &src);
	type = perf_frame_type(&f);
	k->address = f.address;
	k->inlined = f.inlined || src.inlined;
	if (f.dso.n)
		rc = add_mapping(s, f.dso, &k->mapping);
	if (!rc && type.n)
		rc = profile_add_attribute(s->builder, text_frame_type, VALUE_OF_STR(type), STR(""),
					   &k->type);
	if (!rc)
		rc = add_lines(s, &f, &src, str_eq(type, STR("jit")), &k->lines);
	if (!rc)
		rc = add_location(s, k, s->known_lines.at + k->lines.at, k->lines.n, &k->location);
	return rc;
}

/* Inlined calls whose frame did not come: a location of their own. */
static int flush_inlined(struct perf_stack *s)
{
	struct perf_known k = {.address = s->inlined_address};
	uint32_t location;
	int rc;

	if (!s->inlined.n)
		return 0;
	rc = add_location(s, &k, s->inlined.at, s->inlined.n, &location);
	s->inlined.n = 0;
	return rc ? rc : vec_push(s->arena, &s->locations, location);
}

static int hold_inlined(struct perf_stack *s, const struct perf_known *k)
{
	int rc = 0;

	if (s->inlined.n && s->inlined_address != k->address)
		rc = flush_inlined(s);
	s->inlined_address = k->address;
	for (uint32_t i = 0; !rc && i < k->lines.n; i++)
		rc = vec_push(s->arena, &s->inlined, s->known_lines.at[k->lines.at + i]);
	return rc;
}

static int put_frame(struct perf_stack *s, const struct perf_known *k)
{
	uint32_t location = k->location;
	int rc = 0;

	if (k->inlined)
		return hold_inlined(s, k);
	if (s->inlined.n && s->inlined_address == k->address && k->lines.n) {
		for (uint32_t i = 0; !rc && i < k->lines.n; i++)
			rc = vec_push(s->arena, &s->inlined, s->known_lines.at[k->lines.at + i]);
		if (!rc)
			rc = add_location(s, k, s->inlined.at, s->inlined.n, &location);
		s->inlined.n = 0;
	} else {
		rc = flush_inlined(s);
	}
	return rc ? rc : vec_push(s->arena, &s->locations, location);
}

/* The frame that is held back is complete. */
static int release(struct perf_stack *s)
{
	struct str text = str_of(s->held.at, s->held.n);
	struct perf_known k;
	uint32_t hash, id;
	int rc;

	if (!s->holding)
		return 0;
	s->holding = false;
	if (text_cache_find(&s->cache, text, &hash, &id)) {
		k = s->known.at[id];
		return put_frame(s, &k);
	}
	rc = learn(s, str_head(text, s->held_frame), str_from_at(text, s->held_frame + 1), &k);
	if (!rc)
		rc = vec_push(s->arena, &s->known, k);
	if (!rc)
		rc = text_cache_add(&s->cache, text, hash, s->known.n - 1);
	return rc ? rc : put_frame(s, &k);
}

static int hold(struct perf_stack *s, struct str text)
{
	int rc = vec_reserve(s->arena, &s->held, text.n);

	if (rc)
		return rc;
	if (text.n)
		memcpy(s->held.at + s->held.n, text.p, text.n);
	s->held.n += (uint32_t)text.n;
	return 0;
}

int perf_stack_push(struct perf_stack *s, struct str text)
{
	int rc = release(s);

	s->held.n = 0;
	s->has_srcline = false;
	text = str_trim(text);
	if (!rc)
		rc = hold(s, text);
	s->held_frame = text.n;
	s->holding = !rc;
	return rc;
}

int perf_stack_srcline(struct perf_stack *s, struct str text)
{
	int rc;

	if (!s->holding || s->has_srcline)
		return 0;
	s->has_srcline = true;
	rc = hold(s, STR("\n"));
	return rc ? rc : hold(s, str_trim(text));
}

int perf_stack_finish(struct perf_stack *s, uint32_t *stack)
{
	int rc = release(s);

	if (!rc)
		rc = flush_inlined(s);
	return rc ? rc : profile_add_stack(s->builder, s->locations.at, s->locations.n, stack);
}
