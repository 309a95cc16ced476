/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_JFR_MAKE_H
#define VARVE_TEST_JFR_MAKE_H

#include "base/buf.h"
#include "test/test.h"

/*
 * Writes recordings for tests chunk by chunk, with compressed or fixed-size integers:
 *
 *	struct jfr_make m = {.compressed = true};
 *	make_chunk_begin(&m);
 *	make_metadata(&m, types);
 *	make_event_begin(&m, TYPE_EXECUTION); make_long(&m, time); ...; make_event_end(&m);
 *	make_checkpoint_begin(&m, n); make_pool(&m, TYPE_SYMBOL, count); ...; make_event_end(&m);
 *	make_chunk_end(&m);
 */
struct jfr_make {
	struct buf out;
	bool compressed;
	size_t chunk, event;	     /* their start offsets */
	size_t metadata, checkpoint; /* from the start of the chunk */
	uint64_t start_ticks, frequency, start_nanos, duration_nanos;
};

struct make_field {
	const char *name;
	uint64_t type;
	bool constant, array;
	const char *unit; /* of a timespan */
};

struct make_type {
	const char *name;
	uint64_t id;
	struct make_field fields[16]; /* terminated by a field without a name */
};

static inline void make_byte(struct jfr_make *m, unsigned byte)
{
	buf_put_char(&m->out, (char)byte);
}

static inline void make_fixed(struct jfr_make *m, uint64_t value, unsigned size)
{
	while (size--)
		make_byte(m, (uint8_t)(value >> (8 * size)));
}

static inline void make_varint(struct jfr_make *m, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++, value >>= 7) {
		if (value < 0x80) {
			make_byte(m, (unsigned)value);
			return;
		}
		make_byte(m, (unsigned)(value & 0x7f) | 0x80);
	}
	make_byte(m, (unsigned)value); /* the ninth byte carries eight bits */
}

static inline void make_long(struct jfr_make *m, uint64_t value)
{
	m->compressed ? make_varint(m, value) : make_fixed(m, value, 8);
}

static inline void make_int(struct jfr_make *m, uint32_t value)
{
	m->compressed ? make_varint(m, value) : make_fixed(m, value, 4);
}

static inline void make_utf8(struct jfr_make *m, const char *text)
{
	make_byte(m, 3);
	make_int(m, (uint32_t)strlen(text));
	buf_put(&m->out, text, strlen(text));
}

static inline void make_latin1(struct jfr_make *m, const char *text)
{
	make_utf8(m, text);
	m->out.p[m->out.n - strlen(text) - (m->compressed ? 2 : 5)] = 5;
}

static inline void make_chars(struct jfr_make *m, const uint16_t *units, uint32_t n)
{
	make_byte(m, 4);
	make_int(m, n);
	for (uint32_t i = 0; i < n; i++)
		m->compressed ? make_varint(m, units[i]) : make_fixed(m, units[i], 2);
}

/* Overwrite the bytes at `at` with a 32-bit integer of four bytes, in either encoding. */
static inline void make_patch_int(struct jfr_make *m, size_t at, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		m->out.p[at + i] =
			(char)(m->compressed ? (value >> (7 * i) & 0x7f) | (i < 3 ? 0x80 : 0)
					     : value >> (24 - 8 * i));
}

static inline void make_patch_fixed(struct jfr_make *m, size_t at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		m->out.p[at + i] = (char)(value >> (8 * (size - 1 - i)));
}

static inline void make_event_begin(struct jfr_make *m, uint64_t type)
{
	m->event = m->out.n;
	make_fixed(m, 0, 4);
	make_long(m, type);
}

static inline void make_event_end(struct jfr_make *m)
{
	make_patch_int(m, m->event, (uint32_t)(m->out.n - m->event));
}

static inline void make_chunk_begin(struct jfr_make *m)
{
	m->chunk = m->out.n;
	m->metadata = m->checkpoint = 0;
	buf_put(&m->out, "FLR", 4);
	make_fixed(m, 2, 2);
	make_fixed(m, 1, 2);
	for (int i = 0; i < 60; i++)
		make_byte(m, 0);
}

/* Fill in the chunk header except for the size, which marks a chunk as finished. */
static inline void make_header(struct jfr_make *m)
{
	make_patch_fixed(m, m->chunk + 16, m->checkpoint, 8);
	make_patch_fixed(m, m->chunk + 24, m->metadata, 8);
	make_patch_fixed(m, m->chunk + 32, m->start_nanos, 8);
	make_patch_fixed(m, m->chunk + 40, m->duration_nanos, 8);
	make_patch_fixed(m, m->chunk + 48, m->start_ticks, 8);
	make_patch_fixed(m, m->chunk + 56, m->frequency, 8);
	m->out.p[m->chunk + 67] = (char)m->compressed;
}

