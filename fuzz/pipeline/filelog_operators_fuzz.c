/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary operators over arbitrary lines. The first byte selects: an expression, a layout of times,
 * a rule or file of a time zone, or a list of operators in YAML. The text ends with NUL; what follows
 * are lines, or the time to parse.
 */
#include "fuzz.h"
#include "pipeline/receivers/filelog/operators/operators.h"

/* libfyaml leaks a buffer on some errors. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libfyaml\n";
}

static void take_entry(void *owner, struct log_entry *entry)
{
	struct arena *arena = owner;
	struct proto_writer w;
	struct value value;

	proto_writer_init(&w, NULL);
	FUZZ_CHECK(!log_node_value(&value, &entry->body, arena, &w));
	FUZZ_CHECK(!log_node_value(&value, &entry->attributes, arena, &w));
	FUZZ_CHECK(entry->resource.kind == VALUE_MAP && entry->attributes.kind == VALUE_MAP);
	proto_writer_fini(&w);
}

static void fuzz_expression(struct str source, struct str rest)
{
	struct arena arena;
	struct log_entry entry = {.body = LOG_NODE_STR(rest),
				  .attributes = {.kind = VALUE_MAP},
				  .resource = {.kind = VALUE_MAP}};
	struct log_node result, body = LOG_NODE_STR(rest);
	struct err e = {0};
	struct expr *x;
	int rc;

	arena_init(&arena, NULL);
	FUZZ_CHECK(!log_node_set(&entry.attributes, &arena, STR("a"), &body));
	rc = expr_compile(&x, source, EXPR_ANY, &arena, &e);
	FUZZ_CHECK(!rc == !e.text[0]);
	if (!rc) {
		rc = expr_eval(x, &entry, &arena, &result, &e);
		FUZZ_CHECK(!rc == !e.text[0]);
		expr_free(x);
	}
	arena_fini(&arena);
}

static void fuzz_time(struct str layout, struct str text, bool go)
{
	struct time_zone *zone;
	struct time_layout l;
	struct err e = {0};
	int64_t ns;

	FUZZ_CHECK(!time_zone_parse_rule(&zone, STR("CET-1CEST,M3.5.0,M10.5.0/3")));
	if (!(go ? time_layout_go(&l, layout, &e) : time_layout_strptime(&l, layout, &e)) &&
	    time_layout_parse(&l, text, zone, 1, &ns, &e))
		FUZZ_CHECK(e.text[0]);
	time_zone_free(zone);
}

static void fuzz_zone(struct str bytes, bool rule)
{
	struct time_zone *zone;

	if (rule ? time_zone_parse_rule(&zone, bytes) : time_zone_parse(&zone, bytes))
		return;
	for (int64_t at = -4000000000; at < 300000000000; at += 1000000000)
		time_zone_offset_of_local(zone, at);
	time_zone_free(zone);
}

static void fuzz_operators(struct str yaml, struct str lines)
{
	struct arena arena, entries;
	struct config config;
	struct operator_list list = {0};
	struct operators *chain = NULL;
	struct log_origin origin = {.id = 1, .path = STR("/a_b_1/c/1.log")};
	struct operator_run run = {
		.arena = &entries, .emit = take_entry, .owner = &entries, .now = 1};
	struct err e = {0};
	struct str line;

	arena_init(&arena, NULL);
	arena_init(&entries, NULL);
	FUZZ_CHECK(!config_init(&config, NULL));
	if (!config_parse(&config, yaml, "fuzz", NULL, NULL, &e) && config.root &&
	    config_get(config.root, STR("o")) &&
	    config_get(config.root, STR("o"))->kind != CONFIG_NULL &&
	    !operators_read(config_get(config.root, STR("o")), "fuzz", &list, &arena, &e))
		FUZZ_CHECK(!operators_new(&chain, &list, &e));
	while (chain && list.n && str_next_line(&lines, &line)) {
		struct log_entry entry = {.body = LOG_NODE_STR(line),
					  .attributes = {.kind = VALUE_MAP},
					  .resource = {.kind = VALUE_MAP},
					  .origin = &origin};

		operators_process(chain, &run, &entry);
		arena_reset(&entries);
	}
	if (chain)
		operators_flush(chain, &run, true);
	FUZZ_CHECK(!origin.held);
	operators_free(chain);
	config_fini(&config);
	arena_fini(&entries);
	arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = str_of((const char *)data + 1, size ? size - 1 : 0), text;

	if (size < 2)
		return 0;
	if (data[0] % 8 == 4) { /* binary */
		fuzz_zone(rest, false);
		return 0;
	}
	text = str_cut(&rest, '\0');
	switch (data[0] % 8) {
	case 0:
	case 1:
		fuzz_expression(text, rest);
		break;
	case 2:
		fuzz_time(text, rest, false);
		break;
	case 3:
		fuzz_time(text, rest, true);
		break;
	case 5:
		fuzz_zone(text, true);
		break;
	default:
		/* references would read files and the environment */
		if (str_find(text, '$') == text.n)
			fuzz_operators(text, rest);
	}
	return 0;
}
