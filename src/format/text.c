/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of text formats: input cache, UTF-8 repair, warnings, frames, observations by time. */
#include "format/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/container/hash.h"
#include "signal/sample_type.h"

const struct str text_frame_type = STR_INIT("profile.frame.type");

struct text_cached {
	struct str text;
	uint32_t id;
};

int text_cache_init(struct text_cache *c, struct arena *arena)
{
	*c = (struct text_cache){.arena = arena};
	return idset_init(&c->index, arena, 64);
}

bool text_cache_find(const struct text_cache *c, struct str text, uint32_t *hash, uint32_t *id)
{
	struct idset_cursor cursor;
	uint32_t at;

	*hash = hash32(text);
	cursor = idset_seek(&c->index, *hash);
	while (idset_next(&c->index, &cursor, &at)) {
		if (str_eq(c->entries.at[at].text, text)) {
			*id = c->entries.at[at].id;
			return true;
		}
	}
	return false;
}

int text_cache_add(struct text_cache *c, struct str text, uint32_t hash, uint32_t id)
{
	struct str copy;
	int rc = vec_reserve(c->arena, &c->entries, 1);

	if (!rc)
		rc = arena_copy_str(c->arena, text, &copy);
	if (!rc)
		rc = idset_add(&c->index, hash, c->entries.n);
	if (!rc)
		c->entries.at[c->entries.n++] = (struct text_cached){copy, id};
	return rc;
}

int text_repair_utf8(struct arena *arena, struct str s, struct str *out)
{
	static const char replacement[] = "\xef\xbf\xbd";
	size_t bad = str_utf8_valid(s), n = 0;
	char *copy;

	*out = s;
	if (bad == s.n)
		return 0;
	copy = arena_alloc(arena, s.n, sizeof(replacement) - 1);
	if (!copy)
		return -ENOMEM;
	for (;;) {
		if (bad)
			memcpy(copy + n, s.p, bad);
		n += bad;
		if (bad == s.n)
			break;
		memcpy(copy + n, replacement, sizeof(replacement) - 1);
		n += sizeof(replacement) - 1;
		s = str_from_at(s, bad + 1);
		bad = s.n ? str_utf8_valid(s) : 0;
	}
	*out = str_of(copy, n);
	return 0;
}

int text_warn(struct text_warnings *w, struct err *e, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (w->options->strict)
		return err_set(e, -EBADMSG, "%s", text);
	if (w->count++ < WARNINGS_MAX && w->options->warn)
		w->options->warn(w->options->warn_arg, text);
	return 0;
}

uint32_t text_frame_count(const struct profile_batch *b, uint32_t location)
{
	uint32_t lines = b->locations.at[location].lines.n;

	return lines ? lines : 1;
}

static struct str last_part(struct str path)
{
	size_t slash = str_find_last(path, '/');

	return slash == path.n ? path : str_from_at(path, slash + 1);
}

struct text_frame text_frame_of(const struct profile_batch *b, uint32_t location, uint32_t i)
{
	const struct location *l = &b->locations.at[location];
	const struct attribute *type = profile_find_attribute(
		b, b->attribute_refs.at + l->attributes.at, l->attributes.n, text_frame_type);
	struct text_frame f = {
		.module = last_part(string_of(b, b->mappings.at[l->mapping].filename)),
		.type = type && type->value.kind == VALUE_STRING ? type->value.s : STR(""),
	};

	if (l->lines.n) {
		const struct line *line = &b->lines.at[l->lines.at + i];
		const struct function *function = &b->functions.at[line->function];

		f.name = string_of(b, function->name ? function->name : function->system_name);
		if (!str_trim(f.name).n)
			f.name = STR("");
		f.file = string_of(b, function->filename);
		f.line = line->line ? line->line : function->start_line;
		f.column = line->column;
	}
	return f;
}

uint32_t text_frame_hash(const struct text_frame *f)
{
	uint64_t fields[] = {hash_bytes(f->name.p, f->name.n), hash_bytes(f->module.p, f->module.n),
			     hash_bytes(f->file.p, f->file.n), (uint64_t)f->line,
			     (uint64_t)f->column};

	return (uint32_t)hash_bytes(fields, sizeof(fields));
}

bool text_frame_eq(const struct text_frame *a, const struct text_frame *b)
{
	return str_eq(a->name, b->name) && str_eq(a->module, b->module) &&
	       str_eq(a->file, b->file) && a->line == b->line && a->column == b->column;
}

void text_put_frame_name(struct buf *out, const struct text_frame *f)
{
	if (f->name.n) {
		buf_put_str(out, f->name);
		return;
	}
	/* "[kernel.kallsyms]" already has brackets */
	if (f->module.n && f->module.p[0] == '[') {
		buf_put_str(out, f->module);
		return;
	}
	buf_put_char(out, '[');
	buf_put_str(out, f->module.n ? f->module : STR("unknown"));
	buf_put_char(out, ']');
}

bool text_is_type(const struct profile_batch *b, const struct profile *p, struct value_type type)
{
	return str_eq(string_of(b, p->sample_type.type), string_of(b, type.type)) &&
	       str_eq(string_of(b, p->sample_type.unit), string_of(b, type.unit));
}

int text_pick_type(const struct profile_batch *b, const struct encode_options *o,
		   struct value_type *type, struct err *e)
{
	struct sample_type picked;
	int rc;

	*type = (struct value_type){0};
	if (!b->profiles.n)
		return 0;
	rc = sample_type_pick(&picked, b, o ? o->sample_type : STR(""), false, e);
	for (uint32_t i = 0; !rc && i < b->profiles.n; i++) {
		if (!sample_type_is(b, &b->profiles.at[i], picked))
			continue;
		*type = b->profiles.at[i].sample_type;
		break;
	}
	return rc;
}

/* Append the values of one sample, each with its timestamp if it has one. */
static int add_sample_entries(struct text_entries *entries, struct arena *arena,
			      const struct profile_batch *b, uint32_t sample)
{
	uint32_t value = b->sample_values_at[sample],
		 values = b->sample_values_at[sample + 1] - value;
	uint32_t time = b->sample_times_at[sample], times = b->sample_times_at[sample + 1] - time;
	int rc = 0;

	entries->timed = entries->timed && times;
	for (uint32_t i = 0; !rc && i < (values ? values : times); i++) {
		struct text_entry entry = {
			.time = times ? b->times.at[time + i] : 0,
			.value = values ? b->values.at[value + i] : 1,
			.stack = b->sample_stack[sample],
			.order = entries->list.n,
		};

		if (entry.value >= 0)
			rc = vec_push(arena, &entries->list, entry);
	}
	return rc;
}

int text_entries_add(struct text_entries *entries, struct arena *arena,
		     const struct profile_batch *b, const struct profile *p)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < p->sample_count; i++)
		rc = add_sample_entries(entries, arena, b, p->sample_first + i);
	return rc;
}

static int compare_entry_times(const void *a, const void *b)
{
	const struct text_entry *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void text_entries_sort(struct text_entries *entries)
{
	if (entries->timed && entries->list.n)
		qsort(entries->list.at, entries->list.n, sizeof(*entries->list.at),
		      compare_entry_times);
}
