/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared parts of the readers of pprof's older forms: lines and numbers, addresses, symbols, and
 * conversion of the collected samples to a batch. Each distinct address becomes one location.
 */
#include "format/pprof/legacy/legacy.h"

#include <errno.h>

#include "base/container/hash.h"
#include "format/pprof/legacy/legacy_maps.h"
#include "format/pprof/schema.h"
#include "signal/profile/profile_rows.h"

int legacy_begin_text(struct legacy *l, struct str in, size_t from)
{
	struct str text = str_from_at(in, from);
	size_t valid = str_utf8_valid(text);

	l->rest = text;
	if (valid < text.n)
		return err_set(l->e, -EBADMSG, "at byte %zu: expected UTF-8, found byte 0x%02x",
			       from + valid, (unsigned char)text.p[valid]);
	return 0;
}

int legacy_init(struct legacy *l, struct profile_batch *out, struct str in, struct err *e)
{
	int rc;

	*l = (struct legacy){.out = out, .arena = &out->arena, .e = e};
	rc = legacy_begin_text(l, in, 0);
	return rc ? rc : profile_builder_init(&l->builder, out);
}

bool legacy_next_line(struct legacy *l)
{
	if (!str_next_line(&l->rest, &l->line)) {
		l->line = (struct str){0};
		return false;
	}
	l->line = str_trim(l->line);
	l->line_number++;
	return true;
}

bool legacy_is_comment(struct str line)
{
	return !line.n || line.p[0] == '#';
}

bool legacy_is_map_start(struct str line)
{
	return str_find_str(line, STR("--- Memory map: ---")) < line.n ||
	       str_find_str(line, STR("MAPPED_LIBRARIES:")) < line.n;
}

int legacy_fail(struct legacy *l, const char *what)
{
	return err_set(l->e, -EBADMSG, "line %llu: expected %s, found \"%.*s\"",
		       (unsigned long long)l->line_number, what, STR_ARG(str_head(l->line, 60)));
}

void legacy_skip_blanks(struct str *text)
{
	while (text->n && (text->p[0] == ' ' || text->p[0] == '\t'))
		*text = str_of(text->p + 1, text->n - 1);
}

bool legacy_take_char(struct str *text, char c)
{
	if (!text->n || text->p[0] != c)
		return false;
	*text = str_of(text->p + 1, text->n - 1);
	return true;
}

bool legacy_take_u64(struct str *text, uint64_t *out)
{
	size_t n = 0;

	while (n < text->n && text->p[n] >= '0' && text->p[n] <= '9')
		n++;
	if (!n || str_to_u64(str_head(*text, n), 10, out))
		return false;
	*text = str_of(text->p + n, text->n - n);
	return true;
}

bool legacy_take_i64(struct str *text, int64_t *out)
{
	struct str rest = *text;
	bool negative = legacy_take_char(&rest, '-');
	uint64_t size;

	if (!legacy_take_u64(&rest, &size) || size > INT64_MAX)
		return false;
	*out = negative ? -(int64_t)size : (int64_t)size;
	*text = rest;
	return true;
}

static bool is_lower_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

int legacy_add_addresses(struct legacy *l, struct str text, unsigned leaf_adjust, unsigned adjust)
{
	unsigned minus = leaf_adjust;

	for (size_t at; (at = str_find_str(text, STR("0x"))) < text.n;) {
		size_t n = 0;
		uint64_t address;
		int rc;

		text = str_from_at(text, at + 2);
		while (n < text.n && is_lower_hex(text.p[n]))
			n++;
		if (!n)
			continue;
		if (str_to_u64(str_head(text, n), 16, &address))
			return legacy_fail(l, "addresses of at most 64 bits");
		rc = vec_push(l->arena, &l->addresses, address - minus);
		if (rc)
			return rc;
		minus = adjust;
		text = str_from_at(text, n);
	}
	return 0;
}

int legacy_add_sample(struct legacy *l, uint32_t stack_at, const int64_t *values, int64_t block)
{
	struct legacy_sample s = {.stack = {stack_at, l->addresses.n - stack_at}, .block = block};

	memcpy(s.values, values, l->type_count * sizeof(*values));
	return vec_push(l->arena, &l->samples, s);
}

/* Return the next field of a line whose fields are separated by tabs. */
static struct str next_field(struct str *text)
{
	struct str field = {0};

	while (text->n && !field.n)
		field = str_trim(str_cut(text, '\t'));
	return field;
}

