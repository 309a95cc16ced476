/* SPDX-License-Identifier: Apache-2.0 */
/* The language: conditions and statements over spans, logs and metrics, and all kinds of errors. */
#include "ottl_items.h"
#include "pipeline/ottl/ottl.h"
#include "pipeline/ottl/ottl_call.h"

struct bench {
	struct config config;
	struct ottl *ottl;
	struct err e;
};

static int bench_setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	*state = b;
	return !b || config_init(&b->config, NULL) || ottl_new(&b->ottl, NULL, NULL);
}

static int bench_teardown(void **state)
{
	struct bench *b = *state;

	ottl_free(b->ottl);
	config_fini(&b->config);
	free(b);
	return 0;
}

/* Compile one text. */
static int compile(struct bench *b, const struct ottl_options *options, const char *text,
		   struct ottl_program **p)
{
	struct config_node node = {.kind = CONFIG_SCALAR,
				   .text = str_from(text),
				   .source = STR("c.yaml"),
				   .line = 3,
				   .column = 5,
				   .config = &b->config};

	b->e = (struct err){0};
	return ottl_compile(b->ottl, options, &node, p, &b->e);
}

static struct ottl_options options_of(enum signal_kind signal, enum ottl_context context,
				      bool statements)
{
	return (struct ottl_options){.signal = signal,
				     .context = context,
				     .error_mode = OTTL_PROPAGATE,
				     .statements = statements,
				     .filter_functions = !statements};
}

static struct payload *payload_of(enum signal_kind signal)
{
	return signal == SIGNAL_TRACES ? test_spans()
	       : signal == SIGNAL_LOGS ? test_logs()
				       : test_metrics();
}

/* Move to the item `item`, and to its first part in contexts of parts. */
static void move_to(struct ottl_eval *ev, struct otlp_tree *tree, enum ottl_context context,
		    uint32_t item)
{
	ottl_at_resource(ev, &tree->resources[0]);
	ottl_at_scope(ev, &tree->resources[0].scopes[0]);
	ottl_at_item(ev, item);
	if (context == OTTL_SPAN_EVENT || context == OTTL_DATA_POINT) {
		assert_true(ottl_part_count(ev) > 0);
		ottl_at_part(ev, 0);
	}
}

/* Run a statement (or none) on an item of fresh data; return the result of a condition after it. */
static int evaluate(struct bench *b, enum signal_kind signal, enum ottl_context context,
		    uint32_t item, const char *statement, const char *condition)
{
	struct ottl_options options = options_of(signal, context, true);
	struct ottl_program *run = NULL, *test = NULL;
	struct payload *p = payload_of(signal), *written = NULL;
	struct otlp_tree tree, again;
	struct ottl_eval *ev;
	int rc = statement ? compile(b, &options, statement, &run) : 0;

	options.statements = false;
	options.filter_functions = true;
	if (!rc)
		rc = compile(b, &options, condition, &test);
	if (rc) {
		payload_release(p);
		return rc;
	}
	ev = ottl_begin(b->ottl, NULL, &tree);
	assert_non_null(ev);
	assert_int_equal(otlp_tree_read(&tree, p, ottl_arena(ev), &b->e), 0);
	move_to(ev, &tree, ottl_program_context(test), item);
	if (run)
		rc = ottl_run(ev, run, &b->e);
	if (!rc)
		rc = ottl_test(ev, test, &b->e);
	if (run && rc >= 0) {
		/* The written data has to give the same result, unless it is about the cache. */
		assert_int_equal(ottl_finish(ev, &b->e), 0);
		written = otlp_tree_write(&tree, NULL);
		assert_non_null(written);
		assert_int_equal(otlp_tree_read(&again, written, ottl_arena(ev), &b->e), 0);
		ottl_end(ev);
		ev = ottl_begin(b->ottl, NULL, &again);
		assert_int_equal(otlp_tree_read(&again, written, ottl_arena(ev), &b->e), 0);
		move_to(ev, &again, ottl_program_context(test), item);
		if (!strstr(condition, "cache"))
			assert_int_equal(ottl_test(ev, test, &b->e), rc);
	}
	ottl_end(ev);
	payload_release(written);
	payload_release(p);
	return rc;
}

static void assert_condition(struct bench *b, enum signal_kind signal, enum ottl_context context,
			     const char *condition, int expected)
{
	int rc = evaluate(b, signal, context, 0, NULL, condition);

	if (rc != expected)
		fail_msg("%s is %d, expected %d: %s", condition, rc, expected, b->e.text);
}

