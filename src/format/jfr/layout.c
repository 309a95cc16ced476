/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles classes into layouts and reads values with them. Adjacent steps that only skip are
 * merged, so an event of which four fields matter takes about six steps, and skipping a stack trace
 * takes one.
 */
#include "format/jfr/layout.h"

#include <errno.h>

enum {
	DEPTH_MAX = 16,	   /* nested types; the JDK's are 3 deep */
	FIELDS_MAX = 4096, /* of one type, with those of nested types */
};

struct layout_compiler {
	struct arena *arena;
	const struct jfr_metadata *m;
	const struct jfr_wanted_field *wanted;
	bool compressed;
	VEC(struct jfr_step) steps;
	/* First step of the current array body: it is not merged with steps before it. */
	uint32_t barrier;
	uint32_t visited; /* fields so far; fields of empty types add no steps but count, too */
	struct err *e;
};

/* The types without fields of their own. */
static const struct primitive {
	struct str name;
	uint8_t size;	 /* in bytes, when not compressed */
	bool compressed; /* LEB128 in a compressed chunk */
} primitives[] = {
	{STR_INIT("long"), 8, true},   {STR_INIT("int"), 4, true},
	{STR_INIT("short"), 2, true},  {STR_INIT("char"), 2, true},
	{STR_INIT("byte"), 1, false},  {STR_INIT("boolean"), 1, false},
	{STR_INIT("float"), 4, false}, {STR_INIT("double"), 8, false},
};

static const struct primitive *primitive_of(struct str name)
{
	for (size_t i = 0; i < countof(primitives); i++)
		if (str_eq(name, primitives[i].name))
			return &primitives[i];
	return NULL;
}

static int add_step(struct layout_compiler *c, struct jfr_step step)
{
	struct jfr_step *last = c->steps.n > c->barrier ? &c->steps.at[c->steps.n - 1] : NULL;

	if (last && last->kind == step.kind &&
	    (step.kind == JFR_SKIP_INTEGERS || step.kind == JFR_SKIP_BYTES) &&
	    last->count + step.count <= UINT16_MAX) {
		last->count = (uint16_t)(last->count + step.count);
		return 0;
	}
	return vec_push(c->arena, &c->steps, step);
}

static int add_number(struct layout_compiler *c, enum jfr_slot slot, uint8_t size,
		      bool may_compress)
{
	bool integer = may_compress && c->compressed;
	uint16_t count = integer ? 1 : size;
	uint8_t kind = slot == JFR_NO_SLOT ? (integer ? JFR_SKIP_INTEGERS : JFR_SKIP_BYTES)
					   : (integer ? JFR_READ_INTEGER : JFR_READ_FIXED);

	return add_step(c, (struct jfr_step){kind, (uint8_t)slot, count});
}

static int add_fields(struct layout_compiler *c, const struct jfr_class *class, unsigned depth);

static int add_value(struct layout_compiler *c, const struct jfr_field *field, enum jfr_slot slot,
		     unsigned depth)
{
	if (field->constant)
		return add_number(c, slot, 8, true);

	const struct jfr_class *type = jfr_class_by_id(c->m, field->type);

	if (!type)
		return err_set(c->e, -EBADMSG, "field %.*s: expected a described type, found %lld",
			       STR_ARG(field->name), (long long)field->type);
	if (str_eq(type->name, STR("java.lang.String"))) {
		bool skip = slot == JFR_NO_SLOT;

		return add_step(c, (struct jfr_step){skip ? JFR_SKIP_STRING : JFR_READ_STRING,
						     (uint8_t)slot, 0});
	}

	const struct primitive *primitive = primitive_of(type->name);

	if (primitive)
		return add_number(c, slot, primitive->size, primitive->compressed);
	if (depth >= DEPTH_MAX)
		return err_set(c->e, -EBADMSG, "type %.*s: nested more than %d types deep",
			       STR_ARG(type->name), DEPTH_MAX);
	return add_fields(c, type, depth + 1);
}

/* Add a count and a body. An empty body is not repeated: a few bytes could claim 2^32 rounds. */
static int add_array(struct layout_compiler *c, const struct jfr_field *field, enum jfr_slot slot,
		     unsigned depth)
{
	uint32_t head = c->steps.n;
	int rc = add_step(c, (struct jfr_step){JFR_ARRAY, (uint8_t)slot, 0});

	if (rc)
		return rc;
	c->barrier = c->steps.n;
	rc = add_value(c, field, JFR_NO_SLOT, depth);
	if (rc)
		return rc;
	c->steps.at[head].count = (uint16_t)(c->steps.n - head - 1);
	c->barrier = c->steps.n;
	return 0;
}

