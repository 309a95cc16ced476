/* SPDX-License-Identifier: Apache-2.0 */
/* The OTLP checker: each rule, compared with the reference checker. */
#include "format/otlp/otlp_support.h"

struct verdict {
	int64_t broken;
	char text[8192]; /* "level path: text" lines */
};

static void note(void *arg, enum otlp_check_level level, const char *path, const char *text)
{
	static const char *const levels[] = {"note", "should", "must"};
	struct verdict *v = arg;
	size_t n = strlen(v->text);

	snprintf(v->text + n, sizeof(v->text) - n, "%s %s: %s\n", levels[level], path, text);
}

static void check_bytes(struct verdict *v, struct str in, unsigned flags)
{
	struct err e = {0};

	v->text[0] = '\0';
	v->broken = otlp_check(in, flags, NULL, note, v, &e);
	if (v->broken < 0)
		fail_msg("could not check: %s", e.text);
}

static void check(struct verdict *v, const char *text, unsigned flags)
{
	struct buf in = {0};

	otlp_text(&in, text);
	check_bytes(v, buf_str(&in), flags);
	buf_fini(&in);
}

#define SAYS(v, part)                                                                              \
	do {                                                                                       \
		if (!strstr((v)->text, part))                                                      \
			fail_msg("report is\n%sexpected %s", (v)->text, part);                     \
	} while (0)

#define ZERO OTLP_TEXT_ZERO_DICTIONARY
#define ONE_PROFILE(fields) "1{ 2{ 2{ " fields " } } } "
#define TIMED(samples) ONE_PROFILE(samples " 3@100 4:10")
#define STRINGS(strings) "2{ 1{} 2{} 3{} 4{} " strings " 6{} 7{} }"