static void conditions_over_spans(void **state)
{
	static const struct {
		const char *condition;
		int expected;
	} table[] = {
		{"true", 1},
		{"false", 0},
		{"not false", 1},
		{"name == \"GET /users/42\"", 1},
		{"span.name == \"GET /users/42\"", 1},
		{"name != \"x\"", 1},
		{"name < \"H\" and name > \"G\"", 1},
		{"kind == SPAN_KIND_SERVER", 1},
		{"kind.string == \"Server\" and kind.deprecated_string == \"SPAN_KIND_SERVER\"", 1},
		{"status.code == STATUS_CODE_ERROR and status.message == \"boom\"", 1},
		{"attributes[\"code\"] == 500", 1},
		{"attributes[\"code\"] == 500.0", 1},
		{"attributes[\"code\"] >= 499.5", 1},
		{"attributes[\"code\"] == \"500\"", 0},
		{"attributes[\"code\"] != \"500\"", 1},
		{"attributes[\"code\"] < \"500\"", 0},
		{"attributes[\"ratio\"] == 0.5", 1},
		{"attributes[\"ok\"] == true", 1},
		{"attributes[\"ok\"] > false", 1},
		{"attributes[\"missing\"] == nil", 1},
		{"attributes[\"missing\"] != nil", 0},
		{"attributes[\"empty\"] == nil", 0},
		{"attributes[\"empty\"] == \"\"", 1},
		{"attributes[\"nested\"][\"c\"] == 5", 1},
		{"attributes[\"nested\"][\"list\"][0] == \"x\"", 1},
		{"attributes[\"nested\"][\"list\"][1] == 2", 1},
		{"attributes[\"nested\"][\"none\"][\"none\"] == nil", 1},
		{"attributes[\"nested\"] == {\"c\": 5, \"list\": [\"x\", 2]}", 1},
		{"attributes[\"nested\"] == {\"c\": 6, \"list\": [\"x\", 2]}", 0},
		{"attributes[\"nested\"][\"list\"] != [\"x\"]", 1},
		{"resource.attributes[\"service.name\"] == \"shop\"", 1},
		{"scope.name == \"lib\" and instrumentation_scope.version == \"1.2\"", 1},
		{"scope.attributes[\"team\"] == \"red\"", 1},
		{"scope.schema_url == \"https://schema/scope\" and resource.schema_url == \"\"", 1},
		{"trace_id == 0x0102030405060708090a0b0c0d0e0f10", 1},
		{"trace_id.string == \"0102030405060708090a0b0c0d0e0f10\"", 1},
		{"trace_id == TraceID(\"0102030405060708090a0b0c0d0e0f10\")", 1},
		{"span_id == SpanID(0x0102030405060708)", 1},
		{"parent_span_id == SpanID(0x0000000000000000)", 1},
		{"parent_span_id.string == \"\"", 1},
		{"IsRootSpan()", 1},
		{"trace_state == \"a=1,b=2\" and trace_state[\"b\"] == \"2\"", 1},
		{"trace_state[\"c\"] == \"\"", 1},
		{"end_time - start_time == Duration(\"1.5s\")", 1},
		{"end_time_unix_nano - start_time_unix_nano == 1500000000", 1},
		{"end_time > start_time", 1},
		{"start_time + Duration(\"1s500ms\") == end_time", 1},
		{"dropped_attributes_count == 3 and dropped_links_count == 0 and flags == 0", 1},
		{"Len(events) == 2 and Len(links) == 0", 1},
		{"1 + 2 * 3 == 7 and (1 + 2) * 3 == 9 and 7 / 2 == 3 and -7 / 2 == -3", 1},
		{"7 / 2.0 == 3.5 and 1 - 2 - 3 == -4 and +1 == 1", 1},
		{"attributes[\"code\"] + 1 == 501 and -attributes[\"code\"] == -500", 1},
		{"name == \"x\" or kind == 2 and attributes[\"ok\"] == true", 1},
		{"not (name == \"x\" or kind == 3)", 1},
		{"true and not false or false", 1},
		{"\"a\\\"\\u00e9\\n\" == Concat([\"a\", \"\\\"\\xc3\\xa9\\n\"], \"\")", 1},
		{"attributes[Concat([\"me\", \"thod\"], \"\")] == \"GET\"", 1},
		{"Split(\"a,b\", \",\")[1] == \"b\"", 1},
		{"IsMatch(name, \"/users/[0-9]+$\")", 1},
		{"IsMatch(name, Concat([\"^\", \"GET\"], \"\")) and not IsMatch(name, \"^users\")",
		 1},
		{"IsMatch(attributes[\"missing\"], \".*\")", 0},
		{"IsMatch(attributes[\"code\"], \"^5\")", 1},
	};

	for (size_t i = 0; i < countof(table); i++)
		assert_condition(*state, SIGNAL_TRACES, OTTL_SPAN, table[i].condition,
				 table[i].expected);
}

static void conditions_of_other_contexts(void **state)
{
	static const struct {
		enum signal_kind signal;
		const char *condition;
	} table[] = {
		{SIGNAL_TRACES, "spanevent.name == \"first\" and span.kind == 2"},
		{SIGNAL_TRACES, "spanevent.event_index == 0 and spanevent.time_unix_nano == 1000"},
		{SIGNAL_TRACES, "spanevent.attributes[\"kind\"] == \"first\""},
		{SIGNAL_TRACES, "resource.attributes[\"host\"] == \"h1\""},
		{SIGNAL_TRACES, "scope.name == \"lib\" and resource.attributes[\"x\"] == nil"},
		{SIGNAL_LOGS, "log.body == \"hello world\" and log.body.string == \"hello world\""},
		{SIGNAL_LOGS, "log.severity_number < SEVERITY_NUMBER_WARN"},
		{SIGNAL_LOGS, "log.severity_text == \"INFO\" and log.event_name == \"ev\""},
		{SIGNAL_LOGS, "log.time_unix_nano == 1500000000"},
		{SIGNAL_LOGS, "log.trace_id.string == \"\" and log.span_id.string == \"\""},
		{SIGNAL_METRICS, "metric.name == \"requests\" and metric.unit == \"1\""},
		{SIGNAL_METRICS, "metric.type == METRIC_DATA_TYPE_SUM and metric.is_monotonic"
				 " == true"},
		{SIGNAL_METRICS, "metric.aggregation_temporality == "
				 "AGGREGATION_TEMPORALITY_CUMULATIVE"},
		{SIGNAL_METRICS, "Len(metric.data_points) == 3"},
		{SIGNAL_METRICS, "datapoint.value_int == 1 and datapoint.value_double == 0.0"},
		{SIGNAL_METRICS, "datapoint.attributes[\"state\"] == \"idle\" and "
				 "metric.name == \"requests\""},
		{SIGNAL_METRICS, "datapoint.start_time_unix_nano == 1000 and datapoint.flags == 0"},
		{SIGNAL_METRICS, "datapoint.count == nil and datapoint.bucket_counts == nil"},
	};

	for (size_t i = 0; i < countof(table); i++)
		assert_condition(*state, table[i].signal, OTTL_INFER, table[i].condition, 1);
	assert_int_equal(evaluate(*state, SIGNAL_METRICS, OTTL_DATA_POINT, 2, NULL,
				  "count == 3 and sum == 9.5 and bucket_counts == [1, 0, 2] and "
				  "explicit_bounds == [1.0, 2.5] and value_int == nil"),
			 1);
	assert_int_equal(evaluate(*state, SIGNAL_METRICS, OTTL_METRIC, 1, NULL,
				  "is_monotonic == nil and type == METRIC_DATA_TYPE_GAUGE"),
			 1);
}

