/* SPDX-License-Identifier: Apache-2.0 */
/* Operators, by the entries that come out of a chain. */
#include "pipeline/receivers/filelog/operators/operators.h"

#include <errno.h>

#include "base/clock.h"
#include "signal/otlp/value_text.h"
#include "test/test.h"

struct chain {
	struct config config;
	struct arena arena, entries;
	struct operator_list list;
	struct operators *operators;
	struct operator_run run;
	struct log_origin origin;
	struct buf out; /* the entries that came out, one a line */
	struct err e;
};

static void put_node(struct chain *c, const char *name, const struct log_node *node)
{
	struct proto_writer w;
	struct value value;

	proto_writer_init(&w, NULL);
	assert_ok(log_node_value(&value, node, &c->entries, &w));
	buf_put_str(&c->out, str_from(name));
	assert_ok(otlp_value_text(&c->out, &value));
	proto_writer_fini(&w);
}

static void take_entry(void *owner, struct log_entry *entry)
{
	struct chain *c = owner;
	char time[CLOCK_TEXT_SIZE];

	put_node(c, "", &entry->body);
	put_node(c, " a=", &entry->attributes);
	if (entry->resource.n)
		put_node(c, " r=", &entry->resource);
	if (entry->time)
		buf_printf(&c->out, " t=%s", clock_format(entry->time, time));
	if (entry->severity || entry->severity_text.n)
		buf_printf(&c->out, " s=%u:%.*s", entry->severity, STR_ARG(entry->severity_text));
	if (entry->trace_id[0])
		buf_printf(&c->out, " trace=%02x%02x span=%02x flags=%u", entry->trace_id[0],
			   entry->trace_id[15], entry->span_id[7], entry->flags);
	buf_put_char(&c->out, '\n');
}

/* Read `operators` as YAML. Return 0 or -errno. */
static int chain_begin(struct chain *c, const char *operators)
{
	int rc;

	*c = (struct chain){.origin = {.id = 7, .path = STR("/logs/a.log")}};
	arena_init(&c->arena, NULL);
	arena_init(&c->entries, NULL);
	assert_ok(config_init(&c->config, NULL));
	assert_ok_err(config_parse(&c->config, str_from(operators), "test", NULL, NULL, &c->e),
		      &c->e);
	c->run.arena = &c->entries;
	c->run.emit = take_entry;
	c->run.owner = c;
	c->run.now = (uint64_t)1795000000 * NS_PER_SECOND; /* 2026-11-18 */
	rc = operators_read(config_get(c->config.root, STR("operators")), "filelog", &c->list,
			    &c->arena, &c->e);
	return rc ? rc : operators_new(&c->operators, &c->list, &c->e);
}

static void chain_end(struct chain *c)
{
	operators_free(c->operators);
	config_fini(&c->config);
	arena_fini(&c->arena);
	arena_fini(&c->entries);
	buf_fini(&c->out);
}

static void chain_line(struct chain *c, const char *line, uint64_t offset)
{
	struct log_entry entry = {.body = LOG_NODE_STR(str_from(line)),
				  .attributes = {.kind = VALUE_MAP},
				  .resource = {.kind = VALUE_MAP},
				  .origin = &c->origin,
				  .offset = offset};

	operators_process(c->operators, &c->run, &entry);
	arena_reset(&c->entries);
}

static void expect_lines(const char *operators, const char *const *lines, const char *expected)
{
	struct chain c;

	assert_ok_err(chain_begin(&c, operators), &c.e);
	for (; *lines; lines++)
		chain_line(&c, *lines, 0);
	operators_flush(c.operators, &c.run, true);
	assert_str_equal(buf_str(&c.out), str_from(expected));
	assert_int_equal(c.origin.held, 0);
	chain_end(&c);
}

#define expect(operators, expected, ...)                                                           \
	expect_lines("operators:\n" operators, (const char *const[]){__VA_ARGS__, NULL}, expected)