/* The cases of the reference checker, rule by rule. */
static const struct {
	const char *rule, *message;
	unsigned flags;
	const char *says; /* NULL: valid */
} reference_cases[] = {
	{"no profiles", "", OTLP_CHECK_DUPES, "resource profiles are empty"},
	{"minimal valid profile", ONE_PROFILE("") ZERO, OTLP_CHECK_DUPES, NULL},
	{"no scope profiles", "1{} " ZERO, OTLP_CHECK_DUPES,
	 "resource_profiles[0]: resource profiles has no scope profiles"},
	{"no profiles in scope", "1{ 2{} } " ZERO, OTLP_CHECK_DUPES,
	 "resource_profiles[0].scope_profiles[0]: scope profiles has no profiles"},
	{"no empty string at 0", ONE_PROFILE("") STRINGS("5\"a\""), OTLP_CHECK_DUPES,
	 "dictionary.string_table[0]: must have empty string at index 0"},
	{"duplicate string", ONE_PROFILE("") STRINGS("5\"\" 5\"a\" 5\"b\" 5\"a\""),
	 OTLP_CHECK_DUPES, "must dictionary.string_table[3]: duplicate string"},
	{"duplicate mapping",
	 ONE_PROFILE(
		 "") "2{ 1{} 1{ 1:0x4000 2:0x4200 4:1 5[1 2] } 1{ 1:0x4000 2:0x4200 4:1 5[2 1] }"
		     " 2{} 3{} 4{} 5\"\" 5\"filename\" 5\"attr1\" 5\"attr2\" 6{}"
		     " 6{ 1:1 2{ 1\"v1\" } } 6{ 1:2 2{ 1\"v2\" } } 7{} }",
	 OTLP_CHECK_DUPES, "must dictionary.mapping_table[2]: duplicate mapping"},
	{"duplicate string, not asked for", ONE_PROFILE("") STRINGS("5\"\" 5\"a\" 5\"b\" 5\"a\""),
	 0, NULL},
	{"duplicate attribute key in location",
	 ONE_PROFILE("") "2{ 1{} 2{} 2{ 4[1 2] } 3{} 4{} 5\"\" 5\"k1\" 6{} 6{ 1:1 2{ 1\"v1\" } }"
			 " 6{ 1:1 2{ 1\"v2\" } } 7{} }",
	 OTLP_CHECK_DUPES,
	 "dictionary.location_table[1].attribute_indices[1].key_strindex: duplicate key \"k1\""},
	{"timestamp before start", TIMED("2{ 3:0 5<99> }") ZERO, OTLP_CHECK_DUPES,
	 "profiles[0].samples[0].timestamps_unix_nano[0]: 99 is outside profile time range [100, "
	 "110)"},
	{"timestamp at start", TIMED("2{ 3:0 5<100> }") ZERO, OTLP_CHECK_DUPES, NULL},
	{"timestamp at end", TIMED("2{ 3:0 5<110> }") ZERO, OTLP_CHECK_DUPES,
	 "110 is outside profile time range [100, 110)"},
	{"timestamp after end", TIMED("2{ 3:0 5<111> }") ZERO, OTLP_CHECK_DUPES,
	 "111 is outside profile time range [100, 110)"},
	{"no values and no timestamps", ONE_PROFILE("2{}") ZERO,
	 OTLP_CHECK_DUPES | OTLP_CHECK_SHAPES,
	 "sample must have at least one values or timestamps_unix_nano entry"},
	{"lengths do not match", TIMED("2{ 4[1] 5<100 101> }") ZERO,
	 OTLP_CHECK_DUPES | OTLP_CHECK_SHAPES,
	 "values (len=1) and timestamps_unix_nano (len=2) must contain the same number"},
	{"values only", ONE_PROFILE("2{ 4[1] }") ZERO, OTLP_CHECK_DUPES | OTLP_CHECK_SHAPES, NULL},
	{"several values", ONE_PROFILE("2{ 4[1 2 3] }") ZERO, OTLP_CHECK_DUPES | OTLP_CHECK_SHAPES,
	 "must contain a single element if timestamps_unix_nano is not set"},
	{"timestamps only", TIMED("2{ 3:0 5<100> }") ZERO, OTLP_CHECK_DUPES | OTLP_CHECK_SHAPES,
	 NULL},
	{"values and timestamps", TIMED("2{ 4[1] 5<100> }") ZERO,
	 OTLP_CHECK_DUPES | OTLP_CHECK_SHAPES, NULL},
	{"mixed shapes", TIMED("2{ 4[1] } 2{ 5<100> }") ZERO, OTLP_CHECK_DUPES | OTLP_CHECK_SHAPES,
	 "samples[1]: sample shape timestamps_only does not match expected sample shape "
	 "values_only"},
	{"mixed shapes and an empty sample", TIMED("2{ 4[1] } 2{} 2{ 5<100> }") ZERO,
	 OTLP_CHECK_DUPES | OTLP_CHECK_SHAPES, "does not match expected sample shape"},
	{"mixed shapes, not asked for", TIMED("2{ 4[1] } 2{ 5<100> }") ZERO, OTLP_CHECK_DUPES,
	 NULL},
	{"all sentinels, nothing unreferenced", ONE_PROFILE("") ZERO,
	 OTLP_CHECK_DUPES | OTLP_CHECK_ORPHANS, NULL},
	{"unreferenced string", ONE_PROFILE("") STRINGS("5\"\" 5\"unreferenced\""),
	 OTLP_CHECK_DUPES | OTLP_CHECK_ORPHANS, "dictionary.string_table[1]: unreferenced entry"},
	{"unreferenced string, not asked for", ONE_PROFILE("") STRINGS("5\"\" 5\"unreferenced\""),
	 OTLP_CHECK_DUPES, NULL},
	{"unreferenced mapping", ONE_PROFILE("") "2{ 1{} 1{} 2{} 3{} 4{} 5\"\" 6{} 7{} }",
	 OTLP_CHECK_DUPES | OTLP_CHECK_ORPHANS, "dictionary.mapping_table[1]: unreferenced entry"},
	{"unreferenced stack", ONE_PROFILE("") "2{ 1{} 2{} 3{} 4{} 5\"\" 6{} 7{} 7{} }",
	 OTLP_CHECK_DUPES | OTLP_CHECK_ORPHANS, "dictionary.stack_table[1]: unreferenced entry"},
	{"unreferenced link",
	 ONE_PROFILE("") "2{ 1{} 2{} 3{} 4{} 4{ 1#00000000000000000000000000000000"
			 " 2#0000000000000000 } 5\"\" 6{} 7{} }",
	 OTLP_CHECK_DUPES | OTLP_CHECK_ORPHANS, "dictionary.link_table[1]: unreferenced entry"},
	{"everything referenced",
	 ONE_PROFILE(
		 "1{ 1:5 2:6 } 2{ 1:1 2[1] 4[42] }") "2{ 1{} 1{ 4:4 } 2{} 2{ 1:1 3{ 1:1 } } 3{} 3{ "
						     "1:1 2:2 3:3 } 4{} 5\"\" 5\"fn_name\""
						     " 5\"fn_sysname\" 5\"fn_file\" 5\"map_file\" "
						     "5\"type\" 5\"unit\" 6{}"
						     " 6{ 1:1 2{ 1\"v1\" } } 7{} 7{ 1[1] } }",
	 OTLP_CHECK_DUPES | OTLP_CHECK_ORPHANS, NULL},
};