static const char *const true_conditions[] = {
	"Concat([\"a\", 1, true, nil], \"-\") == \"a-1-true-<nil>\"",
	"Split(\"a,b,,c\", \",\") == [\"a\", \"b\", \"\", \"c\"]",
	"Split(\"ab\", \"\") == [\"a\", \"b\"] and Split(\"\", \",\") == [\"\"]",
	"ToLowerCase(\"AbC\") == \"abc\" and ToUpperCase(\"abC1\") == \"ABC1\"",
	"ToUpperCase(\"\\u00e4\\u0434\") == \"\\u00c4\\u0414\"",
	"ConvertCase(\"httpServerID\", \"snake\") == \"http_server_id\"",
	"ConvertCase(\"http server\", \"camel\") == \"HttpServer\"",
	"ConvertCase(\"ab\", \"upper\") == \"AB\" and ConvertCase(\"AB\", \"lower\") == "
	"\"ab\"",
	"Trim(\"  a b \") == \"a b\" and Trim(\"xaxx\", \"x\") == \"a\"",
	"TrimPrefix(\"abc\", \"a\") == \"bc\" and TrimSuffix(\"abc\", \"bc\") == \"a\"",
	"TrimPrefix(\"abc\", \"x\") == \"abc\"",
	"Substring(\"hello\", 1, 3) == \"ell\"",
	"HasPrefix(\"abc\", \"ab\") and not HasPrefix(\"abc\", \"b\")",
	"HasSuffix(\"abc\", \"bc\") and not HasSuffix(\"abc\", \"b\")",
	"Format(\"%s-%03d-%.2f%%-%x-%q\", [\"a\", 7, 1.5, 255, \"b\"]) == "
	"\"a-007-1.50%-ff-\\\"b\\\"\"",
	"Format(\"%v %s\", [1.5, nil]) == \"1.5 <nil>\"",
	"ExtractPatterns(name, \"^(?P<verb>\\\\w+) /(?P<what>\\\\w+)\") == "
	"{\"verb\": \"GET\", \"what\": \"users\"}",
	"Len(ExtractPatterns(name, \"(?P<x>nothing)\")) == 0",
	"Int(\"12\") == 12 and Int(1.9) == 1 and Int(true) == 1 and Int(\"x\") == nil",
	"Int(nil) == nil and Int(-1.9) == -1 and Int(1.0e300) == 9223372036854775807",
	"Double(\"1.5\") == 1.5 and Double(2) == 2.0 and Double(nil) == nil",
	"String(12) == \"12\" and String(true) == \"true\" and String(nil) == nil",
	"String(0x01ff) == \"01ff\" and String({\"a\": [1, \"b\"]}) == "
	"\"{\\\"a\\\":[1,\\\"b\\\"]}\"",
	"Bool(\"true\") == true and Bool(0) == false and Bool(\"F\") == false",
	"ParseInt(\"ff\", 16) == 255 and ParseInt(\"-0x10\", 0) == -16",
	"IsString(\"a\") and IsInt(1) and IsDouble(1.0) and IsBool(true)",
	"IsMap({}) and IsList([]) and not IsString(1) and not IsInt(nil)",
	"IsMap(attributes) and IsList(attributes[\"nested\"][\"list\"])",
	"IsEmpty(nil) and IsEmpty(\"\") and IsEmpty([]) and not IsEmpty([1])",
	"Len(\"h\\u00e9\") == 2 and Len([1, 2]) == 2 and Len(attributes) == 7",
	"Coalesce([nil, attributes[\"missing\"], \"x\"]) == \"x\"",
	"Keys({\"a\": 1, \"b\": 2}) == [\"a\", \"b\"] and Values({\"a\": 1}) == [1]",
	"ContainsValue([1, \"a\"], \"a\") and not ContainsValue([1], 2)",
	"Index([\"a\", \"b\"], \"b\") == 1 and Index(\"hello\", \"l\") == 2",
	"Index(\"hello\", \"z\") == -1 and Index([], 1) == -1",
	"Sort([3, 1, 2]) == [1, 2, 3] and Sort([\"b\", \"a\"], \"desc\") == [\"b\", \"a\"]",
	"Sort([2, 1.5, 3]) == [1.5, 2, 3] and Sort([10, \"9\"]) == [\"10\", \"9\"]",
	"SliceToMap([{\"k\": \"a\", \"v\": 1}], [\"k\"], [\"v\"]) == {\"a\": 1}",
	"SHA256(\"a\") == "
	"\"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb\"",
	"SHA1(\"a\") == \"86f7e437faa5a7fce15d1ddcb9eaeaea377667b8\"",
	"MD5(\"a\") == \"0cc175b9c0f1b6a831c399e269772661\"",
	"HasPrefix(SHA512(\"a\"), \"1f40fc92da241694\")",
	"FNV(\"hello\") == -6615550055289275125",
	"Hex(\"hi\") == \"6869\" and Hex(1) == \"0000000000000001\" and Hex(true) == "
	"\"01\"",
	"Base64Encode(\"hi\") == \"aGk=\" and Base64Decode(\"aGk=\") == \"hi\"",
	"Len(UUID()) == 36 and UUID() != UUID()",
	"ParseJSON(\"{\\\"a\\\": [1, null, {\\\"b\\\": false}]}\") == "
	"{\"a\": [1.0, nil, {\"b\": false}]}",
	"ParseJSON(\"[1]\")[0] == 1.0",
	"ParseKeyValue(\"a=1 b='x y' c=\\\"z\\\"\") == {\"a\": \"1\", \"b\": \"x y\", "
	"\"c\": \"z\"}",
	"ParseKeyValue(\"a:1;b:2\", \":\", \";\")[\"b\"] == \"2\"",
	"ToKeyValueString({\"b\": 1, \"a\": \"x y\"}, \"=\", \" \", true) == \"a=\\\"x "
	"y\\\" b=1\"",
	"ParseCSV(\"1,\\\"a,\\\"\\\"b\\\"\\\"\\\",\", \"x,y,z\") == "
	"{\"x\": \"1\", \"y\": \"a,\\\"b\\\"\", \"z\": \"\"}",
	"ParseCSV(\"1|2\", \"a b\", \"|\", header_delimiter=\" \")[\"b\"] == \"2\"",
	"ParseCSV(\"\\\"1,2\", \"a,b\", mode=\"ignoreQuotes\")[\"a\"] == \"\\\"1\"",
	"URL(attributes[\"url\"])[\"url.domain\"] == \"shop.de\"",
	"URL(attributes[\"url\"])[\"url.port\"] == 8443",
	"URL(attributes[\"url\"]) == {\"url.original\": attributes[\"url\"], "
	"\"url.scheme\": \"https\", \"url.username\": \"me\", \"url.password\": \"pw\", "
	"\"url.domain\": \"shop.de\", \"url.port\": 8443, \"url.path\": \"/a/b.html\", "
	"\"url.extension\": \"html\", \"url.query\": \"q=1\", \"url.fragment\": \"top\"}",
	"Time(\"2025-11-15T09:37:00Z\", \"%Y-%m-%dT%H:%M:%S%z\") == start_time",
	"Time(\"15 Nov 2025 10:37:01.5 AM +0100\", \"%d %b %Y %I:%M:%S.%f %p %z\") == "
	"end_time",
	"UnixSeconds(Time(\"1970-060\", \"%Y-%j\")) == 5097600",
	"FormatTime(end_time, \"%F %T.%L %a %j %p\") == \"2025-11-15 09:37:01.500 Sat 319 "
	"AM\"",
	"Unix(1763199420) == start_time and Unix(1763199421, 500000000) == end_time",
	"UnixNano(start_time) == start_time_unix_nano and UnixMilli(end_time) == "
	"1763199421500",
	"UnixMicro(end_time) == 1763199421500000 and UnixSeconds(end_time) == 1763199421",
	"Now() > end_time and Now() - Now() <= Duration(\"0s\")",
	"TruncateTime(end_time, Duration(\"1h\")) == Unix(1763197200)",
	"Year(end_time) == 2025 and Month(end_time) == 11 and Day(end_time) == 15",
	"Hour(end_time) == 9 and Minute(end_time) == 37 and Second(end_time) == 1",
	"Nanosecond(end_time) == 500000000 and Weekday(end_time) == 6",
	"Hours(Duration(\"90m\")) == 1.5 and Minutes(Duration(\"90s\")) == 1.5",
	"Seconds(Duration(\"1500ms\")) == 1.5 and Milliseconds(Duration(\"1.5s\")) == 1500",
	"Microseconds(Duration(\"2ms\")) == 2000 and Nanoseconds(Duration(\"-1us\")) == "
	"-1000",
	"ProfileID(0x0102030405060708090a0b0c0d0e0f10) == trace_id",
};