int legacy_take_symbol(struct legacy *l)
{
	struct str text = l->line, address, name, file, where;
	struct legacy_symbol symbol = {0};
	uint64_t line;
	size_t plus, colon;

	if (!legacy_take_char(&text, '#'))
		return 0;
	address = next_field(&text);
	name = next_field(&text);
	where = next_field(&text);
	if (!str_starts(address, STR("0x")) || !where.n || str_to_u64(address, 16, &symbol.address))
		return 0;
	plus = str_find_last(name, '+');
	colon = str_find_last(where, ':');
	if (plus == name.n || colon == where.n ||
	    str_to_u64(str_from_at(where, colon + 1), 10, &line) || line > INT64_MAX)
		return 0;
	file = str_head(where, colon);
	symbol.name = str_head(name, plus);
	symbol.file = file;
	symbol.line = (int64_t)line;
	return vec_push(l->arena, &l->symbols, symbol);
}

void legacy_remove_second(struct legacy *l, struct legacy_sample *s)
{
	uint64_t *stack = l->addresses.at + s->stack.at;

	memmove(stack + 1, stack + 2, (s->stack.n - 2) * sizeof(*stack));
	s->stack.n--;
}

void legacy_drop_double_leaves(struct legacy *l)
{
	for (uint32_t i = 0; i < l->samples.n; i++) {
		struct legacy_sample *s = &l->samples.at[i];
		const uint64_t *stack = l->addresses.at + s->stack.at;

		if (s->stack.n > 1 && stack[0] == stack[1] + 1)
			legacy_remove_second(l, s);
	}
}

/* Maps addresses to rows of the batch, in order of first use. */
struct address_map {
	struct idset index; /* positions in `addresses`, by hash of the address */
	VEC(uint64_t) addresses;
	VEC(uint32_t) locations; /* rows of the batch, parallel to addresses */
	struct idset symbols;	 /* first symbol of each address */
	uint32_t *mappings;	 /* row of the batch by legacy mapping; 0: not added yet */
};

static int find_or_add_mapping(struct legacy *l, struct address_map *p, uint32_t mapping,
			       uint32_t *id)
{
	const struct legacy_mapping *m = &l->mappings.at[mapping];
	struct mapping row = {.start = m->start, .limit = m->limit, .offset = m->offset};
	uint32_t attributes[2], n = 0;
	int rc = 0;

	if (p->mappings[mapping]) {
		*id = p->mappings[mapping];
		return 0;
	}
	rc = profile_add_string(&l->builder, m->file, &row.filename);
	if (!rc && m->build_id.n)
		rc = profile_add_attribute(&l->builder, PPROF_ATTR_BUILD_ID,
					   VALUE_OF_STR(m->build_id), STR(""), &attributes[n++]);
	if (!rc)
		rc = profile_add_attribute(&l->builder, PPROF_ATTR_HAS_FUNCTIONS,
					   VALUE_OF_BOOL(l->symbols.n != 0), STR(""),
					   &attributes[n++]);
	if (!rc)
		rc = profile_add_mapping(&l->builder, &row, attributes, n, id);
	p->mappings[mapping] = *id;
	return rc;
}

static int index_symbols(struct legacy *l, struct address_map *p)
{
	int rc = idset_init(&p->symbols, l->arena, 0);
	uint64_t last = 0;

	/* symbols of one address are consecutive: inlined calls, the innermost first */
	for (uint32_t i = 0; !rc && i < l->symbols.n; i++) {
		uint64_t address = l->symbols.at[i].address;
		struct idset_cursor c = idset_seek(&p->symbols, hash_u64(address));
		bool known = i && address == last;
		uint32_t other;

		while (!known && idset_next(&p->symbols, &c, &other))
			known = l->symbols.at[other].address == address;
		if (!known)
			rc = idset_add(&p->symbols, hash_u64(address), i);
		last = address;
	}
	return rc;
}

enum { MAX_INLINED = 64 };

/* Set lines[0..*n) to the lines of an address, the innermost first. */
static int find_symbol_lines(struct legacy *l, struct address_map *p, uint64_t address,
			     struct line *lines, uint32_t *n)
{
	struct idset_cursor c = idset_seek(&p->symbols, hash_u64(address));
	uint32_t i = 0;
	bool found = false;
	int rc = 0;

	*n = 0;
	while (!found && idset_next(&p->symbols, &c, &i))
		found = l->symbols.at[i].address == address;
	for (; found && !rc && *n < MAX_INLINED && i < l->symbols.n; i++) {
		const struct legacy_symbol *s = &l->symbols.at[i];
		struct function f = {0};

		if (s->address != address)
			break;
		rc = profile_add_string(&l->builder, s->name, &f.name);
		f.system_name = f.name;
		if (!rc)
			rc = profile_add_string(&l->builder, s->file, &f.filename);
		lines[*n] = (struct line){.line = s->line};
		if (!rc)
			rc = profile_add_function(&l->builder, &f, &lines[(*n)++].function);
	}
	return rc;
}

