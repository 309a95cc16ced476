/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes: every kind of value is read back as it was written, alone and within a message. */
#include "signal/otlp/attributes.h"

#include <errno.h>
#include <math.h>

#include "test/test.h"

static struct arena arena;
static struct proto_writer writer;

static int set_up(void **state)
{
	(void)state;
	arena_init(&arena, NULL);
	proto_writer_init(&writer, NULL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_fini(&arena);
	proto_writer_fini(&writer);
	return 0;
}

/* Return what the writer holds as a copy, and empty it. */
static struct str taken(void)
{
	struct str copy;

	assert_ok(proto_writer_error(&writer));
	assert_ok(arena_copy_str(&arena, proto_writer_str(&writer), &copy));
	proto_writer_clear(&writer);
	return copy;
}

/* Return a list of `a` and `b`. */
static struct value list_of(const struct value *a, const struct value *b)
{
	const struct value *elements[] = {b, a};
	struct value list = {.kind = VALUE_LIST};

	for (unsigned i = 0; i < 2; i++) {
		size_t end = proto_mark(&writer);

		otlp_value_write(&writer, elements[i]);
		proto_put_header(&writer, 1, end);
	}
	proto_put_header(&writer, 5, 0);
	list.s = taken();
	return list;
}

static struct value map_of(const struct attributes *a)
{
	struct value map = {.kind = VALUE_MAP};

	for (uint32_t i = a->list.n; i-- > 0;)
		otlp_attribute_write(&writer, 1, a->list.at[i].key, &a->list.at[i].value);
	proto_put_header(&writer, 6, 0);
	map.s = taken();
	return map;
}

static void add(struct attributes *a, const char *key, struct value v)
{
	assert_ok(vec_push(&arena, &a->list, (struct otlp_attribute){str_from(key), v}));
}

/* One attribute of each kind. */
static struct attributes all_kinds(void)
{
	struct attributes a = {0};
	struct value bytes = {.kind = VALUE_BYTES, .s = STR("\0\xff")};
	struct value number = {.kind = VALUE_DOUBLE, .d = 0.25};

	add(&a, "text", VALUE_OF_STR(STR("some text")));
	add(&a, "empty text", VALUE_OF_STR(STR("")));
	add(&a, "yes", VALUE_OF_BOOL(true));
	add(&a, "no", VALUE_OF_BOOL(false));
	add(&a, "int", VALUE_OF_INT(INT64_MIN));
	add(&a, "zero", VALUE_OF_INT(0));
	add(&a, "double", number);
	add(&a, "bytes", bytes);
	add(&a, "nothing", (struct value){0});
	add(&a, "", VALUE_OF_INT(5));
	add(&a, "list", list_of(&number, &bytes));
	add(&a, "map", map_of(&a));
	return a;
}

static void assert_same(const struct attributes *a, const struct attributes *b)
{
	assert_int_equal(a->list.n, b->list.n);
	for (uint32_t i = 0; i < a->list.n; i++) {
		assert_str_equal(a->list.at[i].key, b->list.at[i].key);
		assert_true(value_eq(&a->list.at[i].value, &b->list.at[i].value));
	}
}

static void all_kinds_are_read_back(void **state)
{
	struct attributes a = all_kinds(), back;

	(void)state;
	for (uint32_t i = a.list.n; i-- > 0;)
		otlp_attribute_write(&writer, 9, a.list.at[i].key, &a.list.at[i].value);
	assert_ok(otlp_attributes_read(&back, taken(), 9, &arena));
	assert_same(&a, &back);
}

/* Return a message of a text, attributes in field 9 with something between them, and a number. */
static struct str message_around(const struct attributes *a)
{
	proto_put_uint(&writer, 10, 77);
	for (uint32_t i = a->list.n; i-- > 0;) {
		otlp_attribute_write(&writer, 9, a->list.at[i].key, &a->list.at[i].value);
		if (i == 1)
			proto_put_fixed64(&writer, 8, 88);
	}
	proto_put_bytes(&writer, 5, STR("name"));
	return taken();
}

static void attributes_are_replaced(void **state)
{
	struct attributes a = all_kinds(), few = {0}, back;
	struct str message = message_around(&a), changed, again;

	(void)state;
	add(&few, "one", VALUE_OF_INT(1));
	assert_ok(otlp_attributes_replace(message, 9, &few, &arena, &changed));
	assert_ok(otlp_attributes_read(&back, changed, 9, &arena));
	assert_same(&few, &back);
	assert_true(str_starts(changed, STR("\x2a\x04name\x4a")));
	assert_true(str_ends(changed, STR("\x41\x58\0\0\0\0\0\0\0\x50\x4d")));
	/* back to all: the other fields are where they were */
	assert_ok(otlp_attributes_replace(changed, 9, &a, &arena, &again));
	assert_int_equal(again.n, message.n);
	assert_ok(otlp_attributes_read(&back, again, 9, &arena));
	assert_same(&a, &back);
	/* to none, and again to some: they are appended */
	assert_ok(otlp_attributes_replace(message, 9, &(struct attributes){0}, &arena, &changed));
	assert_str_equal(changed, STR("\x2a\x04name\x41\x58\0\0\0\0\0\0\0\x50\x4d"));
	assert_ok(otlp_attributes_replace(changed, 9, &few, &arena, &again));
	assert_true(str_starts(again, changed));
	assert_ok(otlp_attributes_replace(STR(""), 9, &few, &arena, &again));
	assert_ok(otlp_attributes_read(&back, again, 9, &arena));
	assert_same(&few, &back);
}

static void one_attribute_is_found(void **state)
{
	struct attributes a = all_kinds();
	struct str message = message_around(&a);
	struct value v;

	(void)state;
	for (uint32_t i = 0; i < a.list.n; i++) {
		assert_true(otlp_attribute_find(message, 9, a.list.at[i].key, &v));
		assert_true(value_eq(&v, &a.list.at[i].value));
	}
	assert_false(otlp_attribute_find(message, 9, STR("tex"), &v));
	assert_false(otlp_attribute_find(message, 9, STR("textt"), &v));
	assert_false(otlp_attribute_find(message, 5, STR("text"), &v));
}

static void lists_are_edited(void **state)
{
	struct attributes a = {0};
	struct value one = VALUE_OF_INT(1), two = VALUE_OF_INT(2);

	(void)state;
	assert_null(attributes_get(&a, STR("x")));
	assert_ok(attributes_set(&a, &arena, STR("x"), &one));
	assert_ok(attributes_set(&a, &arena, STR("y"), &one));
	assert_ok(attributes_set(&a, &arena, STR("x"), &two));
	assert_int_equal(a.list.n, 2);
	assert_int_equal(attributes_get(&a, STR("x"))->value.i, 2);
}

/* A KeyValue or AnyValue may come in pieces; each piece is read over those before it. */
static void pieces_are_merged(void **state)
{
	struct attributes a;
	struct value v;

	(void)state;
	/* { 9: { 2: { 3: 1 }, 1: "k", 2: { 3: 2 }, 2: { } } } */
	assert_ok(otlp_attributes_read(
		&a, STR("\x4a\x0d\x12\x02\x18\x01\x0a\x01k\x12\x02\x18\x02\x12\x00"), 9, &arena));
	assert_int_equal(a.list.n, 1);
	assert_str_equal(a.list.at[0].key, STR("k"));
	assert_int_equal(a.list.at[0].value.i, 2);
	assert_true(otlp_value_read(STR("\x0a\x01x\x18\x05"), &v));
	assert_int_equal(v.kind, VALUE_INT);
	assert_true(otlp_value_read(STR("\x18\x05\x0a\x01x\x40\x01"), &v));
	assert_str_equal(v.s, STR("x"));
}

static void damage_is_reported(void **state)
{
	struct str message = STR("\x4a\x05\x12\x03\x0a\x05x"), out;
	struct attributes a;
	struct value v;

	(void)state;
	assert_false(otlp_value_read(STR("\x0a\x05x"), &v));
	assert_int_equal(otlp_attributes_read(&a, message, 9, &arena), -EBADMSG);
	assert_int_equal(otlp_attributes_read(&a, STR("\x4a"), 9, &arena), -EBADMSG);
	assert_int_equal(otlp_attributes_replace(STR("\x4a\x09"), 9, &a, &arena, &out), -EBADMSG);
	assert_false(otlp_attribute_find(message, 9, STR("x"), &v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_kinds_are_read_back),
		cmocka_unit_test(attributes_are_replaced),
		cmocka_unit_test(one_attribute_is_found),
		cmocka_unit_test(lists_are_edited),
		cmocka_unit_test(pieces_are_merged),
		cmocka_unit_test(damage_is_reported),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