static void converters(void **state)
{
	for (size_t i = 0; i < countof(true_conditions); i++)
		assert_condition(*state, SIGNAL_TRACES, OTTL_SPAN, true_conditions[i], 1);
}

/* Each statement is followed by a condition, also after the data was written and read again. */
static const struct {
	const char *statement, *condition;
} edits[] = {
	{"set(name, \"x\")", "name == \"x\""},
	{"set(name, nil)", "name == \"GET /users/42\""},
	{"set(name, \"x\") where kind == 3", "name == \"GET /users/42\""},
	{"set(name, \"\")", "name == \"\" and kind == 2"},
	{"set(kind, SPAN_KIND_CLIENT)", "kind == 3"},
	{"set(kind.string, \"consumer\")", "kind == SPAN_KIND_CONSUMER"},
	{"set(status.code, STATUS_CODE_OK)", "status.code == 1 and status.message == \"boom\""},
	{"set(status.message, \"m\")", "status.code == 2 and status.message == \"m\""},
	{"set(start_time, Unix(1))", "start_time_unix_nano == 1000000000"},
	{"set(end_time_unix_nano, 5)", "UnixNano(end_time) == 5"},
	{"set(trace_id, TraceID(0xffffffffffffffffffffffffffffffff))",
	 "trace_id.string == \"ffffffffffffffffffffffffffffffff\""},
	{"set(span_id.string, \"1111111111111111\")", "span_id == 0x1111111111111111"},
	{"set(parent_span_id, SpanID(0x0000000000000001))", "not IsRootSpan()"},
	{"set(trace_state[\"b\"], \"3\")", "trace_state == \"b=3,a=1\""},
	{"set(trace_state, \"z=1\")", "trace_state[\"z\"] == \"1\""},
	{"set(flags, 257)", "flags == 257"},
	{"set(attributes[\"new\"], \"v\")", "attributes[\"new\"] == \"v\" and "
					    "attributes[\"code\"] == 500"},
	{"set(attributes[\"code\"], 1.5)", "attributes[\"code\"] == 1.5"},
	{"set(attributes[\"nested\"][\"c\"], 6)",
	 "attributes[\"nested\"] == {\"c\": 6, \"list\": [\"x\", 2]}"},
	{"set(attributes[\"nested\"][\"list\"][0], true)",
	 "attributes[\"nested\"][\"list\"] == [true, 2]"},
	{"set(attributes[\"a\"][\"b\"][\"c\"], 0x01)",
	 "attributes[\"a\"] == {\"b\": {\"c\": 0x01}}"},
	{"set(attributes, {\"only\": [1, {\"x\": nil}]})",
	 "attributes == {\"only\": [1, {\"x\": nil}]}"},
	{"set(attributes[\"copy\"], attributes[\"nested\"])",
	 "attributes[\"copy\"] == attributes[\"nested\"]"},
	{"set(attributes[\"all\"], attributes)", "Len(attributes[\"all\"]) == 7"},
	{"set(resource.attributes[\"host\"], Concat([\"h\", name], \"\"))",
	 "resource.attributes[\"host\"] == Concat([\"h\", name], \"\")"},
	{"set(resource.schema_url, \"u\")", "resource.schema_url == \"u\""},
	{"set(scope.schema_url, \"u\")", "scope.schema_url == \"u\""},
	{"set(scope.name, \"s\")", "scope.name == \"s\" and scope.version == \"1.2\""},
	{"set(cache[\"x\"], name)", "cache[\"x\"] == name"},
	{"delete_key(attributes, \"code\")",
	 "attributes[\"code\"] == nil and Len(attributes) == 6"},
	{"delete_key(attributes, \"none\")", "Len(attributes) == 7"},
	{"delete_key(attributes[\"nested\"], \"c\")",
	 "attributes[\"nested\"] == {\"list\": [\"x\", 2]}"},
	{"delete_matching_keys(attributes, \"^(m|u)\")",
	 "Keys(attributes) == [\"empty\", \"code\", \"ratio\", \"ok\", \"nested\"]"},
	{"keep_keys(attributes, [\"ok\", \"code\"])", "Keys(attributes) == [\"code\", \"ok\"]"},
	{"keep_matching_keys(attributes, \"^o\")", "attributes == {\"ok\": true}"},
	{"limit(attributes, 3, [\"ok\"])", "Keys(attributes) == [\"method\", \"url\", \"ok\"]"},
	{"limit(attributes, 100)", "Len(attributes) == 7"},
	{"truncate_all(attributes, 2)", "attributes[\"url\"] == \"ht\" and "
					"attributes[\"method\"] == \"GE\""},
	{"truncate_all(attributes, 5, marker=\"..\")", "attributes[\"url\"] == \"htt..\""},
	{"truncate_all(resource.attributes, 1)", "resource.attributes[\"host\"] == \"h\""},
	{"replace_pattern(name, \"/users/(\\\\d+)\", \"/u/$1/${1}\")", "name == \"GET /u/42/42\""},
	{"replace_pattern(name, \"(?P<n>\\\\d+)\", \"<${n}>$1x$$\")",
	 "name == \"GET /users/<42>$\""},
	{"replace_pattern(name, \"none\", \"x\")", "name == \"GET /users/42\""},
	{"replace_pattern(name, \"\\\\d*$\", \"{id}\")", "name == \"GET /users/{id}\""},
	{"replace_pattern(name, \"\\\\d+\", \"$0\", SHA1)",
	 "name == \"GET /users/92cfceb39d57d914ed8b14d0e37643de0797ae56\""},
	{"replace_pattern(name, \"\\\\d+\", \"$0\", MD5, \"<%s>\")",
	 "name == Concat([\"GET /users/<\", MD5(\"42\"), \">\"], \"\")"},
	{"replace_all_patterns(attributes, \"value\", \"[A-Z]+\", \"x\")",
	 "attributes[\"method\"] == \"x\" and attributes[\"code\"] == 500"},
	{"replace_all_patterns(attributes, \"key\", \"^meth\", \"http.meth\")",
	 "attributes[\"http.method\"] == \"GET\" and attributes[\"method\"] == nil"},
	{"replace_all_patterns(attributes, \"key\", \"^code$\", \"method\")",
	 "attributes[\"method\"] == 500 and Len(attributes) == 6"},
	{"replace_match(name, \"GET /*/??\", \"route\")", "name == \"route\""},
	{"replace_match(name, \"GET\", \"route\")", "name == \"GET /users/42\""},
	{"replace_match(name, \"{PUT,GET} /[a-z]*\", \"r\")", "name == \"r\""},
	{"replace_all_matches(attributes, \"G*T\", \"g\")", "attributes[\"method\"] == \"g\""},
	{"merge_maps(attributes, {\"code\": 1, \"n\": 2}, \"insert\")",
	 "attributes[\"code\"] == 500 and attributes[\"n\"] == 2"},
	{"merge_maps(attributes, {\"code\": 1, \"n\": 2}, \"update\")",
	 "attributes[\"code\"] == 1 and attributes[\"n\"] == nil"},
	{"merge_maps(attributes, {\"code\": 1, \"n\": 2}, \"upsert\")",
	 "attributes[\"code\"] == 1 and attributes[\"n\"] == 2"},
	{"merge_maps(attributes, ParseJSON(\"{\\\"j\\\": {\\\"k\\\": 1}}\"), \"upsert\")",
	 "attributes[\"j\"][\"k\"] == 1.0"},
	{"flatten(attributes)", "attributes[\"nested.c\"] == 5 and "
				"attributes[\"nested.list.1\"] == 2 and "
				"attributes[\"nested\"] == nil"},
	{"flatten(attributes, \"p\", 1)", "attributes[\"p.nested.c\"] == 5 and "
					  "attributes[\"p.nested.list\"] == [\"x\", 2]"},
	{"append(attributes[\"method\"], \"b\")", "attributes[\"method\"] == [\"GET\", \"b\"]"},
	{"append(attributes[\"nested\"][\"list\"], values=[3, 4])",
	 "attributes[\"nested\"][\"list\"] == [\"x\", 2, 3, 4]"},
	{"append(attributes[\"tags\"], \"a\")", "attributes[\"tags\"] == [\"a\"]"},
	{"delete_index(attributes[\"nested\"][\"list\"], 0)",
	 "attributes[\"nested\"][\"list\"] == [2]"},
};

