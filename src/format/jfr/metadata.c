/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the metadata event: the string table, then the tree of elements recursively. */
#include "format/jfr/metadata.h"

#include <errno.h>

#include "base/container/hash.h"
#include "format/jfr/text.h"

enum { DEPTH_MAX = 32 }; /* of the tree; the JDK's has 5 levels */

struct metadata_reader {
	struct jfr_metadata *m;
	struct arena *arena;
	struct jfr_cursor c;
	int rc; /* errors other than those of the cursor: -ENOMEM, -EOVERFLOW */
};

/* The attributes of an element of any kind. */
struct element {
	struct str name;
	struct str attribute_name, id, super, type, value, class, constant, array;
};

/* Maps attribute names to members of struct element. */
static const struct {
	struct str name;
	size_t offset;
} attribute_table[] = {
	{STR_INIT("name"), offsetof(struct element, attribute_name)},
	{STR_INIT("id"), offsetof(struct element, id)},
	{STR_INIT("superType"), offsetof(struct element, super)},
	{STR_INIT("class"), offsetof(struct element, class)},
	{STR_INIT("value"), offsetof(struct element, value)},
	{STR_INIT("constantPool"), offsetof(struct element, constant)},
	{STR_INIT("dimension"), offsetof(struct element, array)},
};

static bool read_strings(struct metadata_reader *r)
{
	const uint8_t *at = r->c.at;
	uint32_t n = jfr_int(&r->c);

	if (n > jfr_left(&r->c)) { /* each takes at least one byte */
		jfr_fail_at(&r->c, at, "a smaller number of strings");
		return false;
	}
	r->rc = vec_reserve(r->arena, &r->m->strings, n);
	for (uint32_t i = 0; i < n && !r->rc && !r->c.expected; i++) {
		struct str s = {0};

		r->rc = jfr_text_read(&r->c, r->arena, &s);
		r->m->strings.at[r->m->strings.n++] = s;
	}
	return !r->rc && !r->c.expected;
}

static struct str string_ref(struct metadata_reader *r)
{
	const uint8_t *at = r->c.at;
	uint32_t i = jfr_int(&r->c);

	if (i < r->m->strings.n)
		return r->m->strings.at[i];
	jfr_fail_at(&r->c, at, "the index of a string");
	return (struct str){0};
}

static void read_attributes(struct metadata_reader *r, struct element *element)
{
	uint32_t n = jfr_int(&r->c);

	for (uint32_t i = 0; i < n && !r->c.expected; i++) {
		struct str name = string_ref(r), value = string_ref(r);

		for (size_t k = 0; k < countof(attribute_table); k++)
			if (str_eq(name, attribute_table[k].name))
				memcpy((char *)element + attribute_table[k].offset, &value,
				       sizeof(value));
	}
}

/* Parse a decimal id; record an error for anything else. */
static uint64_t id_of(struct metadata_reader *r, struct str text)
{
	int64_t id = 0;

	if (str_to_i64(text, &id))
		jfr_fail_at(&r->c, r->c.at, "an element with a decimal id");
	return (uint64_t)id;
}

static void add_class(struct metadata_reader *r, const struct element *element)
{
	struct jfr_metadata *m = r->m;
	struct jfr_class class = {
		.id = id_of(r, element->id),
		.name = element->attribute_name,
		.super = element->super,
		.first_field = m->fields.n,
	};

	if (r->c.expected)
		return;
	r->rc = vec_push(r->arena, &m->classes, class);
	if (!r->rc)
		r->rc = idset_add(&m->by_id, hash_u64(class.id), m->classes.n - 1);
}

static void add_field(struct metadata_reader *r, const struct element *element)
{
	struct jfr_metadata *m = r->m;
	struct jfr_field field = {
		.name = element->attribute_name,
		.type = id_of(r, element->class),
		.constant = str_eq(element->constant, STR("true")),
		.array = element->array.n && !str_eq(element->array, STR("0")),
	};

	if (r->c.expected || !m->classes.n)
		return;
	r->rc = vec_push(r->arena, &m->fields, field);
	if (!r->rc)
		m->classes.at[m->classes.n - 1].field_count++;
}

/*
 * Record the unit of a timespan. The class of an annotation may be described later, so it is not
 * looked up: the annotation is recognized by its value.
 */
static void add_annotation(struct metadata_reader *r, const struct element *element)
{
	static const struct str units[] = {STR_INIT("TICKS"), STR_INIT("NANOSECONDS"),
					   STR_INIT("MICROSECONDS"), STR_INIT("MILLISECONDS"),
					   STR_INIT("SECONDS")};
	struct jfr_field *field = &r->m->fields.at[r->m->fields.n - 1];

	for (size_t i = 0; i < countof(units); i++)
		if (str_eq(element->value, units[i]))
			field->unit = element->value;
}

/*
 * Read an element and its descendants. Classes do not nest, so a field belongs to the last class.
 */
static void read_element(struct metadata_reader *r, unsigned depth, bool in_field)
{
	struct element element = {.name = string_ref(r)};
	bool is_field = str_eq(element.name, STR("field"));

	if (depth > DEPTH_MAX)
		jfr_fail_at(&r->c, r->c.at, "a less deeply nested tree of type descriptions");
	read_attributes(r, &element);
	if (r->c.expected)
		return;
	if (str_eq(element.name, STR("class")))
		add_class(r, &element);
	else if (is_field)
		add_field(r, &element);
	else if (in_field && r->m->fields.n)
		add_annotation(r, &element);

	uint32_t children = jfr_int(&r->c);

	for (uint32_t i = 0; i < children && !r->c.expected && !r->rc; i++)
		read_element(r, depth + 1, is_field);
}

int jfr_metadata_read(struct jfr_metadata *m, struct arena *arena, const struct jfr_chunk *chunk,
		      const uint8_t *at, struct err *e)
{
	struct jfr_cursor c = jfr_cursor_of(at, chunk->end, chunk->compressed);
	struct jfr_event event;

	*m = (struct jfr_metadata){0};
	if (!jfr_next_event(&c, &event) || event.type != JFR_TYPE_METADATA)
		jfr_fail_at(&c, at, "the chunk's type descriptions");
	if (c.expected)
		return jfr_chunk_error(chunk, &c, e);

	struct metadata_reader r = {.m = m, .arena = arena, .c = event.body};

	r.rc = idset_init(&m->by_id, arena, 512);
	if (r.rc)
		return r.rc;
	(void)jfr_long(&r.c); /* start time */
	(void)jfr_long(&r.c); /* duration */
	(void)jfr_long(&r.c); /* id of the descriptions */
	if (read_strings(&r))
		read_element(&r, 0, false);
	if (r.rc)
		return r.rc;
	return r.c.expected ? jfr_chunk_error(chunk, &r.c, e) : 0;
}

const struct jfr_class *jfr_class_by_id(const struct jfr_metadata *m, uint64_t id)
{
	struct idset_cursor c = idset_seek(&m->by_id, hash_u64(id));
	uint32_t row;

	while (idset_next(&m->by_id, &c, &row))
		if (m->classes.at[row].id == id)
			return &m->classes.at[row];
	return NULL;
}

const struct jfr_class *jfr_class_by_name(const struct jfr_metadata *m, struct str name)
{
	for (uint32_t i = 0; i < m->classes.n; i++)
		if (str_eq(m->classes.at[i].name, name))
			return &m->classes.at[i];
	return NULL;
}