static enum jfr_slot wanted_slot(const struct layout_compiler *c, const struct jfr_field *field,
				 unsigned depth)
{
	if (depth == 0)
		for (const struct jfr_wanted_field *w = c->wanted; w && w->field.n; w++)
			if (str_eq(w->field, field->name))
				return w->slot;
	return JFR_NO_SLOT;
}

static int add_fields(struct layout_compiler *c, const struct jfr_class *class, unsigned depth)
{
	for (uint32_t i = 0; i < class->field_count; i++) {
		const struct jfr_field *field = &c->m->fields.at[class->first_field + i];
		enum jfr_slot slot = wanted_slot(c, field, depth);

		if (c->visited++ >= FIELDS_MAX)
			return err_set(c->e, -EBADMSG, "expected at most %d fields, found more",
				       FIELDS_MAX);

		int rc = field->array ? add_array(c, field, slot, depth)
				      : add_value(c, field, slot, depth);

		if (rc)
			return rc;
	}
	return 0;
}

int jfr_layout_compile(struct jfr_layout *layout, struct arena *arena, const struct jfr_metadata *m,
		       const struct jfr_class *class, const struct jfr_wanted_field *wanted,
		       bool compressed, struct err *e)
{
	struct layout_compiler c = {
		.arena = arena, .m = m, .wanted = wanted, .compressed = compressed, .e = e};
	bool text = str_eq(class->name, STR("java.lang.String")); /* a constant of this type */
	int rc = text ? add_step(&c, (struct jfr_step){JFR_READ_STRING, JFR_NAME, 0})
		      : add_fields(&c, class, 0);

	if (rc) {
		err_prefix(e, "type %.*s", STR_ARG(class->name));
		return rc;
	}
	*layout = (struct jfr_layout){c.steps.at, c.steps.n};
	return 0;
}

static void run_steps(const struct jfr_step *step, const struct jfr_step *end, struct jfr_cursor *c,
		      struct jfr_record *out);

/* Read or skip the elements of an array. A body of one skipping step is skipped at once. */
static void run_array(const struct jfr_step *array, struct jfr_cursor *c)
{
	const struct jfr_step *body = array + 1;
	struct jfr_record ignored; /* fields of array elements have no slots */
	uint64_t n = jfr_int(c);

	if (array->count == 1 && body->kind == JFR_SKIP_INTEGERS) {
		jfr_skip_many_varints(c, n * body->count);
	} else if (array->count == 1 && body->kind == JFR_SKIP_BYTES) {
		(void)jfr_bytes(c, n * body->count);
	} else if (array->count) {
		for (; n && !c->expected; n--)
			run_steps(body, body + array->count, c, &ignored);
	}
}

static void run_steps(const struct jfr_step *step, const struct jfr_step *end, struct jfr_cursor *c,
		      struct jfr_record *out)
{
	for (; step < end; step++) {
		switch ((enum jfr_step_kind)step->kind) {
		case JFR_SKIP_INTEGERS:
			jfr_skip_varints(c, step->count);
			break;
		case JFR_SKIP_BYTES:
			(void)jfr_bytes(c, step->count);
			break;
		case JFR_READ_INTEGER:
			out->number[step->slot] = jfr_varint(c);
			break;
		case JFR_READ_FIXED:
			out->number[step->slot] = jfr_fixed(c, step->count);
			break;
		case JFR_READ_STRING:
			out->at[step->slot] = c->at;
			jfr_skip_string(c);
			break;
		case JFR_SKIP_STRING:
			jfr_skip_string(c);
			break;
		case JFR_ARRAY:
			if (step->slot != JFR_NO_SLOT)
				out->at[step->slot] = c->at;
			run_array(step, c);
			step += step->count;
			break;
		}
	}
}

void jfr_layout_read(const struct jfr_layout *layout, struct jfr_cursor *c, struct jfr_record *out)
{
	run_steps(layout->steps, layout->steps + layout->count, c, out);
}

unsigned jfr_layout_integer_slots(const struct jfr_layout *layout, uint8_t *slots, unsigned max)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < layout->count; i++) {
		const struct jfr_step *step = &layout->steps[i];
		bool read = step->kind == JFR_READ_INTEGER;
		unsigned count = read ? 1 : step->count;

		if ((!read && step->kind != JFR_SKIP_INTEGERS) || count > max - n)
			return 0;
		while (count--)
			slots[n++] = read ? step->slot : JFR_NO_SLOT;
	}
	return n;
}