static void editors(void **state)
{
	for (size_t i = 0; i < countof(edits); i++) {
		struct bench *b = *state;
		int rc = evaluate(b, SIGNAL_TRACES, OTTL_SPAN, 0, edits[i].statement,
				  edits[i].condition);

		if (rc != 1)
			fail_msg("after %s: %s is %d: %s", edits[i].statement, edits[i].condition,
				 rc, b->e.text);
	}
}

static void editors_of_other_contexts(void **state)
{
	static const struct {
		enum signal_kind signal;
		uint32_t item;
		const char *statement, *condition;
	} table[] = {
		{SIGNAL_TRACES, 0, "set(spanevent.name, span.name)",
		 "spanevent.name == \"GET /users/42\""},
		{SIGNAL_TRACES, 0,
		 "set(span.name, spanevent.name) where spanevent.event_index == 0",
		 "span.name == \"first\" and spanevent.name == \"first\""},
		{SIGNAL_TRACES, 0, "set(resource.attributes[\"n\"], 1)",
		 "resource.attributes[\"n\"] == 1"},
		{SIGNAL_LOGS, 0, "set(log.body, {\"msg\": log.body})",
		 "log.body[\"msg\"] == \"hello world\""},
		{SIGNAL_LOGS, 2, "set(log.body, ParseJSON(log.body))",
		 "log.body == {\"a\": 1.0, \"b\": [true]} and log.body[\"b\"][0] == true"},
		{SIGNAL_LOGS, 2, "merge_maps(log.attributes, ParseJSON(log.body), \"upsert\")",
		 "log.attributes[\"a\"] == 1.0"},
		{SIGNAL_LOGS, 0, "set(log.body.string, \"x\")", "log.body == \"x\""},
		{SIGNAL_LOGS, 0, "set(log.severity_number, SEVERITY_NUMBER_FATAL)",
		 "log.severity_number == 21"},
		{SIGNAL_METRICS, 0, "set(metric.name, Concat([\"my\", metric.name], \".\"))",
		 "metric.name == \"my.requests\""},
		{SIGNAL_METRICS, 0, "set(metric.is_monotonic, false)",
		 "metric.is_monotonic == false and Len(metric.data_points) == 3"},
		{SIGNAL_METRICS, 0, "set(metric.metadata[\"k\"], \"v\")",
		 "metric.metadata[\"k\"] == \"v\""},
		{SIGNAL_METRICS, 0, "set(datapoint.value_int, 7)", "datapoint.value_int == 7"},
		{SIGNAL_METRICS, 0, "set(datapoint.value_double, 0.0)",
		 "datapoint.value_double == 0.0 and datapoint.value_int == 0"},
		{SIGNAL_METRICS, 0, "set(datapoint.attributes[\"n\"], metric.name)",
		 "datapoint.attributes[\"n\"] == \"requests\""},
		{SIGNAL_METRICS, 0,
		 "set(metric.aggregation_temporality, 1) where datapoint.value_int == 1",
		 "metric.aggregation_temporality == 1 and datapoint.value_int == 1"},
		{SIGNAL_METRICS, 2, "set(datapoint.bucket_counts, [4, 5, 6])",
		 "datapoint.bucket_counts == [4, 5, 6]"},
		{SIGNAL_METRICS, 2, "set(datapoint.count, 15)", "datapoint.count == 15"},
		{SIGNAL_METRICS, 2, "set(datapoint.value_int, 15)", "datapoint.value_int == nil"},
	};

	for (size_t i = 0; i < countof(table); i++) {
		struct bench *b = *state;
		int rc = evaluate(b, table[i].signal, OTTL_INFER, table[i].item, table[i].statement,
				  table[i].condition);

		if (rc != 1)
			fail_msg("after %s: %s is %d: %s", table[i].statement, table[i].condition,
				 rc, b->e.text);
	}
}