static void refused(const char *operators, const char *part)
{
	struct chain c;

	assert_int_not_equal(chain_begin(&c, operators), 0);
	assert_err_says(&c.e, part);
	chain_end(&c);
}

static void json_becomes_attributes(void **state)
{
	(void)state;
	expect("- type: json_parser\n",
	       "{\"a\":1,\"b\":{\"c\":[true,null,\"x\"]}} "
	       "a={\"a\":1,\"b\":{\"c\":[true,null,\"x\"]}}\n",
	       "{\"a\":1,\"b\":{\"c\":[true,null,\"x\"]}}");
	expect("- {type: json_parser, parse_to: body}\n", "{\"n\":1000} a={}\n", "{\"n\":1e3}");
	expect("- {type: json_parser, parse_to: attributes.x, parse_from: body}\n"
	       "- {type: remove, field: body}\n",
	       " a={\"x\":{\"k\":\"v\"}}\n", "{\"k\": \"v\"}");
}

static void numbers_are_doubles_unless_integers_are_wanted(void **state)
{
	struct chain c;

	(void)state;
	assert_ok_err(chain_begin(&c,
				  "operators:\n- type: json_parser\n"
				  "- {type: filter, expr: 'attributes.n == 9007199254740993 and "
				  "attributes.n != 9007199254740992'}\n"),
		      &c.e);
	chain_line(&c, "{\"n\": 9007199254740993}", 0);
	assert_int_equal(c.run.failed, 0);
	assert_true(c.out.n > 0); /* a double has no such integer */
	chain_end(&c);
	expect("- {type: json_parser, parse_ints: true}\n- {type: remove, field: body}\n",
	       " a={\"d\":1.5,\"n\":9007199254740993}\n", "{\"n\": 9007199254740993, \"d\": 1.5}");
}

static void what_cannot_be_parsed_is_sent_or_dropped(void **state)
{
	(void)state;
	expect("- {type: json_parser}\n", "no json a={}\n", "no json");
	expect("- {type: json_parser, on_error: send_quiet}\n", "[1] a={}\n", "[1]");
	expect("- {type: json_parser, on_error: drop}\n", "", "no json");
	expect("- {type: json_parser, on_error: drop_quiet, if: 'body startsWith \"{\"'}\n",
	       "plain a={}\n", "plain", "{bad");
}

static void groups_of_an_expression_become_attributes(void **state)
{
	(void)state;
	expect("- {type: regex_parser, regex: '^(?P<host>\\S+) (?P<n>\\d+)?'}\n",
	       "web 12 a={\"host\":\"web\",\"n\":\"12\"}\nweb x a={\"host\":\"web\",\"n\":\"\"}\n",
	       "web 12", "web x");
	refused("operators: [{type: regex_parser, regex: '(a)'}]", "no named group");
	refused("operators: [{type: regex_parser, regex: '(?P<a>'}]", "invalid regular expression");
}

static void times_are_parsed_by_layout(void **state)
{
	(void)state;
	expect("- {type: time_parser, parse_from: body, layout: '%Y-%m-%d %H:%M:%S.%L', location: "
	       "America/New_York}\n",
	       "2026-07-01 08:00:00.250 a={} t=2026-07-01T12:00:00.250Z\n",
	       "2026-07-01 08:00:00.250");
	expect("- {type: time_parser, parse_from: body, layout_type: gotime, layout: 'Jan 2 "
	       "15:04:05', "
	       "location: UTC}\n",
	       "Nov 19 01:02:03 a={} t=2026-11-19T01:02:03.000Z\n"
	       "Dec 24 01:02:03 a={} t=2025-12-24T01:02:03.000Z\n",
	       "Nov 19 01:02:03", "Dec 24 01:02:03");
	expect("- {type: time_parser, parse_from: body, layout_type: epoch, layout: s.ms}\n",
	       "1795000000.125 a={} t=2026-11-18T11:06:40.125Z\n", "1795000000.125");
	expect("- {type: json_parser, timestamp: {parse_from: attributes.t, layout_type: epoch, "
	       "layout: ms}}\n- {type: remove, field: body}\n",
	       " a={\"t\":1795000000125} t=2026-11-18T11:06:40.125Z\n", "{\"t\": 1795000000125}");
	refused("operators: [{type: time_parser, parse_from: body, layout: '%Q'}]",
		"unknown directive %Q");
	refused("operators: [{type: time_parser, parse_from: body, layout: s, layout_type: x}]",
		"unsupported layout_type");
	refused("operators: [{type: time_parser, parse_from: body, layout: '%Y', location: X/Y}]",
		"unknown location");
}