static inline void make_chunk_end(struct jfr_make *m)
{
	make_header(m);
	make_patch_fixed(m, m->chunk + 8, m->out.n - m->chunk, 8);
}

/* The strings of the metadata, collected while the tree is written. */
struct make_strings {
	const char *text[512];
	char numbers[128][24];
	uint32_t n, number_count;
};

static inline uint32_t make_string(struct make_strings *s, const char *text)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (strcmp(s->text[i], text) == 0)
			return i;
	s->text[s->n] = text;
	return s->n++;
}

static inline uint32_t make_number(struct make_strings *s, uint64_t number)
{
	char *text = s->numbers[s->number_count++];

	snprintf(text, sizeof(s->numbers[0]), "%lld", (long long)number);
	return make_string(s, text);
}

static inline void make_attribute(struct jfr_make *m, struct make_strings *s, const char *name,
				  uint32_t value)
{
	make_int(m, make_string(s, name));
	make_int(m, value);
}

enum { MAKE_TIMESPAN = 99 }; /* id of the annotation's type */

static inline void make_field_element(struct jfr_make *m, struct make_strings *s,
				      const struct make_field *f)
{
	make_int(m, make_string(s, "field"));
	make_int(m, 2u + f->constant + f->array);
	make_attribute(m, s, "name", make_string(s, f->name));
	make_attribute(m, s, "class", make_number(s, f->type));
	if (f->constant)
		make_attribute(m, s, "constantPool", make_string(s, "true"));
	if (f->array)
		make_attribute(m, s, "dimension", make_string(s, "1"));
	make_int(m, f->unit ? 1 : 0);
	if (f->unit) {
		make_int(m, make_string(s, "annotation"));
		make_int(m, 2);
		make_attribute(m, s, "class", make_number(s, MAKE_TIMESPAN));
		make_attribute(m, s, "value", make_string(s, f->unit));
		make_int(m, 0);
	}
}

static inline void make_class_element(struct jfr_make *m, struct make_strings *s,
				      const struct make_type *type)
{
	uint32_t fields = 0;

	while (fields < countof(type->fields) && type->fields[fields].name)
		fields++;
	make_int(m, make_string(s, "class"));
	make_int(m, 2);
	make_attribute(m, s, "name", make_string(s, type->name));
	make_attribute(m, s, "id", make_number(s, type->id));
	make_int(m, fields);
	for (uint32_t i = 0; i < fields; i++)
		make_field_element(m, s, &type->fields[i]);
}

/* Write the metadata event; `types` ends with a type without a name. */
static inline void make_metadata(struct jfr_make *m, const struct make_type *types)
{
	struct jfr_make tree = {.compressed = m->compressed};
	struct make_strings strings = {0};
	uint32_t n = 0;

	while (types[n].name)
		n++;
	make_int(&tree, make_string(&strings, "root"));
	make_int(&tree, 0);
	make_int(&tree, 1);
	make_int(&tree, make_string(&strings, "metadata"));
	make_int(&tree, 0);
	make_int(&tree, n);
	for (uint32_t i = 0; i < n; i++)
		make_class_element(&tree, &strings, &types[i]);

	m->metadata = m->out.n - m->chunk;
	make_event_begin(m, 0);
	make_long(m, m->start_ticks);
	make_long(m, 0);
	make_long(m, 1);
	make_int(m, strings.n);
	for (uint32_t i = 0; i < strings.n; i++)
		make_utf8(m, strings.text[i]);
	buf_put(&m->out, tree.out.p, tree.out.n);
	make_event_end(m);
	buf_fini(&tree.out);
}

/* Begin a checkpoint of `pools` pools, linked to the previous one if there is one. */
static inline void make_checkpoint_begin(struct jfr_make *m, uint32_t pools)
{
	size_t before = m->checkpoint;

	m->checkpoint = m->out.n - m->chunk;
	make_event_begin(m, 1);
	make_long(m, m->start_ticks);
	make_long(m, 0);
	make_long(m, before ? before - m->checkpoint : 0);
	make_byte(m, 1);
	make_int(m, pools);
}

/* Begin a pool of `n` constants: each is an id and its fields. */
static inline void make_pool(struct jfr_make *m, uint64_t type, uint32_t n)
{
	make_long(m, type);
	make_int(m, n);
}

#endif