static void errors_of_conditions_name_the_reason(void **state)
{
	static const struct {
		const char *condition, *error;
	} table[] = {
		{"1 / 0 == 1", "attempted to divide by 0"},
		{"name + 1 == 1", "cannot compute string + int64"},
		{"attributes[\"missing\"] * 2 == 1", "cannot compute nil * int64"},
		{"name[\"a\"] == 1", "does not support indexing"},
		{"attributes[\"nested\"][\"list\"][9] == 1",
		 "index 9 out of bounds of a list of 2"},
		{"Substring(\"abc\", 1, 3) == \"\"", "invalid range"},
		{"Double(\"x\") == 1.0", "cannot convert \"x\" to double"},
		{"ToLowerCase(attributes[\"code\"]) == \"\"", "expected string but got int64"},
		{"ParseJSON(name) == nil", "at byte 0"},
		{"ParseJSON(\"1\") == nil", "neither an object nor an array"},
		{"Split(attributes[\"missing\"], \",\") == nil", "expected string but got nil"},
		{"Keys(name) == nil", "expected map but got string"},
		{"Time(\"x\", \"%Y\") == nil", "cannot parse time \"x\""},
		{"Time(\"2025-02-30\", \"%F\") == nil", "cannot parse time"},
		{"Time(\"2025\", \"%Y\", \"Europe/Berlin\") == nil", "location"},
		{"Duration(\"5 apples\") == nil", "invalid duration"},
		{"Len(1) == 1", "target arg must be"},
		{"TraceID(\"xx\") == nil", "an id needs 16 bytes"},
		{"Format(\"%d\", [\"x\"]) == \"\"", "does not fit string"},
		{"Format(\"%s\", []) == \"\"", "only 0 values"},
		{"Format(\"%y\", [1]) == \"\"", "unknown directive"},
		{"ExtractPatterns(name, \"a\") == nil", "named capture group"},
		{"ParseCSV(\"1\", \"a,b\") == nil", "wrong number of fields: expected 2, found 1"},
		{"ParseKeyValue(\"a\") == nil", "cannot split"},
		{"Concat([\"a\"], \"\")", "a condition needs a bool but Concat returned string"},
		{"IsMatch(name, Concat([\"(\"], \"\"))", "invalid regular expression"},
		{"Base64Decode(\"%\") == nil", "is not base64"},
		{"Bool({}) == nil", "cannot convert map to bool"},
		{"ParseInt(\"99999999999999999999\", 10) == 1", "as integer"},
		{"URL(\"http://a:999999/\") == nil", "invalid port"},
	};

	for (size_t i = 0; i < countof(table); i++) {
		struct bench *b = *state;

		assert_condition(b, SIGNAL_TRACES, OTTL_SPAN, table[i].condition, -EINVAL);
		assert_err_says(&b->e, table[i].error);
		assert_err_says(&b->e, "failed to execute condition: ");
	}
}

static void errors_of_statements_name_the_reason(void **state)
{
	static const struct {
		const char *statement, *error;
	} table[] = {
		{"set(name, 1)", "name expects string but got int64"},
		{"set(start_time, 1)", "start_time expects time but got int64"},
		{"set(trace_id, \"x\")", "trace_id expects bytes: use TraceID(...)"},
		{"set(attributes, 1)", "attributes expects map but got int64"},
		{"set(attributes[\"t\"], Now())", "cannot hold a time"},
		{"set(attributes[\"method\"][\"x\"], 1)", "type string does not support indexing"},
		{"set(kind.string, \"none\")", "unknown span kind"},
		{"delete_key(attributes[\"code\"], \"x\")", "expected map but got int64"},
		{"delete_key(attributes[\"missing\"], \"x\")", "expected map but got nil"},
		{"limit(attributes, -1)", "cannot be negative"},
		{"limit(attributes, 1, [\"a\", \"b\"])", "2 priority keys"},
		{"truncate_all(attributes, -1)", "cannot be negative"},
		{"append(attributes[\"a\"])", "needs value or values"},
		{"flatten(attributes, \"\", 0)", "at least 1"},
		{"delete_index(attributes[\"nested\"][\"list\"], 5)", "not in the list of 2"},
		{"replace_pattern(name, \".\", \"x\", Len)", "replacement function"},
	};

	for (size_t i = 0; i < countof(table); i++) {
		struct bench *b = *state;
		int rc = evaluate(b, SIGNAL_TRACES, OTTL_SPAN, 0, table[i].statement, "true");

		if (rc != -EINVAL)
			fail_msg("%s: %d", table[i].statement, rc);
		assert_err_says(&b->e, table[i].error);
	}
}