static void verdicts_match_the_reference_checker(void **state)
{
	(void)state;
	assert_int_equal(countof(reference_cases), 29);
	for (size_t i = 0; i < countof(reference_cases); i++) {
		struct verdict v;

		check(&v, reference_cases[i].message, reference_cases[i].flags);
		if (reference_cases[i].says)
			SAYS(&v, reference_cases[i].says);
		if ((v.broken == 0) != !reference_cases[i].says)
			fail_msg("%s: report is\n%s", reference_cases[i].rule, v.text);
	}
}

/* Rules that are not in the table above. */
static const struct {
	const char *message, *says;
} more_cases[] = {
	{ONE_PROFILE("2{ 1:9 3:0 4[1] }") ZERO,
	 "must resource_profiles[0].scope_profiles[0].profiles[0].samples[0].stack_index: index 9 "
	 "is out "
	 "of range [0..1)"},
	{ONE_PROFILE("2{ 3:-1 4[1] }") ZERO, "samples[0].link_index: index -1 is out of range"},
	{ONE_PROFILE("2{ 2[3] 4[1] }") ZERO, "samples[0].attribute_indices[0]: index 3"},
	{ONE_PROFILE("11[2]") ZERO, "profiles[0].attribute_indices[0]: index 2"},
	{ONE_PROFILE("1{ 1:3 2:4 } 5{ 1:5 2:6 }") ZERO, "sample_type.type_strindex: index 3"},
	{ONE_PROFILE("1{ 1:3 2:4 } 5{ 1:5 2:6 }") ZERO, "period_type.unit_strindex: index 6"},
	{ONE_PROFILE("") "2{ 1{} 1{ 4:7 } 2{} 3{} 4{} 5\"\" 6{} 7{} }",
	 "dictionary.mapping_table[1].filename_strindex: index 7"},
	{ONE_PROFILE("") "2{ 1{} 1{ 1:5 2:5 } 2{} 3{} 4{} 5\"\" 6{} 7{} }",
	 "must be both zero or start < limit"},
	{ONE_PROFILE("") "2{ 1{ 1:1 2:2 } 2{} 3{} 4{} 5\"\" 6{} 7{} }",
	 "dictionary.mapping_table[0]: must have zero value"},
	{ONE_PROFILE("") "2{ 1{} 2{ 2:1 } 3{} 4{} 5\"\" 6{} 7{} }",
	 "dictionary.location_table[0]: must have zero value"},
	{ONE_PROFILE("") "2{ 1{} 2{} 2{ 1:1 3{ 1:2 2:-1 3:-2 } } 3{} 4{} 5\"\" 6{} 7{} }",
	 "dictionary.location_table[1].mapping_index: index 1"},
	{ONE_PROFILE("") "2{ 1{} 2{} 2{ 1:1 3{ 1:2 2:-1 3:-2 } } 3{} 4{} 5\"\" 6{} 7{} }",
	 "dictionary.location_table[1].lines[0].function_index: index 2"},
	{ONE_PROFILE("") "2{ 1{} 2{} 2{ 1:1 3{ 1:2 2:-1 3:-2 } } 3{} 4{} 5\"\" 6{} 7{} }",
	 "dictionary.location_table[1].lines[0].column: -2 < 0, must be non-negative"},
	{ONE_PROFILE("") "2{ 1{} 2{} 3{ 4:1 } 4{} 5\"\" 6{} 7{} }",
	 "dictionary.function_table[0]: must have zero value"},
	{ONE_PROFILE("") "2{ 1{} 2{} 3{ 1:9 } 4{} 5\"\" 6{} 7{} }",
	 "dictionary.function_table[0].name_strindex: index 9"},
	{ONE_PROFILE("") "2{ 1{} 2{} 3{} 3{ 1:1 4:-1 } 4{} 5\"\" 6{} 7{} }",
	 "dictionary.function_table[1].start_line: -1 < 0"},
	{ONE_PROFILE("") "2{ 1{} 2{} 3{} 4{} 4{ 1#0102 2#03 } 5\"\" 6{} 7{} }",
	 "dictionary.link_table[1].trace_id: has 2 bytes, must have 16"},
	{ONE_PROFILE("") "2{ 1{} 2{} 3{} 4{ 1#01 } 5\"\" 6{} 7{} }",
	 "dictionary.link_table[0]: must have zero value"},
	{ONE_PROFILE("") "2{ 1{} 2{} 3{} 4{} 5\"\" 6{ 1:1 } 7{} }",
	 "dictionary.attribute_table[0]: first attribute must have zero key/unit indices"},
	{ONE_PROFILE("") "2{ 1{} 2{} 3{} 4{} 5\"\" 6{ 2{ 3:0 } } 7{} }",
	 "dictionary.attribute_table[0].value: first attribute value must be unset"},
	{ONE_PROFILE("") "2{ 1{} 2{} 3{} 4{} 5\"\" 6{} 6{ 1:4 3:5 } 7{} }",
	 "dictionary.attribute_table[1].unit_strindex: index 5"},
	{ONE_PROFILE("") "2{ 1{} 2{} 3{} 4{} 5\"\" 6{} 7{} 7{ 1[0 4] } }",
	 "dictionary.stack_table[1].location_indices[1]: index 4 is out of range [0..1)"},
	{ONE_PROFILE("") "2{ 5\"\" }", "dictionary.stack_table: empty table"},
	{ONE_PROFILE(""), "dictionary.string_table: empty string table"},
	/* not covered by the reference checker */
	{ONE_PROFILE("") "2{ 1{} 2{} 3{} 3{ 4:5 } 4{} 5\"\" 6{} 7{} }",
	 "must dictionary.function_table[1]: must have a name, a system name or a filename"},
	{ONE_PROFILE("9\"jfr\"") ZERO,
	 "must resource_profiles[0].scope_profiles[0].profiles[0].original_payload: "},
	{ONE_PROFILE("10#00") ZERO, "profiles[0].original_payload_format: "},
	{ONE_PROFILE("") "1{ 2{ 2{} 2{ 7#0102 2{ 3:0 4[1] } } } }" ZERO,
	 "must resource_profiles[1].scope_profiles[0].profiles[1].profile_id: has 2 bytes"},
	{ONE_PROFILE("") "2{ 1{} 2{} 3{} 4{} 5\"\" 5#ff 6{} 7{} }",
	 "must dictionary: text is not UTF-8"},
	{"1{ 1{ 1{ 1\"a\" 2{ 3:1 } } 1{ 1\"a\" } } 2{ 2{} } }" ZERO,
	 "must resource_profiles[0].resource.attributes: duplicate attribute key"},
	{"1{ 1{ 1{ 1\"a\" 3:0 } } 2{ 1{ 3{ 3:7 } } 2{} } }" ZERO,
	 "must resource_profiles[0].scope_profiles[0].scope: string index 7 is out of range"},
	{"1{ 1{ 1{ 1\"a\" 3:1 } } 2{ 2{} } }" STRINGS("5\"\" 5\"b\""),
	 "must resource_profiles[0].resource: key and key_strindex are both set"},
};

