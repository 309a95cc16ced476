/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps the text of a stack to a row of the batch. A frame is looked up by its text including the
 * suffix, so each distinct frame is parsed once. Stacks with equal frames become one sample.
 */
#include <stdlib.h>

#include "format/collect.h"
#include "format/folded/frames.h"
#include "format/text.h"
#include "signal/profile/profile_rows.h"

const struct folded_suffix folded_suffixes[] = {
	{STR_INIT("_[k]"), STR_INIT("kernel")},
	{STR_INIT("_[j]"), STR_INIT("jit")},
	{STR_INIT("_[i]"), STR_INIT("inlined")},
	{STR_INIT("_[w]"), STR_INIT("waker")},
	{STR_INIT("_[0]"), STR_INIT("interpreted")},
	{STR_INIT("_[1]"), STR_INIT("c1")},
	{STR_INIT(""), STR_INIT("")},
};

struct folded_frames {
	struct profile_builder builder;
	struct collector collector; /* its arena also holds the other tables */
	struct text_cache cache;
	VEC(uint32_t) stack;
	enum folded_columns columns;
	uint32_t series[FOLDED_BEFORE_AFTER]; /* by column */
};

static int add_series(struct folded_frames *f, struct str type, uint32_t *series)
{
	struct profile row = {0};
	int rc = profile_add_string(&f->builder, type, &row.sample_type.type);

	if (!rc)
		rc = profile_add_string(&f->builder, STR("count"), &row.sample_type.unit);
	if (!rc)
		rc = collect_series_add(&f->collector, &row, NULL, 0, series);
	return rc;
}

/* "after" comes first, because viewers show the first profile by default. */
static int add_all_series(struct folded_frames *f)
{
	int rc;

	if (f->columns == FOLDED_ONE)
		return add_series(f, STR("samples"), &f->series[0]);
	rc = add_series(f, STR("after"), &f->series[1]);
	return rc ? rc : add_series(f, STR("before"), &f->series[0]);
}

int folded_frames_new(struct folded_frames **out, struct profile_batch *batch,
		      enum folded_columns columns)
{
	struct folded_frames *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		return -ENOMEM;
	f->columns = columns;
	rc = profile_builder_init(&f->builder, batch);
	if (!rc)
		rc = collector_init(&f->collector, &f->builder);
	if (!rc)
		rc = text_cache_init(&f->cache, &f->collector.scratch);
	if (!rc)
		rc = add_all_series(f);
	if (!rc)
		*out = take_ptr(&f);
	folded_frames_free(f);
	return rc;
}

void folded_frames_free(struct folded_frames *f)
{
	if (f)
		collector_fini(&f->collector);
	free(f);
}

/* Cut the suffix off the name and return the frame type that it stands for; "" without a suffix. */
static struct str cut_suffix(struct str *name)
{
	const struct folded_suffix *s = folded_suffixes;

	while (s->suffix.n && !(str_ends(*name, s->suffix) && name->n > s->suffix.n))
		s++;
	name->n -= s->suffix.n;
	return s->type;
}

/* Add the location of a new frame: one line, and the frame type as an attribute. */
static int add_location(struct folded_frames *f, struct str name, uint32_t *location)
{
	struct profile_builder *b = &f->builder;
	struct str type = cut_suffix(&name);
	struct function function = {0};
	struct line line = {0};
	uint32_t attribute;
	int rc = text_repair_utf8(&f->collector.scratch, name, &name);

	if (!rc)
		rc = profile_add_string(b, name, &function.name);
	if (!rc)
		rc = profile_add_function(b, &function, &line.function);
	if (!rc && type.n)
		rc = profile_add_attribute(b, text_frame_type, VALUE_OF_STR(type), STR(""),
					   &attribute);
	if (rc)
		return rc;
	return profile_add_location(b,
				    &(struct location_parts){.lines = &line,
							     .line_count = 1,
							     .attributes = &attribute,
							     .attribute_count = type.n > 0},
				    location);
}

int folded_add_frame(struct folded_frames *f, struct str name, uint32_t *location)
{
	uint32_t hash;
	int rc;

	if (text_cache_find(&f->cache, name, &hash, location))
		return 0;
	rc = add_location(f, name, location);
	return rc ? rc : text_cache_add(&f->cache, name, hash, *location);
}

int folded_add_stack(struct folded_frames *f, const uint32_t *root_first, uint32_t n, int64_t value)
{
	struct collect_sample sample = {.series = f->series[0], .value = value};
	int rc;

	f->stack.n = 0;
	rc = vec_reserve(&f->collector.scratch, &f->stack, n);
	if (rc)
		return rc;
	while (n)
		f->stack.at[f->stack.n++] = root_first[--n];
	rc = profile_add_stack(&f->builder, f->stack.at, f->stack.n, &sample.stack);
	return rc ? rc : collect_add(&f->collector, &sample);
}

/* Split the text from the end, because the batch stores stacks leaf first. Skip empty frames. */
int folded_add(struct folded_frames *f, struct str stack, const int64_t *values)
{
	struct collect_sample sample = {0};
	int rc = 0;

	f->stack.n = 0;
	while (!rc && stack.n) {
		size_t at = str_find_last(stack, ';');
		struct str name = at == stack.n ? stack : str_from_at(stack, at + 1);
		uint32_t location;

		stack.n = at == stack.n ? 0 : at;
		if (!str_trim(name).n)
			continue;
		rc = folded_add_frame(f, name, &location);
		if (!rc)
			rc = vec_push(&f->collector.scratch, &f->stack, location);
	}
	if (!rc)
		rc = profile_add_stack(&f->builder, f->stack.at, f->stack.n, &sample.stack);
	for (unsigned i = 0; !rc && i < f->columns; i++) {
		sample.series = f->series[i];
		sample.value = values[i];
		/* in two columns a value of zero means that the stack is absent there */
		if (f->columns == FOLDED_ONE || values[i])
			rc = collect_add(&f->collector, &sample);
	}
	return rc;
}

int folded_finish(struct folded_frames *f)
{
	int rc = profile_add_resource(&f->builder, NULL, 0);

	if (!rc)
		rc = profile_add_scope(&f->builder, STR(""), STR(""), NULL, 0);
	return rc ? rc : collector_finish(&f->collector);
}