static void mistakes_are_found_when_texts_are_compiled(void **state)
{
	static const struct {
		bool statement;
		const char *text, *error;
	} table[] = {
		{false, "name = \"a\"",
		 "condition has invalid syntax: 1:6: unexpected token \"=\""},
		{false, "name ==", "1:8: unexpected end of the text: expected a value"},
		{false, "name == \"a\" name", "1:13: unexpected token \"name\""},
		{false, "name == \"a", "1:9: the string has no closing quote"},
		{false, "name == 'a'", "1:9: invalid input text \"'a'\""},
		{false, "name == \"\\q\"", "1:10: unknown escape"},
		{false, "name ==\n  )", "2:3: unexpected token \")\""},
		{false, "name", "1:1: \"name\" is not a condition"},
		{false, "1 + \"a\" == 2", "1:5: \"\"a\"\" is not a number, path or converter"},
		{false, "(name == \"a\") == true", "is not a value"},
		{false, "0x123 == nil", "even number of hex digits"},
		{false, "99999999999999999999 == 1", "out of range"},
		{false, "nam == \"a\"",
		 "is not a valid path of context span; did you mean \"name\"?"},
		{false, "attributs[\"a\"] == 1", "did you mean \"attributes\"?"},
		{false, "span.attributes.x == 1", "segment \"attributes.x\" from path"},
		{false, "spanevent.name == \"x\"", "is not available in context span"},
		{false, "resource.name == \"x\"", "is not a valid path of context resource"},
		{false, "otelcol.x == 1", "otelcol.client.metadata"},
		{false, "attributes[\"a\"].b == 1", "expected the end of the path after its keys"},
		{false, "kind == SPAN_KIND_SERVR",
		 "unknown enum \"SPAN_KIND_SERVR\"; did you mean "
		 "\"SPAN_KIND_SERVER\"?"},
		{false, "IsMtch(name, \"a\")",
		 "undefined function \"IsMtch\"; did you mean \"IsMatch\""},
		{false, "IsMatch(name)", "incorrect number of arguments. Expected: 2 Received: 1"},
		{false, "IsMatch(name, \"a\", 1)", "Expected: 2 Received: 3"},
		{false, "IsMatch(name, \"(\")",
		 "1:15: IsMatch: invalid argument at position 1: "
		 "invalid regular expression"},
		{false, "IsMatch(name, 1)", "must be a string"},
		{false, "Substring(name, lenght=1, start=0) == \"\"",
		 "no such parameter: lenght; did "
		 "you mean \"length\"?"},
		{false, "Trim(target=name, target=name) == \"\"", "is given twice"},
		{false, "Trim(target=name, \"x\") == \"\"", "expected a named argument"},
		{false, "ConvertCase(name, \"up\") == \"\"", "lower|upper|snake|camel"},
		{false, "set(name, \"a\") == 1", "only converters"},
		{false, "Copy() == 1", "undefined function"},
		{false, "convert_sum_to_gauge()", "only converters"},
		{true, "name == \"a\"", "unexpected token \"==\""},
		{true, "Set(name, 1)", "expected an editor"},
		{true, "sett(name, 1)", "undefined function \"sett\"; did you mean \"set\"?"},
		{true, "set(\"a\", 1)", "must be a path"},
		{true, "set(Concat([], \"\"), 1)", "must be a path"},
		{true, "set(events, [])", "the path is read-only"},
		{true, "set(name, \"a\") if true", "unexpected token \"if\": expected \"where\""},
		{true, "set(name, \"a\") where", "unexpected end"},
		{true, "set(name, name == \"a\")", "a condition cannot stand here"},
		{true, "merge_maps(attributes, {}, \"x\")", "insert|update|upsert"},
		{true, "replace_pattern(name, \"a\", \"b\", Nothing)",
		 "must be the name of a converter"},
		{true, "set(name, \"a\" ", "expected \",\""},
		{true, "convert_sum_to_gauge()", "does not exist in context span"},
	};
	struct bench *b = *state;

	for (size_t i = 0; i < countof(table); i++) {
		struct ottl_options options =
			options_of(SIGNAL_TRACES, OTTL_SPAN, table[i].statement);
		struct ottl_program *p;
		int rc = compile(b, &options, table[i].text, &p);

		if (rc != -EINVAL)
			fail_msg("%s: %d", table[i].text, rc);
		assert_err_says(&b->e, table[i].error);
		assert_err_says(&b->e, "c.yaml:3:5: unable to parse OTTL ");
	}
}

static void contexts_are_inferred(void **state)
{
	static const struct {
		enum signal_kind signal;
		const char *text;
		enum ottl_context context; /* OTTL_CONTEXTS: an error */
		const char *error;
	} table[] = {
		{SIGNAL_TRACES, "span.name == \"a\" and resource.attributes[\"x\"] == 1", OTTL_SPAN,
		 ""},
		{SIGNAL_TRACES, "spanevent.name == span.name", OTTL_SPAN_EVENT, ""},
		{SIGNAL_TRACES, "IsRootSpan() and resource.attributes[\"x\"] == 1", OTTL_SPAN, ""},
		{SIGNAL_METRICS, "metric.name == \"a\"", OTTL_METRIC, ""},
		{SIGNAL_METRICS, "datapoint.flags == 1 or metric.name == \"\"", OTTL_DATA_POINT,
		 ""},
		{SIGNAL_LOGS, "scope.name == \"\"", OTTL_SCOPE, ""},
		{SIGNAL_LOGS, "resource.attributes[scope.name] == \"\"", OTTL_SCOPE, ""},
		{SIGNAL_LOGS, "resource.attributes[\"a\"] == \"\"", OTTL_RESOURCE, ""},
		{SIGNAL_PROFILES, "profile.period == 1", OTTL_PROFILE, ""},
		{SIGNAL_LOGS, "span.name == \"a\"", OTTL_CONTEXTS, "does not exist for logs"},
		{SIGNAL_LOGS, "true", OTTL_LOG, ""},
		{SIGNAL_METRICS, "name == \"a\"", OTTL_CONTEXTS,
		 "\"metric.name\", \"datapoint.name\""},
		{SIGNAL_LOGS, "log.body == name", OTTL_CONTEXTS,
		 "missing context name for path \"name\", possibly valid options are: "
		 "\"log.name\""},
	};
	struct bench *b = *state;

	for (size_t i = 0; i < countof(table); i++) {
		struct ottl_options options = options_of(table[i].signal, OTTL_INFER, false);
		struct ottl_program *p;
		int rc = compile(b, &options, table[i].text, &p);

		if (table[i].context == OTTL_CONTEXTS) {
			assert_int_equal(rc, -EINVAL);
			assert_err_says(&b->e, table[i].error);
			continue;
		}
		assert_ok_err(rc, &b->e);
		assert_int_equal(ottl_program_context(p), table[i].context);
	}
}