static void severities_follow_the_mapping(void **state)
{
	(void)state;
	expect("- {type: severity_parser, parse_from: body}\n",
	       "Warning a={} s=13:Warning\nERROR3 a={} s=19:ERROR3\nodd a={} s=0:odd\n", "Warning",
	       "ERROR3", "odd");
	expect("- {type: severity_parser, parse_from: body, overwrite_text: true, mapping: {error: "
	       "[5xx, E, {min: 1, max: 3}], info: 2xx}}\n",
	       "503 a={} s=17:ERROR\ne a={} s=17:ERROR\n2 a={} s=17:ERROR\n204 a={} s=9:INFO\n4 "
	       "a={} "
	       "s=4:TRACE4\n",
	       "503", "e", "2", "204", "4");
	expect("- {type: severity_parser, parse_from: body, preset: none}\n",
	       "info a={} s=0:info\n", "info");
	refused("operators: [{type: severity_parser, parse_from: body, mapping: {bad: x}}]",
		"unknown severity \"bad\"");
}

static void ids_of_traces_are_read(void **state)
{
	(void)state;
	expect("- {type: json_parser, parse_to: body, trace: {trace_id: {parse_from: body.tid}}}\n",
	       "{\"span_id\":\"00000000000000ef\",\"tid\":\"ab0000000000000000000000000000cd\","
	       "\"trace_flags\":\"01\"} a={} trace=abcd span=ef flags=1\n",
	       "{\"tid\":\"ab0000000000000000000000000000cd\",\"span_id\":\"00000000000000ef\","
	       "\"trace_flags\":\"01\"}");
}

static void fields_are_moved_about(void **state)
{
	static const char line[] = "{\"a\":{\"b\":1,\"c\":\"x\"},\"d\":\"y\"}";

	(void)state;
	expect("- {type: json_parser, parse_to: body}\n- {type: move, from: body.a.c, to: "
	       "'attributes[\"x.y\"]'}\n",
	       "{\"a\":{\"b\":1},\"d\":\"y\"} a={\"x.y\":\"x\"}\n", line);
	expect("- {type: json_parser, parse_to: body}\n- {type: copy, from: body.a, to: "
	       "resource.r}\n- {type: remove, field: body}\n",
	       " a={} r={\"r\":{\"b\":1,\"c\":\"x\"}}\n", line);
	expect("- {type: json_parser, parse_to: body}\n- {type: flatten, field: body.a}\n",
	       "{\"b\":1,\"c\":\"x\",\"d\":\"y\"} a={}\n", line);
	expect("- {type: json_parser}\n- {type: retain, fields: [attributes.d, attributes.none]}\n"
	       "- {type: move, from: attributes.d, to: body}\n",
	       "y a={}\n", line);
	expect("- {type: add, field: attributes.k, value: {x: [1, two]}}\n- {type: add, field: "
	       "resource.len, value: 'EXPR(body + \"!\")'}\n",
	       "b a={\"k\":{\"x\":[1,\"two\"]}} r={\"len\":\"b!\"}\n", "b");
	expect("- {type: move, from: attributes.none, to: body}\n", "b a={}\n", "b");
	expect("- {type: noop}\n", "b a={}\n", "b");
	refused("operators: [{type: move, from: 'body[x]', to: body}]", "expected a key in quotes");
	refused("operators: [{type: move, from: body}]", "missing required key \"to\"");
}

