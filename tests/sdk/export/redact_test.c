/* SPDX-License-Identifier: Apache-2.0 */
/* What libvarve exports: resource, profiles, messages and plain texts, with the sanitizer and without. */
#include "sdk/export/redact.h"

#include "format/otlp/schema.h"
#include "signal/otlp/validate.h"
#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"
#include "test/test.h"

static struct sanitizer *sanitizer_with(const struct varve_options *o)
{
	struct sanitizer *z = (struct sanitizer *)1;

	assert_ok(redact_new(&z, o, NULL));
	return z;
}

static bool contains(struct str text, const char *part)
{
	return str_find_str(text, str_from(part)) < text.n;
}

static void an_option_turns_it_off(void **state)
{
	struct buf text = {0};

	(void)state;
	assert_null(sanitizer_with(&(struct varve_options){.no_sanitize = 1}));
	buf_put_str(&text, STR("password=hunter2"));
	assert_ok(redact_text(NULL, &text, 0));
	assert_ok(redact_message(NULL, SIGNAL_TRACES, &text));
	assert_ok(redact_batch(NULL, NULL));
	assert_ok(redact_resource(NULL, NULL, NULL, 1));
	assert_str_equal(buf_str(&text), STR("password=hunter2"));
	buf_fini(&text);
}

static void attributes_of_the_resource_are_replaced(void **state)
{
	struct sanitizer *z = sanitizer_with(&(struct varve_options){0});
	struct keyvalue at[] = {{STR("service.name"), VALUE_OF_STR(STR("shop"))},
				{STR("deploy.token"), VALUE_OF_STR(STR("abcdef"))},
				{STR("process.pid"), VALUE_OF_INT(7)}};
	struct arena arena;

	(void)state;
	arena_init(&arena, NULL);
	assert_ok(redact_resource(z, &arena, at, countof(at)));
	assert_str_equal(at[0].value.s, STR("shop"));
	assert_str_equal(at[1].value.s, STR("[REDACTED_SECRET]"));
	assert_int_equal(at[1].value.s.p[at[1].value.s.n], 0);
	assert_int_equal(at[2].value.i, 7);
	arena_fini(&arena);
	sanitizer_free(z);
}

static void spans_are_replaced_as_encoded(void **state)
{
	static const char json[] =
		"{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":"
		"\"0102030405060708090a0b0c0d0e0f10\",\"spanId\":\"0102030405060708\",\"name\":"
		"\"GET /?token=hunter22\",\"attributes\":[{\"key\":\"user\",\"value\":{"
		"\"stringValue\":\"bob@example.com\"}}],\"events\":[{\"name\":\"password="
		"hunter22\"}"
		"]}]}]}]}";
	struct sanitizer *z = sanitizer_with(&(struct varve_options){0});
	struct buf body = {0};
	struct arena arena;
	uint32_t items;

	(void)state;
	arena_init(&arena, NULL);
	assert_ok(schema_json_to_proto(&body, &otlp_traces_request, str_from(json), &arena, NULL));
	assert_ok(redact_message(z, SIGNAL_TRACES, &body));
	assert_ok(otlp_validate(SIGNAL_TRACES, buf_str(&body), &items, NULL));
	assert_int_equal(items, 1);
	assert_false(contains(buf_str(&body), "hunter22"));
	assert_false(contains(buf_str(&body), "example.com"));
	assert_true(contains(buf_str(&body), "[REDACTED_EMAIL]"));
	buf_clear(&body);
	buf_put_str(&body, STR("\x0a\x7f"));
	assert_int_not_equal(redact_message(z, SIGNAL_TRACES, &body), 0);
	arena_fini(&arena);
	buf_fini(&body);
	sanitizer_free(z);
}

/* Labels are sanitized always, names of functions on request. */
static void labels_and_functions_of_a_profile_are_replaced(void **state)
{
	(void)state;
	for (int hide = 0; hide < 2; hide++) {
		struct sanitizer *z =
			sanitizer_with(&(struct varve_options){.hide_function_names = hide});
		struct profile_builder builder;
		struct profile_batch b;
		struct err e = {0};
		uint32_t label, location, stack;

		assert_ok(profile_batch_init(&b, NULL));
		assert_ok(profile_builder_init(&builder, &b));
		assert_ok(profile_begin(&builder, STR("cpu"), STR("nanoseconds")));
		assert_ok(profile_add_frame(&builder, STR("check_password"), STR("a.c"), 1,
					    &location));
		assert_ok(profile_add_stack(&builder, &location, 1, &stack));
		assert_ok(profile_add_attribute(&builder, STR("user"),
						VALUE_OF_STR(STR("bob@example.com")), STR(""),
						&label));
		assert_ok(profile_add_sample(&builder, stack, 0, &label, 1, 5));
		assert_ok(redact_batch(z, &b));
		assert_ok_err(profile_batch_check(&b, &e), &e);
		assert_str_equal(b.attributes.at[label].value.s, STR("[REDACTED_EMAIL]"));
		assert_str_equal(string_of(&b, b.functions.at[1].name),
				 hide ? STR("[REDACTED]") : STR("check_password"));
		assert_int_equal(sample_total(&b, 0), 5);
		profile_batch_fini(&b);
		sanitizer_free(z);
	}
}

static void arguments_of_the_program_are_replaced(void **state)
{
	struct sanitizer *z = sanitizer_with(&(struct varve_options){0});
	struct buf text = {0};

	(void)state;
	buf_put_str(&text, STR("password=kept tool\0--db-password\0hunter2\0--api-key=abc\0-v"));
	assert_ok(redact_text(z, &text, 14));
	assert_str_equal(buf_str(&text),
			 STR("password=kept tool\0--db-password\0[REDACTED_SECRET]\0"
			     "--api-key=[REDACTED_SECRET]\0-v"));
	buf_fini(&text);
	sanitizer_free(z);
}

TEST_MAIN(test(an_option_turns_it_off), test(attributes_of_the_resource_are_replaced),
	  test(spans_are_replaced_as_encoded), test(labels_and_functions_of_a_profile_are_replaced),
	  test(arguments_of_the_program_are_replaced))