/* Texts that are nested or long do not use up the stack. */
static void depth_is_limited(void **state)
{
	static const char *const repeated[] = {"(",	  "not ",	 "[",
					       "-",	  "Len(",	 "1 + ",
					       "{\"a\":", "attributes[", "1 == 1 and (",
					       "1 * "};
	struct bench *b = *state;

	for (size_t i = 0; i < countof(repeated); i++) {
		struct ottl_options options = options_of(SIGNAL_TRACES, OTTL_SPAN, false);
		struct ottl_program *p;
		struct buf text = {0};

		for (unsigned k = 0; k < 5000; k++)
			buf_put_str(&text, str_from(repeated[i]));
		buf_put_char(&text, '\0');
		assert_int_equal(compile(b, &options, text.p, &p), -EINVAL);
		buf_fini(&text);
	}
}

/* An item that no statement changes keeps its bytes, and so does the payload. */
static void unchanged_items_keep_their_bytes(void **state)
{
	static const char *const statements[] = {
		"set(name, \"GET /users/42\")",
		"set(attributes[\"code\"], 500)",
		"set(attributes[\"nested\"], {\"c\": 5, \"list\": [\"x\", 2]})",
		"delete_key(attributes, \"none\")",
		"keep_matching_keys(attributes, \".\")",
		"replace_all_patterns(attributes, \"value\", \"none\", \"x\")",
		"set(attributes[\"a\"], 1) where name == \"x\"",
		"set(status.code, 2)",
		"set(cache[\"a\"], attributes)",
		"limit(attributes, 50)",
	};
	struct bench *b = *state;

	for (size_t i = 0; i < countof(statements); i++) {
		struct ottl_options options = options_of(SIGNAL_TRACES, OTTL_SPAN, true);
		struct ottl_program *p;
		struct payload *payload = test_spans();
		struct otlp_tree tree;
		struct ottl_eval *ev;

		assert_ok_err(compile(b, &options, statements[i], &p), &b->e);
		ev = ottl_begin(b->ottl, NULL, &tree);
		assert_ok(otlp_tree_read(&tree, payload, ottl_arena(ev), &b->e));
		move_to(ev, &tree, OTTL_SPAN, 0);
		assert_ok_err(ottl_run(ev, p, &b->e), &b->e);
		assert_ok(ottl_finish(ev, &b->e));
		if (tree.changed)
			fail_msg("%s changed the span", statements[i]);
		ottl_end(ev);
		payload_release(payload);
	}
}

/* Values that double in size with each statement end at the memory limit. */
static void memory_is_limited(void **state)
{
	struct budget budget = {.limit = 8 * MIB};
	struct bench *b = *state;
	struct ottl_options options = options_of(SIGNAL_TRACES, OTTL_SPAN, true);
	struct ottl_program *p;
	struct payload *payload = test_spans();
	struct otlp_tree tree;
	struct ottl_eval *ev;
	int rc = 0;

	ottl_free(b->ottl);
	assert_ok(ottl_new(&b->ottl, NULL, &budget));
	assert_ok_err(compile(b, &options,
			      "set(attributes[\"x\"], [attributes[\"x\"], attributes[\"x\"], "
			      "name])",
			      &p),
		      &b->e);
	ev = ottl_begin(b->ottl, NULL, &tree);
	assert_ok(otlp_tree_read(&tree, payload, ottl_arena(ev), &b->e));
	move_to(ev, &tree, OTTL_SPAN, 0);
	for (unsigned i = 0; i < 80 && !rc; i++)
		rc = ottl_run(ev, p, &b->e);
	assert_int_equal(rc, -ENOMEM);
	ottl_end(ev);
	payload_release(payload);
}

static void assert_documented(const char *page, struct str text, const char *name,
			      const char *after)
{
	char wanted[100];

	snprintf(wanted, sizeof(wanted), "`%s%s", name, after);
	if (str_find_str(text, str_from(wanted)) == text.n)
		fail_msg("%s has no %s", page, wanted);
}

/* Each function and path of the tables is in the documentation. */
static void functions_and_paths_are_documented(void **state)
{
	static const char page[] = "docs/collector/ottl.md";
	static char text[50000];
	char file[500];
	FILE *f;
	size_t n;

	(void)state;
	assert_non_null(getenv("SOURCE_ROOT"));
	snprintf(file, sizeof(file), "%s/%s", getenv("SOURCE_ROOT"), page);
	f = fopen(file, "r");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text), f);
	fclose(f);
	assert_true(n > 0 && n < sizeof(text));
	for (const struct ottl_function *const *t = ottl_functions; *t; t++)
		for (const struct ottl_function *x = *t; x->name; x++)
			assert_documented(page, str_of(text, n), x->name, "(");
	for (unsigned c = 0; c < OTTL_CONTEXTS; c++)
		for (unsigned i = 0; ottl_path_name((enum ottl_context)c, i); i++)
			assert_documented(page, str_of(text, n),
					  ottl_path_name((enum ottl_context)c, i), "`");
}

TEST_MAIN(test_with(bench, functions_and_paths_are_documented),
	  test_with(bench, conditions_over_spans), test_with(bench, conditions_of_other_contexts),
	  test_with(bench, converters), test_with(bench, editors),
	  test_with(bench, editors_of_other_contexts),
	  test_with(bench, errors_of_conditions_name_the_reason),
	  test_with(bench, errors_of_statements_name_the_reason),
	  test_with(bench, mistakes_are_found_when_texts_are_compiled),
	  test_with(bench, contexts_are_inferred), test_with(bench, depth_is_limited),
	  test_with(bench, unchanged_items_keep_their_bytes), test_with(bench, memory_is_limited))