static void conditions_drop_and_route(void **state)
{
	(void)state;
	expect("- {type: filter, expr: 'body matches \"^#\"'}\n", "keep a={}\n", "# drop", "keep");
	expect("- {type: filter, expr: 'true', drop_ratio: 0}\n", "keep a={}\n", "keep");
	expect("- type: router\n  default: end\n  routes:\n"
	       "  - {output: [one, end], expr: 'body == \"1\"', attributes: {via: x}}\n"
	       "  - {output: two, expr: 'body in [\"2\", \"3\"]'}\n"
	       "- {type: add, id: one, field: attributes.n, value: one, output: end}\n"
	       "- {type: add, id: two, field: attributes.n, value: two}\n"
	       "- {type: noop, id: end}\n",
	       "1 a={\"n\":\"one\",\"via\":\"x\"}\n1 a={\"via\":\"x\"}\n3 a={\"n\":\"two\"}\n4 "
	       "a={}\n",
	       "1", "3", "4");
	refused("operators: [{type: noop, id: a}, {type: noop, output: a}]",
		"has to be a later operator");
	refused("operators: [{type: noop, output: b}]", "operator \"b\" does not exist");
	refused("operators: [{type: noop, id: a}, {type: noop, id: a}]", "is used twice");
	refused("operators: [{type: jason_parser}]", "did you mean \"json_parser\"");
	refused("operators: [{type: noop, on_error: x}]", "unknown \"on_error\"");
	refused("operators:\n- {type: noop, if: 'body =~ 3'}", "test:2:");
}

static void entries_are_combined(void **state)
{
	(void)state;
	expect("- {type: recombine, combine_field: body, is_first_entry: 'body matches "
	       "\"^\\\\S\"'}\n",
	       "a\n b\n c a={}\nd a={}\n", "a", " b", " c", "d");
	expect("- {type: recombine, combine_field: body, is_last_entry: 'body endsWith \";\"', "
	       "combine_with: ''}\n",
	       "ab; a={}\nc a={}\n", "a", "b;", "c");
	expect("- {type: recombine, combine_field: body, is_first_entry: 'body == \"x\"', "
	       "max_unmatched_batch_size: 2, max_batch_size: 3}\n",
	       "1\n2 a={}\nx\n3\n4 a={}\n", "1", "2", "x", "3", "4");
	refused("operators: [{type: recombine, combine_field: body}]", "exactly one of");
}

