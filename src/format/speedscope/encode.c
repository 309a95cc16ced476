/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes speedscope's JSON, each profile as a sampled one. If all samples have times, stacks are
 * written in that order, so that the "time order" view shows the course of events.
 */
#include "base/container/idset.h"
#include "format/speedscope/speedscope.h"
#include "format/text.h"
#include "wire/json_write.h"

struct speedscope_writer {
	const struct profile_batch *batch;
	struct arena arena;
	struct json_writer json;
	struct buf name;
	VEC(struct text_frame) frames; /* distinct frames */
	struct idset index;	       /* of `frames` */
	VEC(uint32_t) by_line;	       /* frame of each line of each location, innermost first */
	uint32_t *first;	       /* by location: where its frames begin in by_line */
	struct text_entries entries;   /* of the current profile */
};

static int add_frame(struct speedscope_writer *w, struct text_frame f)
{
	uint32_t hash, id;
	struct idset_cursor c;
	int rc;

	/* functions with one name in different modules are different frames */
	hash = text_frame_hash(&f);
	c = idset_seek(&w->index, hash);
	while (idset_next(&w->index, &c, &id))
		if (text_frame_eq(&w->frames.at[id], &f))
			return vec_push(&w->arena, &w->by_line, id);
	id = w->frames.n;
	rc = idset_add(&w->index, hash, id);
	if (!rc)
		rc = vec_push(&w->arena, &w->frames, f);
	return rc ? rc : vec_push(&w->arena, &w->by_line, id);
}

static int add_location(struct speedscope_writer *w, uint32_t location)
{
	int rc = 0;

	if (w->first[location] != UINT32_MAX)
		return 0;
	w->first[location] = w->by_line.n;
	for (uint32_t i = 0; !rc && i < text_frame_count(w->batch, location); i++)
		rc = add_frame(w, text_frame_of(w->batch, location, i));
	return rc;
}

/* Number the frames of all stacks with samples in the order of first use. */
static int number_frames(struct speedscope_writer *w)
{
	const struct profile_batch *b = w->batch;
	bool *seen = arena_zalloc(&w->arena, b->stacks.n, sizeof(*seen));
	int rc = 0;

	w->first = arena_alloc(&w->arena, b->locations.n, sizeof(*w->first));
	if (!w->first || !seen)
		return -ENOMEM;
	memset(w->first, 0xff, b->locations.n * sizeof(*w->first));
	for (uint32_t s = 0; !rc && s < b->sample_count; s++) {
		uint32_t n, stack = b->sample_stack[s];
		const uint32_t *locations = stack_of(b, stack, &n);

		if (seen[stack])
			continue;
		seen[stack] = true;
		while (!rc && n)
			rc = add_location(w, locations[--n]);
	}
	return rc;
}

static void put_frames(struct speedscope_writer *w)
{
	json_put_key(&w->json, STR("shared"));
	json_open_object(&w->json);
	json_put_key(&w->json, STR("frames"));
	json_open_array(&w->json);
	for (uint32_t i = 0; i < w->frames.n; i++) {
		const struct text_frame *f = &w->frames.at[i];

		buf_rewind(&w->name);
		text_put_frame_name(&w->name, f);
		json_open_object(&w->json);
		json_put_key(&w->json, STR("name"));
		json_put_string(&w->json, buf_str(&w->name));
		if (f->file.n) {
			json_put_key(&w->json, STR("file"));
			json_put_string(&w->json, f->file);
		}
		if (f->line > 0) {
			json_put_key(&w->json, STR("line"));
			json_put_i64(&w->json, f->line);
		}
		if (f->column > 0) {
			json_put_key(&w->json, STR("col"));
			json_put_i64(&w->json, f->column);
		}
		json_close_object(&w->json);
	}
	json_close_array(&w->json);
	json_close_object(&w->json);
}

static struct str unit_name(struct str unit)
{
	for (const struct speedscope_unit *u = speedscope_units; u->name.n; u++)
		if (str_eq(u->name, unit))
			return u->name;
	return STR("none");
}