static int add_address(struct legacy *l, struct address_map *p, uint64_t address,
		       uint32_t *location)
{
	struct line lines[MAX_INLINED];
	struct location_parts parts = {.address = address, .lines = lines};
	uint32_t mapping = NO_MAPPING;
	int rc = legacy_find_mapping(l, address, &mapping);

	if (!rc && mapping != NO_MAPPING)
		rc = find_or_add_mapping(l, p, mapping, &parts.mapping);
	if (!rc)
		rc = find_symbol_lines(l, p, address, lines, &parts.line_count);
	if (!rc)
		rc = profile_add_location(&l->builder, &parts, location);
	if (!rc)
		rc = idset_add(&p->index, hash_u64(address), p->addresses.n);
	if (!rc)
		rc = vec_push(l->arena, &p->addresses, address);
	return rc ? rc : vec_push(l->arena, &p->locations, *location);
}

static int find_or_add_address(struct legacy *l, struct address_map *p, uint64_t address,
			       uint32_t *location)
{
	struct idset_cursor c = idset_seek(&p->index, hash_u64(address));
	uint32_t row;

	while (idset_next(&p->index, &c, &row))
		if (p->addresses.at[row] == address) {
			*location = p->locations.at[row];
			return 0;
		}
	return add_address(l, p, address, location);
}

/* Set stacks[i] to the row of the stack of sample i. */
static int add_sample_stacks(struct legacy *l, struct address_map *p, uint32_t *stacks)
{
	uint32_t *locations = arena_alloc(l->arena, (size_t)l->addresses.n + 1, sizeof(*locations));
	int rc = locations ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < l->samples.n; i++) {
		struct list stack = l->samples.at[i].stack;

		for (uint32_t k = 0; !rc && k < stack.n; k++)
			rc = find_or_add_address(l, p, l->addresses.at[stack.at + k],
						 &locations[k]);
		if (!rc)
			rc = profile_add_stack(&l->builder, locations, stack.n, &stacks[i]);
	}
	return rc;
}

static int add_text_attribute(struct legacy *l, struct str key, const char *text, uint32_t *ids,
			      uint32_t *n)
{
	int rc = text ? profile_add_attribute(&l->builder, key, VALUE_OF_STR(str_from(text)),
					      STR(""), &ids[*n])
		      : 0;

	*n += !rc && text;
	return rc;
}

static int add_value_type(struct legacy *l, const struct legacy_type *t, struct value_type *out)
{
	int rc = profile_add_string(&l->builder, str_from(t->type), &out->type);

	return rc ? rc : profile_add_string(&l->builder, str_from(t->unit), &out->unit);
}

static int add_profile_samples(struct legacy *l, uint32_t type, const uint32_t *stacks)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < l->samples.n; i++) {
		const struct legacy_sample *s = &l->samples.at[i];
		uint32_t label;

		if (l->has_blocks)
			rc = profile_add_attribute(&l->builder, STR("bytes"),
						   VALUE_OF_INT(s->block), STR(""), &label);
		if (!rc)
			rc = profile_add_sample(&l->builder, stacks[i], 0, &label, l->has_blocks,
						s->values[type]);
	}
	return rc;
}

static int add_profiles(struct legacy *l, const uint32_t *stacks)
{
	struct profile row = {.period = l->period, .duration_nano = (uint64_t)l->duration};
	uint32_t attributes[2], n = 0;
	int rc = add_text_attribute(l, PPROF_ATTR_DROP_FRAMES, l->drop_frames, attributes, &n);

	if (!rc)
		rc = add_text_attribute(l, PPROF_ATTR_KEEP_FRAMES, l->keep_frames, attributes, &n);
	if (!rc)
		rc = add_value_type(l, &l->period_type, &row.period_type);
	for (uint32_t t = 0; !rc && t < l->type_count; t++) {
		rc = add_value_type(l, &l->types[t], &row.sample_type);
		if (!rc)
			rc = profile_add_profile(&l->builder, &row, attributes, n);
		if (!rc)
			rc = add_profile_samples(l, t, stacks);
	}
	return rc;
}

int legacy_finish(struct legacy *l)
{
	struct address_map p = {0};
	uint32_t *stacks = arena_alloc(l->arena, (size_t)l->samples.n + 1, sizeof(*stacks));
	int rc = stacks ? 0 : -ENOMEM;

	/* one more: legacy_find_mapping() may append a fallback */
	p.mappings = arena_zalloc(l->arena, (size_t)l->mappings.n + 1, sizeof(*p.mappings));
	if (!p.mappings)
		rc = -ENOMEM;
	if (!rc)
		rc = idset_init(&p.index, l->arena, 0);
	if (!rc)
		rc = index_symbols(l, &p);
	if (!rc)
		rc = profile_add_resource(&l->builder, NULL, 0);
	if (!rc)
		rc = profile_add_scope(&l->builder, STR(""), STR(""), NULL, 0);
	if (!rc)
		rc = add_sample_stacks(l, &p, stacks);
	return rc ? rc : add_profiles(l, stacks);
}