static void the_fields_of_combined_entries_are_of_the_newest(void **state)
{
	static const char chain[] =
		"operators:\n- {type: regex_parser, regex: '(?P<k>.)$'}\n"
		"- {type: recombine, combine_field: body, is_first_entry: 'body == \"1\"'%s}\n";
	static const char *const cases[][2] = {
		{"", "1\n2\n3 a={\"k\":\"3\"}\n"},
		{", overwrite_with: oldest", "1\n2\n3 a={\"k\":\"1\"}\n"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct buf yaml = {0};

		buf_put_str(&yaml, str_of(chain, (size_t)(strstr(chain, "%s") - chain)));
		buf_put_str(&yaml, str_from(cases[i][0]));
		buf_put_str(&yaml, str_from(strstr(chain, "%s") + 2));
		buf_put_char(&yaml, '\0');
		expect_lines(yaml.p, (const char *const[]){"1", "2", "3", NULL}, cases[i][1]);
		buf_fini(&yaml);
	}
}

static void kept_entries_hold_the_position_of_their_file(void **state)
{
	struct chain c;

	(void)state;
	assert_ok_err(chain_begin(&c, "operators:\n- {type: recombine, combine_field: body, "
				      "is_first_entry: 'body == \"x\"'}\n"),
		      &c.e);
	chain_line(&c, "x", 100);
	chain_line(&c, "y", 102);
	c.origin.held_from = UINT64_MAX;
	operators_held(c.operators);
	assert_int_equal(c.origin.held_from, 100);
	chain_line(&c, "x", 104);
	c.origin.held_from = UINT64_MAX;
	operators_held(c.operators);
	assert_int_equal(c.origin.held_from, 104);
	operators_flush(c.operators, &c.run, false); /* not yet */
	assert_int_equal(c.origin.held, 1);
	c.run.monotonic = 5 * NS_PER_SECOND;
	operators_flush(c.operators, &c.run, false);
	assert_int_equal(c.origin.held, 0);
	assert_str_equal(buf_str(&c.out), STR("x\ny a={}\nx a={}\n"));
	chain_end(&c);
}

static void lines_of_containers_are_parsed(void **state)
{
	(void)state;
	expect("- {type: container}\n",
	       "INFO: line "
	       "a={\"log.iostream\":\"stdout\",\"time\":\"2026-03-30T08:31:20.545192187Z\"} "
	       "t=2026-03-30T08:31:20.545Z\n",
	       "{\"log\":\"INFO: line\\n\",\"stream\":\"stdout\",\"time\":\"2026-03-30T08:31:20."
	       "545192187Z\"}");
	expect("- {type: container}\n",
	       "part one and two "
	       "a={\"log.iostream\":\"stderr\",\"logtag\":\"F\",\"time\":\"2026-06-22T10:27:26Z\"} "
	       "t=2026-06-22T10:27:26.000Z\n",
	       "2026-06-22T10:27:25Z stderr P part one ", "2026-06-22T10:27:26Z stderr F and two");
	expect("- {type: container, format: crio, on_error: drop}\n",
	       "x "
	       "a={\"log.iostream\":\"stdout\",\"logtag\":\"F\",\"time\":\"2026-06-22T10:27:25.8+"
	       "02:"
	       "00\"} t=2026-06-22T08:27:25.800Z\n",
	       "2026-06-22T10:27:25.8+02:00 stdout F x", "no container");
	refused("operators: [{type: container, format: podman}]", "invalid \"format\"");
}

static void the_path_of_a_container_has_its_metadata(void **state)
{
	struct chain c;

	(void)state;
	assert_ok_err(chain_begin(&c, "operators:\n- {type: container}\n- {type: remove, field: "
				      "attributes}\n"),
		      &c.e);
	c.origin.path = STR("/var/log/pods/some_kube-scheduler_49cc7c1fd3702c40b2686ea7486091d3/"
			    "kube-scheduler44/1.log");
	chain_line(&c, "2026-06-22T10:27:25Z stdout F x", 0);
	assert_str_equal(
		buf_str(&c.out),
		STR("x a={} r={\"k8s.container.name\":\"kube-scheduler44\",\"k8s.container."
		    "restart_count\":\"1\",\"k8s.namespace.name\":\"some\",\"k8s.pod.name\":"
		    "\"kube-scheduler\",\"k8s.pod.uid\":\"49cc7c1fd3702c40b2686ea7486091d3\"} "
		    "t=2026-06-22T10:27:25.000Z\n"));
	chain_end(&c);
}

TEST_MAIN(test(json_becomes_attributes), test(numbers_are_doubles_unless_integers_are_wanted),
	  test(what_cannot_be_parsed_is_sent_or_dropped),
	  test(groups_of_an_expression_become_attributes), test(times_are_parsed_by_layout),
	  test(severities_follow_the_mapping), test(ids_of_traces_are_read),
	  test(fields_are_moved_about), test(conditions_drop_and_route), test(entries_are_combined),
	  test(the_fields_of_combined_entries_are_of_the_newest),
	  test(kept_entries_hold_the_position_of_their_file), test(lines_of_containers_are_parsed),
	  test(the_path_of_a_container_has_its_metadata))