static void every_rule_is_reported_with_its_path(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(more_cases); i++) {
		struct verdict v;

		check(&v, more_cases[i].message, 0);
		SAYS(&v, more_cases[i].says);
		assert_true(v.broken > 0);
	}
}

static void advice_does_not_make_a_file_invalid(void **state)
{
	static const struct {
		const char *message, *says;
	} cases[] = {
		{ONE_PROFILE("") "2{ 1{} 1{ 1:1 2:2 } 2{} 3{} 4{} 5\"\" 6{} 7{} }",
		 "should dictionary.mapping_table[1].attribute_indices: a mapping should have a "
		 "build"},
		{ONE_PROFILE("2{ 4[1] } 2{ 4[2] }") ZERO,
		 "samples[1]: same stack, attributes and link as samples[0]"},
		{ONE_PROFILE("") "2{ 1{} 2{} 2{ 2:7 } 2{ 2:7 } 3{} 4{} 5\"\" 6{} 7{} }",
		 "should dictionary.location_table[2]: duplicate location, equal to index 1"},
		{ONE_PROFILE("") "2{ 1{} 2{} 3{} 4{} 5\"\" 6{} 6{ 2{ 3:1 } } 6{ 2{ 3:1 } } 7{} }",
		 "should dictionary.attribute_table[2]: duplicate attribute"},
		{ONE_PROFILE("") "2{ 1{} 2{} 3{} 4{} 5\"\" 6{} 7{} 7{ 1[0] } 7{ 1[0] } }",
		 "should dictionary.stack_table[2]: duplicate stack"},
		{ONE_PROFILE("") "2{ 1{} 2{} 3{} 4{ 1#00000000000000000000000000000000"
				 " 2#0000000000000000 } 5\"\" 6{} 7{} }",
		 "should dictionary.link_table[0]: ids of zeros"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct verdict v;

		check(&v, cases[i].message, OTLP_CHECK_DUPES | OTLP_CHECK_SHAPES);
		SAYS(&v, cases[i].says);
		assert_int_equal(v.broken, 0);
	}
}

static void strings_used_by_resource_attributes_are_not_orphans(void **state)
{
	struct verdict v;

	(void)state;
	check(&v,
	      "1{ 1{ 1{ 3:1 2{ 8:2 } } 1{ 1\"x\" 2{ 5{ 1{ 8:3 } } } } } 2{ 2{ 11[1] } } }"
	      "2{ 1{} 2{} 3{} 4{} 5\"\" 5\"k\" 5\"v\" 5\"w\" 5\"key\" 5\"text\" 6{} 6{ 1:4 2{ 8:5 "
	      "} } 7{} }",
	      OTLP_CHECK_ALL);
	if (v.broken)
		fail_msg("report is\n%s", v.text);
}

static void older_layouts_are_recognized_and_checked(void **state)
{
	struct verdict v;

	(void)state;
	check(&v, TIMED("2{ 1:7 2[1] 3[0] 4:0 5<110> }") ZERO, OTLP_CHECK_ALL);
	SAYS(&v, "note : layout 1.9: converted to 1.11");
	SAYS(&v, "samples[0].stack_index: index 7");
	SAYS(&v, "110 is outside");
	check(&v,
	      "1{ 2{ 2{ 1{ 1:1 2:1 } 2{ 1:0 2:1 3[1] 4[0] 6[7] } 3[0] 4:5 5:10 } } }"
	      "2{ 2{ 2:1 } 5\"\" 5\"a\" 6{ 1\"k\" 2{ 3:1 } } }",
	      OTLP_CHECK_ALL);
	SAYS(&v, "note : layout 1.7: converted to 1.11");
	assert_int_equal(v.broken, 0);
}

static void messages_of_a_stream_are_counted(void **state)
{
	struct buf in = {0}, message = {0};
	struct verdict v;

	(void)state;
	otlp_text(&message, ONE_PROFILE("2{}") ZERO);
	for (int i = 0; i < 2; i++) {
		for (int k = 3; k >= 0; k--)
			buf_put_char(&in, (char)(message.n >> 8 * k));
		buf_put_str(&in, buf_str(&message));
	}
	check_bytes(&v, buf_str(&in), OTLP_CHECK_ALL);
	SAYS(&v,
	     "must messages[1].resource_profiles[0].scope_profiles[0].profiles[0].samples[0]: ");
	assert_int_equal(v.broken, 2);
	buf_fini(&in);
	buf_fini(&message);
}

static void json_is_checked(void **state)
{
	struct verdict v;

	(void)state;
	check_bytes(&v,
		    STR("{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{\"samples\":["
			"{\"stackIndex\":4}]}]}]}],\"dictionary\":{}}\n"),
		    OTLP_CHECK_ALL);
	SAYS(&v,
	     "must resource_profiles[0].scope_profiles[0].profiles[0].samples[0].stack_index: ");
	SAYS(&v, "must dictionary.mapping_table: empty table");
}

static void the_real_file_violates_only_the_time_range(void **state)
{
	struct buf in = {0}, out = {0};
	struct verdict v;

	(void)state;
	if (!otlp_read_fixture(&in, "otlp/profile-1.9.otlp"))
		skip();
	check_bytes(&v, buf_str(&in), OTLP_CHECK_DUPES | OTLP_CHECK_SHAPES);
	SAYS(&v, "layout 1.9: converted");
	SAYS(&v, "is outside profile time range");
	assert_int_equal(v.broken, 4);
	otlp_convert(&out, &format_otlp, buf_str(&in), &format_otlp);
	check_bytes(&v, buf_str(&out), OTLP_CHECK_ALL);
	if (v.broken)
		fail_msg("report is\n%s", v.text);
	buf_fini(&in);
	buf_fini(&out);
}

static void encoded_files_are_valid(void **state)
{
	static const char *const messages[] = {
		OTLP_TEXT_EVERYTHING,
		ONE_PROFILE("2{ 3:0 4[3] } 2{ 5<100 101> } 2{ 4[7] 5<102> } 2{ 1:7 }"),
		ONE_PROFILE("2{ 1:1 3:0 4[5] }") "2{ 1{} 1{ 1:9 2:5 4:1 } 2{} 2{ 1:1 3{ 1:1 2:-3 } "
						 "} 3{} 3{ 4:7 } 4{} 5\"\""
						 " 5\"a\" 5\"a\" 6{} 7{} 7{ 1[1] } }",
		"1{} 1{ 2{} } " ONE_PROFILE("2{ 3:0 5<0 -1> } 9\"jfr\""),
	};

	(void)state;
	for (size_t i = 0; i < countof(messages); i++) {
		struct buf in = {0}, out = {0};
		struct verdict v;

		otlp_text(&in, messages[i]);
		otlp_convert(&out, &format_otlp, buf_str(&in), &format_otlp);
		check_bytes(&v, buf_str(&out), OTLP_CHECK_ALL);
		if (v.broken)
			fail_msg("message %zu: report is\n%s", i, v.text);
		buf_fini(&in);
		buf_fini(&out);
	}
}

TEST_MAIN(test(verdicts_match_the_reference_checker), test(every_rule_is_reported_with_its_path),
	  test(advice_does_not_make_a_file_invalid),
	  test(strings_used_by_resource_attributes_are_not_orphans),
	  test(older_layouts_are_recognized_and_checked), test(messages_of_a_stream_are_counted),
	  test(json_is_checked), test(the_real_file_violates_only_the_time_range),
	  test(encoded_files_are_valid))