static void put_stack(struct speedscope_writer *w, uint32_t stack)
{
	uint32_t n;
	const uint32_t *locations = stack_of(w->batch, stack, &n);

	json_open_array(&w->json);
	for (uint32_t i = n; i-- > 0;)
		for (uint32_t k = text_frame_count(w->batch, locations[i]); k-- > 0;)
			json_put_u64(&w->json, w->by_line.at[w->first[locations[i]] + k]);
	json_close_array(&w->json);
}

static void put_head(struct speedscope_writer *w, const struct profile *p)
{
	const struct profile_batch *b = w->batch;
	const struct attribute *name = profile_find_attribute(
		b, b->attribute_refs.at + p->attributes.at, p->attributes.n, STR("profile.name"));
	uint64_t total = 0;

	for (uint32_t i = 0; i < w->entries.list.n; i++)
		total += (uint64_t)w->entries.list.at[i].value;
	json_put_key(&w->json, STR("type"));
	json_put_string(&w->json, STR("sampled"));
	json_put_key(&w->json, STR("name"));
	json_put_string(&w->json, name && name->value.kind == VALUE_STRING
					  ? name->value.s
					  : string_of(b, p->sample_type.type));
	json_put_key(&w->json, STR("unit"));
	json_put_string(&w->json, unit_name(string_of(b, p->sample_type.unit)));
	json_put_key(&w->json, STR("startValue"));
	json_put_u64(&w->json, 0);
	json_put_key(&w->json, STR("endValue"));
	json_put_u64(&w->json, total);
}

static int put_profile(struct speedscope_writer *w, const struct profile *p)
{
	int rc;

	w->entries.list.n = 0;
	w->entries.timed = true;
	rc = text_entries_add(&w->entries, &w->arena, w->batch, p);
	if (rc)
		return rc;
	text_entries_sort(&w->entries);
	json_open_object(&w->json);
	put_head(w, p);
	json_put_key(&w->json, STR("samples"));
	json_open_array(&w->json);
	for (uint32_t i = 0; i < w->entries.list.n; i++)
		put_stack(w, w->entries.list.at[i].stack);
	json_close_array(&w->json);
	json_put_key(&w->json, STR("weights"));
	json_open_array(&w->json);
	for (uint32_t i = 0; i < w->entries.list.n; i++)
		json_put_i64(&w->json, w->entries.list.at[i].value);
	json_close_array(&w->json);
	json_close_object(&w->json);
	return buf_error(w->json.out);
}

/* Encode all profiles, or those of the selected type. */
static int put_profiles(struct speedscope_writer *w, const struct encode_options *o,
			struct value_type type)
{
	const struct profile_batch *b = w->batch;
	int rc = 0;

	json_put_key(&w->json, STR("profiles"));
	json_open_array(&w->json);
	for (uint32_t i = 0; !rc && i < b->profiles.n; i++)
		if (!o || !o->sample_type.n || text_is_type(b, &b->profiles.at[i], type))
			rc = put_profile(w, &b->profiles.at[i]);
	json_close_array(&w->json);
	return rc;
}

int speedscope_encode(struct buf *out, const struct profile_batch *b,
		      const struct encode_options *o, struct err *e)
{
	struct speedscope_writer w = {.batch = b, .json = json_writer_to(out, 0)};
	struct value_type type;
	int rc = text_pick_type(b, o, &type, e);

	arena_init(&w.arena, out->budget);
	buf_init(&w.name, out->budget);
	if (!rc)
		rc = idset_init(&w.index, &w.arena, 64);
	if (!rc)
		rc = number_frames(&w);
	if (!rc) {
		json_open_object(&w.json);
		json_put_key(&w.json, STR("$schema"));
		json_put_string(&w.json, speedscope_schema);
		json_put_key(&w.json, STR("exporter"));
		json_put_string(&w.json, STR("varve"));
		put_frames(&w);
		rc = put_profiles(&w, o, type);
		json_close_object(&w.json);
		buf_put_char(out, '\n');
	}
	if (!rc)
		rc = buf_error(&w.name);
	if (!rc)
		rc = buf_error(out);
	buf_fini(&w.name);
	arena_fini(&w.arena);
	return rc;
}
