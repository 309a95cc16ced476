/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps the text of frames to rows. A program has few distinct frames and prints them many times, so
 * each text is parsed once and then found by its hash.
 */
#include "format/perf_script/stack.h"

/* The parsed text of a frame. */
struct perf_cached_frame {
	uint64_t address;
	uint32_t mapping;
	uint32_t type; /* attribute, 0: none */
	struct list lines;
	bool inlined;
	uint32_t location; /* without inlined calls; unused for inlined frames */
};

int perf_stack_init(struct perf_stack *s, struct profile_builder *builder, struct arena *arena)
{
	*s = (struct perf_stack){.builder = builder, .arena = arena};
	return text_cache_init(&s->cache, arena);
}

void perf_stack_clear(struct perf_stack *s)
{
	s->has_held = s->has_srcline = false;
	s->inlined.n = s->locations.n = s->held.n = 0;
}

/* Add a line: a function with the file and line of the source line. */
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
	return rc ? rc : vec_push(s->arena, &s->cached_lines, line);
}

/*
 * Add the lines of a frame. Java's perf maps list inlined calls in one symbol, "A->B->C", caller
 * first. In other symbols "->" is an operator of C++.
 */
static int add_lines(struct perf_stack *s, const struct perf_frame *f,
		     const struct perf_srcline *src, bool jit, struct list *lines)
{
	struct str rest = f->symbol;
	int rc = 0;

	lines->at = s->cached_lines.n;
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
	lines->n = s->cached_lines.n - lines->at;
	return rc;
}

static int add_location(struct perf_stack *s, const struct perf_cached_frame *k,
			const struct line *lines, uint32_t n, uint32_t *location)
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

/* Parse the text of a new frame and add its rows. */
static int parse_frame_text(struct perf_stack *s, struct str frame_text, struct str srcline_text,
			    struct perf_cached_frame *k)
{
	struct perf_frame f;
	struct perf_srcline src = {0};
	struct str type;
	int rc = 0;

	*k = (struct perf_cached_frame){0};
	if (!perf_frame_parse(frame_text, &f))
		return -EINVAL; /* unreachable: the caller has parsed it */
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
		rc = add_location(s, k, s->cached_lines.at + k->lines.at, k->lines.n, &k->location);
	return rc;
}

/* Add a location for inlined calls whose frame is missing. */
static int flush_inlined(struct perf_stack *s)
{
	struct perf_cached_frame k = {.address = s->inlined_address};
	uint32_t location;
	int rc;

	if (!s->inlined.n)
		return 0;
	rc = add_location(s, &k, s->inlined.at, s->inlined.n, &location);
	s->inlined.n = 0;
	return rc ? rc : vec_push(s->arena, &s->locations, location);
}

static int push_inlined(struct perf_stack *s, const struct perf_cached_frame *k)
{
	int rc = 0;

	if (s->inlined.n && s->inlined_address != k->address)
		rc = flush_inlined(s);
	s->inlined_address = k->address;
	for (uint32_t i = 0; !rc && i < k->lines.n; i++)
		rc = vec_push(s->arena, &s->inlined, s->cached_lines.at[k->lines.at + i]);
	return rc;
}

static int push_cached_frame(struct perf_stack *s, const struct perf_cached_frame *k)
{
	uint32_t location = k->location;
	int rc = 0;

	if (k->inlined)
		return push_inlined(s, k);
	if (s->inlined.n && s->inlined_address == k->address && k->lines.n) {
		for (uint32_t i = 0; !rc && i < k->lines.n; i++)
			rc = vec_push(s->arena, &s->inlined, s->cached_lines.at[k->lines.at + i]);
		if (!rc)
			rc = add_location(s, k, s->inlined.at, s->inlined.n, &location);
		s->inlined.n = 0;
	} else {
		rc = flush_inlined(s);
	}
	return rc ? rc : vec_push(s->arena, &s->locations, location);
}

/* Push the frame that is held back, which is complete now. */
static int push_held_frame(struct perf_stack *s)
{
	struct str text = str_of(s->held.at, s->held.n);
	struct perf_cached_frame k;
	uint32_t hash, id;
	int rc;

	if (!s->has_held)
		return 0;
	s->has_held = false;
	if (text_cache_find(&s->cache, text, &hash, &id)) {
		k = s->cached_frames.at[id];
		return push_cached_frame(s, &k);
	}
	rc = parse_frame_text(s, str_head(text, s->held_frame_length),
			      str_from_at(text, s->held_frame_length + 1), &k);
	if (!rc)
		rc = vec_push(s->arena, &s->cached_frames, k);
	if (!rc)
		rc = text_cache_add(&s->cache, text, hash, s->cached_frames.n - 1);
	return rc ? rc : push_cached_frame(s, &k);
}

static int append_held(struct perf_stack *s, struct str text)
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
	int rc = push_held_frame(s);

	s->held.n = 0;
	s->has_srcline = false;
	text = str_trim(text);
	if (!rc)
		rc = append_held(s, text);
	s->held_frame_length = text.n;
	s->has_held = !rc;
	return rc;
}

int perf_stack_srcline(struct perf_stack *s, struct str text)
{
	int rc;

	if (!s->has_held || s->has_srcline)
		return 0;
	s->has_srcline = true;
	rc = append_held(s, STR("\n"));
	return rc ? rc : append_held(s, str_trim(text));
}

int perf_stack_finish(struct perf_stack *s, uint32_t *stack)
{
	int rc = push_held_frame(s);

	if (!rc)
		rc = flush_inlined(s);
	return rc ? rc : profile_add_stack(s->builder, s->locations.at, s->locations.n, stack);
}
