/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Templates of labels and annotations: the results that Prometheus and Go's text/template give,
 * errors with their places, and limits.
 */
#include <errno.h>
#include <math.h>

#include "rules/template/rule_template.h"

#include "test/test.h"

static const struct label instance_b[] = {{STR_INIT("__name__"), STR_INIT("metric")},
					  {STR_INIT("__value__"), STR_INIT("str")},
					  {STR_INIT("instance"), STR_INIT("b")}};
static const struct label instance_a[] = {{STR_INIT("__name__"), STR_INIT("metric")},
					  {STR_INIT("instance"), STR_INIT("a")}};
static const struct label alert_labels[] = {
	{STR_INIT("instance"), STR_INIT("web-1.example.com:9100")},
	{STR_INIT("job"), STR_INIT("node")},
};
static const struct label external[] = {{STR_INIT("cluster"), STR_INIT("west")}};

/* "metric" has two series, "one" a single one, "none" none; others fail. */
static int query(void *ctx, struct str expr, struct arena *a, struct rule_template_sample **samples,
		 uint32_t *n, struct err *e)
{
	struct rule_template_sample *at = arena_zalloc(a, 2, sizeof(*at));

	(void)ctx;
	if (!at)
		return -ENOMEM;
	at[0] = (struct rule_template_sample){instance_b, countof(instance_b), 21};
	at[1] = (struct rule_template_sample){instance_a, countof(instance_a), 11};
	*samples = at;
	*n = str_eq(expr, STR("metric")) ? 2 : str_eq(expr, STR("one")) ? 1 : 0;
	if (!*n && !str_eq(expr, STR("none")))
		return err_set(e, -EINVAL, "1:1: parse error: unexpected end of input");
	return 0;
}

static const struct rule_template_data data = {
	.labels = alert_labels,
	.label_count = countof(alert_labels),
	.external_labels = external,
	.external_count = countof(external),
	.external_url = STR_INIT("http://testhost:9090/path/prefix"),
	.value = 1234567.5,
	.query = query,
	.now_ms = 1353755652000,
};

static void expect(const char *text, const char *output)
{
	struct err e = {0};
	struct arena a;
	struct str out;
	int rc;

	arena_init(&a, NULL);
	rc = rule_template_expand(&a, str_from(text), &data, &out, &e);
	if (rc)
		fail_msg("%s: %s", text, e.text);
	if (!str_eq(out, str_from(output)))
		fail_msg("%s is \"%.*s\", expected \"%s\"", text, STR_ARG(out), output);
	arena_fini(&a);
}

static void expect_error(const char *text, const char *error)
{
	struct err e = {0};
	struct arena a;
	struct str out;

	arena_init(&a, NULL);
	if (rule_template_expand(&a, str_from(text), &data, &out, &e) != -EINVAL)
		fail_msg("%s does not fail", text);
	if (strcmp(e.text, error) != 0)
		fail_msg("%s: error is \"%s\", expected \"%s\"", text, e.text, error);
	arena_fini(&a);
}

/* ---- the language ---- */

static void text_and_data(void **state)
{
	(void)state;
	expect("plain text", "plain text");
	expect("", "");
	expect("{{ 1 }}", "1");
	expect("{{ $labels.instance }} of {{ .Labels.job }}", "web-1.example.com:9100 of node");
	expect("{{ $value }} {{ .Value }}", "1.2345675e+06 1.2345675e+06");
	expect("[{{ $labels.absent }}]", "[]");
	expect("{{ $externalLabels.cluster }} {{ .ExternalLabels.cluster }}", "west west");
	expect("{{ $externalURL }} {{ .ExternalURL }}",
	       "http://testhost:9090/path/prefix http://testhost:9090/path/prefix");
	expect("{{ $labels }}", "map[instance:web-1.example.com:9100 job:node]");
	expect("{{ $.Labels.job }}{{ with 1 }}{{ $.Labels.job }}{{ . }}{{ end }}", "nodenode1");
	expect("{{ \"<b>\" }}{{ `a\"b` }}{{ \"\\u00e4\\n\\x41\\101\" }}", "<b>a\"b\u00e4\nAA");
	expect("{{ 'a' }} {{ 0x1F }} {{ 0o17 }} {{ 017 }} {{ 1_000 }} {{ -3 }} {{ 1e3 }} {{ 1.50 "
	       "}}",
	       "97 31 15 15 1000 -3 1000 1.5");
	expect("{{ true }} {{ false }}", "true false");
	expect("{{ 1000000.0 }} {{ 0.00001 }} {{ 123456.0 }}", "1e+06 1e-05 123456");
}

static void trim_markers_and_comments(void **state)
{
	(void)state;
	expect("a  {{- 1 -}}  b", "a1b");
	expect("a \n {{- /* no */ -}} \t b", "ab");
	expect("a {{/* no }} */}} b", "a  b");
	expect("{{ 3 -}}\n{{- -4 }}", "3-4");
	expect("{{-3}}", "-3");
	expect("{{ if true -}} x {{- end }}", "x");
	expect("{{\n1\n}}", "1");
}

static void conditions(void **state)
{
	(void)state;
	expect("{{ if gt $value 5.0 }}big{{ else }}small{{ end }}", "big");
	expect("{{ if eq $labels.job \"x\" \"node\" }}yes{{ end }}", "yes");
	expect("{{ if $labels.absent }}1{{ else if eq 1 2 }}2{{ else if true }}3{{ else }}4{{ end "
	       "}}",
	       "3");
	expect("{{ with $labels.absent }}1{{ else with $labels.job }}{{ . }}{{ else }}2{{ end }}",
	       "node");
	expect("{{ with $x := 5 }}{{ $x }}{{ . }}{{ end }}", "55");
	expect("{{ if and 1 0 }}a{{ else }}b{{ end }}{{ and 1 2 }}{{ or 0 \"\" 3 }}{{ not 0 }}",
	       "b23true");
	expect("{{ or 1 (query \"broken\") }}{{ and 0 (query \"broken\") }}", "10");
	expect("{{ lt 1 2 }} {{ le 2 2 }} {{ gt 1 2 }} {{ ge 1 2 }} {{ ne 1 2 }} {{ lt \"a\" \"b\" "
	       "}}",
	       "true true false false true true");
	expect("{{ if 0.0 }}x{{ end }}{{ if \"\" }}x{{ end }}{{ if query \"none\" }}x{{ end }}",
	       "");
}

static void loops(void **state)
{
	(void)state;
	expect("{{ range query \"metric\" | sortByLabel \"instance\" "
	       "}}{{.Labels.instance}}:{{.Value}}: "
	       "{{end}}",
	       "a:11: b:21: ");
	expect("{{ range $i, $e := query \"metric\" }}{{ $i }}={{ $e.Value }} {{ end }}",
	       "0=21 1=11 ");
	expect("{{ range $k, $v := $labels }}{{ $k }}={{ $v }};{{ end }}",
	       "instance=web-1.example.com:9100;job=node;");
	expect("{{ range $e := query \"none\" }}x{{ else }}nothing{{ end }}", "nothing");
	expect("{{ range 5 }}{{ if eq . 1 }}{{ continue }}{{ end }}{{ if eq . 3 }}{{ break }}"
	       "{{ end }}{{ . }}{{ end }}",
	       "02");
	expect("{{ $n := 0 }}{{ range 3 }}{{ $n = . }}{{ end }}{{ $n }}", "2");
	expect("{{ range args \"a\" 2 }}{{ . }},{{ end }}", "a,2,");
	expect("{{ $x := 1 }}{{ if true }}{{ $x := 2 }}{{ end }}{{ $x }}", "1");
}

static void templates(void **state)
{
	(void)state;
	expect("{{define \"x\"}}{{.arg0}} {{.arg1}}{{end}}{{template \"x\" (args 1 \"2\")}}",
	       "1 2");
	expect("{{ define \"a\" }}x{{ . }}{{ end }}{{ $name := \"a\"}}{{ tmpl $name 7 }}", "x7");
	expect("{{ block \"b\" 3 }}<{{ . }}>{{ end }}{{ template \"b\" 4 }}", "<3><4>");
	expect("{{ define \"a\" }}{{ $ }}{{ end }}{{ template \"a\" }}", "<no value>");
	expect("{{ (args 1).arg0 }} {{ (args 1).arg7 }} {{ args 1 \"b\" }}",
	       "1 <no value> map[arg0:1 arg1:b]");
}

static void pipelines(void **state)
{
	(void)state;
	expect("{{ \"a\" | printf \"%s%s\" \"b\" }}", "ba");
	expect("{{ (1 | printf \"%03d\") | len }}", "3");
	expect("{{ $x := query \"metric\" | first }}{{ $x.Labels.foo }}{{ $x.Labels.instance }}",
	       "b");
	expect("{{ query \"one\" | first | value }}", "21");
	expect("{{ with query \"one\" }}{{ . | first | value | humanize }}{{ end }}", "21");
	expect("{{ query \"metric\" | first | label \"instance\" }}", "b");
	expect("{{ query \"metric\" | first | label \"foo\" }}", "");
	expect("{{ query \"metric\" | first | strvalue }}", "str");
	expect("{{ (index (query \"metric\") 1).Value }} {{ index $labels \"job\" }} {{ index "
	       "\"abc\" 1 }}",
	       "11 node 98");
	expect("{{ slice \"abcdef\" 1 3 }} {{ slice \"abc\" 1 }} {{ len (slice (query \"metric\") "
	       "1) }}",
	       "bc bc 1");
	expect("{{ query \"one\" }}", "[{map[__name__:metric __value__:str instance:b] 21}]");
}

/* ---- text ---- */

static void printing(void **state)
{
	(void)state;
	expect("{{ print 1 2 \"a\" \"b\" 3 4.5 }}", "1 2ab3 4.5");
	expect("{{ println \"a\" 1 }}", "a 1\n");
	expect("{{ printf \"%.2f|%8.3f|%-8.1f|%+d|%05d|%x|%X|%q|%v|%t\" 1.005 3.14159 2.0 3 42 255 "
	       "\"hi\" \"a\\\"b\" 1.5 true }}",
	       "1.00|   3.142|2.0     |+3|00042|ff|6869|\"a\\\"b\"|1.5|true");
	expect("{{ printf \"%e %g %G %6.2f%%\" 12345.678 1e21 1e-7 99.5 }}",
	       "1.234568e+04 1e+21 1E-07  99.50%");
	expect("{{ printf \"%s|%10s|%-5s|%.2s\" \"a\" \"b\" \"c\" \"def\" }}",
	       "a|         b|c    |de");
	expect("{{ printf \"%d %s\" \"x\" 1 }}", "%!d(string=x) %!s(int=1)");
	expect("{{ printf \"%f\" 1 }} {{ printf \"%d\" 1.5 }}", "%!f(int=1) %!d(float64=1.5)");
	expect("{{ printf \"%d\" }} {{ printf \"a\" 1 2.5 }} {{ printf \"%\" }}",
	       "%!d(MISSING) a%!(EXTRA int=1, float64=2.5) %!(NOVERB)");
	expect("{{ printf \"%[2]d %[1]d\" 1 2 }} {{ printf \"%*d\" 4 7 }} {{ printf \"%T\" $labels "
	       "}}",
	       "2 1    7 map[string]string");
	expect("{{ printf \"%v\" $labels.absent }}{{ printf \"%v\" nil }}", "<nil>");
	expect("{{ printf \"%08.3f|% d|%#x|%c|%U|%o|%b\" -3.14159 5 255 65 8364 8 5 }}",
	       "-003.142| 5|0xff|A|U+20AC|10|101");
	expect("{{ printf \"%5t|%v\" true (query \"none\") }}", " true|[]");
	expect("{{ html \"<a href='x'>&\" }} {{ js \"it's <b>\" }} {{ urlquery \"a b&c/\u00e4\" }}",
	       "&lt;a href=&#39;x&#39;&gt;&amp; it\\'s \\u003Cb\\u003E a+b%26c%2F%C3%A4");
}

static void numbers_for_people(void **state)
{
	(void)state;
	expect("{{ humanize 0.0 }}:{{ humanize 1.0 }}:{{ humanize 1234567.0 }}:{{ humanize .12 }}",
	       "0:1:1.235M:120m");
	expect("{{ humanize \"1234567.0\" }}:{{ humanize -1 }}:{{ humanize 9223372036854775807 }}",
	       "1.235M:-1:9.223E");
	expect("{{ humanize1024 0.0 }}:{{ humanize1024 1048576.0 }}:{{ humanize1024 .12 }}:"
	       "{{ humanize1024 1234567 }}:{{ humanize1024 9223372036854775807 }}",
	       "0:1Mi:0.12:1.177Mi:8Ei");
	expect("{{ humanize1024 2048 }}", "2ki");
	expect("{{ range args 0 1 60 3600 86400 90000 -183845 899.99 }}{{ humanizeDuration . }}:{{ "
	       "end }}",
	       "0s:1s:1m 0s:1h 0m 0s:1d 0h 0m 0s:1d 1h 0m 0s:-2d 3h 4m 5s:14m 59s:");
	expect("{{ range args .1 .0001 .12345 60.1 60.5 1.2345 \"12.345\" -1 }}{{ humanizeDuration "
	       ". }}:"
	       "{{ end }}",
	       "100ms:100us:123.5ms:1m 0s:1m 0s:1.234s:12.35s:-1s:");
	expect("{{ range args \"+Inf\" \"-Inf\" \"NaN\" }}{{ humanize . }}:{{ humanize1024 . }}:"
	       "{{ humanizeDuration . }}:{{humanizeTimestamp .}}:{{ end }}",
	       "+Inf:+Inf:+Inf:+Inf:-Inf:-Inf:-Inf:-Inf:NaN:NaN:NaN:NaN:");
	expect("{{ -0.22222 | humanizePercentage }}:{{ 0.0 | humanizePercentage }}:"
	       "{{ \"0.1234567\" | humanizePercentage }}:{{ 1234567 | humanizePercentage }}",
	       "-22.22%:0%:12.35%:1.235e+08%");
	expect("{{ humanizeTimestamp 0 }}:{{ humanizeTimestamp -1 }}:{{ humanizeTimestamp "
	       "9223372036 }}",
	       "1970-01-01 00:00:00 +0000 UTC:1969-12-31 23:59:59 +0000 UTC:2262-04-11 23:47:16 "
	       "+0000 "
	       "UTC");
	expect("{{ 1435065584.128 | humanizeTimestamp }}", "2015-06-23 13:19:44.128 +0000 UTC");
}

static void times(void **state)
{
	(void)state;
	expect("{{ (1435065584.128 | toTime).Format \"2006\" }}", "2015");
	expect("{{ (\"1435065584.128\" | toTime).Format \"2006-01-02T15:04:05.000Z07:00\" }}",
	       "2015-06-23T13:19:44.128Z");
	expect("{{ (1800 | toDuration).String }} {{ \"0.5\" | toDuration }} {{ toDuration 90061.25 "
	       "}}",
	       "30m0s 500ms 25h1m1.25s");
	expect("{{ now }}", "1.353755652e+09");
	expect("{{ (now | toTime).Format \"Mon Jan 2 15:04:05 2006\" }}",
	       "Sat Nov 24 11:14:12 2012");
	expect("{{ (\"-30m\" | parseDuration | toDuration | (now | toTime).Add).UnixMilli }}",
	       "1353753852000");
	expect("{{ $t := now | toTime }}{{ $t.Year }} {{ $t.Month }} {{ printf \"%d\" $t.Month }} "
	       "{{ $t.Weekday }} {{ $t.Hour }} {{ ($t.Sub (toTime 0)).Hours }}",
	       "2012 November 11 Saturday 11 376043.2366666667");
	expect("{{ (now | toTime).Format \"Monday, 02-Jan-06 3:04PM MST\" }}",
	       "Saturday, 24-Nov-12 11:14AM UTC");
	expect("{{ printf \"%0.2f\" (parseDuration \"1h2m10ms\") }} "
	       "{{ printf \"%0.2f\" (parseDuration \"-1h2m10ms\") }}",
	       "3720.01 -3720.01");
}

static void texts_and_addresses(void **state)
{
	(void)state;
	expect("{{ \"aa bb CC\" | title }}:{{ \"aa bb CC\" | toUpper }}:{{ \"aA bB \u00c4\" | "
	       "toLower }}",
	       "Aa Bb CC:AA BB CC:aa bb \u00e4");
	expect("{{ title \"don't \u00e4pfel\" }}", "Don't \u00c4pfel");
	expect("{{ match \"a+\" \"aa\" }} {{ match \"a+\" \"b\" }}", "true false");
	expect("{{ reReplaceAll \"(a)b\" \"x$1\" \"ab\" }} {{ reReplaceAll \"(.*):(.*)\" "
	       "\"${2}-$1\" "
	       "\"h:9\" }} {{ reReplaceAll \"x*\" \"-\" \"abc\" }} {{ reReplaceAll \"b\" \"$$\" "
	       "\"abc\" }}",
	       "xa 9-h -a-b-c- a$c");
	expect("{{ graphLink \"up == 0\" }} {{ tableLink \"up\" }}",
	       "/graph?g0.expr=up+%3D%3D+0&g0.tab=0 /graph?g0.expr=up&g0.tab=1");
	expect("{{ pathPrefix }} {{ externalURL }}",
	       "/path/prefix http://testhost:9090/path/prefix");
	expect("{{ urlQueryEscape \"a b\" }} {{ safeHtml \"<b>\" }}", "a+b <b>");
	expect("{{ range args \"foo.example.com\" \"foo.example.com:12345\" \"192.0.2.1\" "
	       "\"192.0.2.1:12345\" \"2001:0DB8::1\" \"[2001:0DB8::1]:12345\" "
	       "\"[2001:0DB8::1]::12345\" }}{{ stripPort . }} {{ end }}",
	       "foo.example.com foo.example.com 192.0.2.1 192.0.2.1 2001:0DB8::1 2001:0DB8::1 "
	       "[2001:0DB8::1]::12345 ");
	expect("{{ range args \"foo.example.com\" \"foo.example.com:12345\" \"192.0.2.1\" "
	       "\"192.0.2.1:12345\" \"2001:0DB8::1\" \"[2001:0DB8::1]:12345\" "
	       "\"[2001:0DB8::1]::12345\" }}{{ stripDomain . }} {{ end }}",
	       "foo foo:12345 192.0.2.1 192.0.2.1:12345 2001:0DB8::1 [2001:0DB8::1]:12345 "
	       "[2001:0DB8::1]::12345 ");
}

/* ---- errors and limits ---- */

static void errors_of_syntax(void **state)
{
	(void)state;
	expect_error("{{", "line 1, column 3: unclosed action");
	expect_error("a\nb {{ \xc2\xa0 }}", "line 2, column 6: unrecognized character in action");
	expect_error("{{ nope 1 }}", "line 1, column 4: function \"nope\" not defined");
	expect_error("{{ $x }}", "line 1, column 4: undefined variable \"$x\"");
	expect_error("{{ $x = 1 }}", "line 1, column 4: undefined variable \"$x\"");
	expect_error("{{ if 1 }}", "line 1, column 3: {{if}} has no {{end}}");
	expect_error("{{ if }}{{ end }}", "line 1, column 7: missing value for if");
	expect_error("{{ end }}", "line 1, column 3: unexpected {{end}}");
	expect_error("{{ else }}", "line 1, column 3: unexpected {{else}}");
	expect_error("{{ if 1 }}{{ else }}{{ else }}{{ end }}",
		     "line 1, column 23: expected end; found {{else}}");
	expect_error("{{ break }}", "line 1, column 3: {{break}} outside {{range}}");
	expect_error("{{ \"a }}", "line 1, column 4: unterminated quoted string");
	expect_error("{{ \"\\q\" }}", "line 1, column 4: invalid escape in \"\\q\"");
	expect_error("{{ 1x }}", "line 1, column 4: bad number syntax: \"1x\"");
	expect_error("{{ 99999999999999999999 }}",
		     "line 1, column 4: integer overflow: \"99999999999999999999\"");
	expect_error("{{ 1 | 2 }}", "line 1, column 8: non executable command in pipeline stage 2");
	expect_error("{{ (1 }}", "line 1, column 7: unexpected end of the action in parenthesized "
				 "pipeline");
	expect_error("{{ /* a */ }}", "line 1, column 4: unrecognized character in action");
	expect_error("{{/* a }}", "line 1, column 3: unclosed comment");
	expect_error("{{ if 1 }}{{ define \"x\" }}{{ end }}{{ end }}",
		     "line 1, column 13: {{define}} is only possible at the top level");
	expect_error("{{ define \"x\" }}1{{ end }}{{ define \"x\" }}2{{ end }}",
		     "line 1, column 29: multiple definition of template \"x\"");
	expect_error("{{ $a, $b := 1 }}", "line 1, column 6: too many declarations in command");
	expect_error("{{ define \"x\" }}{{ $labels }}{{ end }}",
		     "line 1, column 20: undefined variable \"$labels\"");
	expect_error("{{ .Labels.job-1 }}", "line 1, column 15: unexpected \"-1\" in operand");
	expect_error("{{ | }}", "line 1, column 4: unexpected \"|\" in operand");
}

static void errors_of_execution(void **state)
{
	(void)state;
	expect_error(
		"{{ .Foo }}",
		"line 1, column 4: can't evaluate field Foo in type struct { Labels "
		"map[string]string; ExternalLabels map[string]string; ExternalURL string; Value "
		"interface {} }");
	expect_error("{{ query \"none\" | first }}",
		     "line 1, column 19: error calling first: first() called on vector with no "
		     "elements");
	expect_error("{{ (query \"none\").banana }}",
		     "line 1, column 18: can't evaluate field banana in type template.queryResult");
	expect_error("{{ query \"broken\" }}",
		     "line 1, column 4: error calling query: 1:1: parse error: unexpected end of "
		     "input");
	expect_error(
		"{{ humanize \"one\" }}",
		"line 1, column 4: error calling humanize: strconv.ParseFloat: parsing \"one\": "
		"invalid syntax");
	expect_error(
		"{{ humanizeTimestamp 9223372036854775807 }}",
		"line 1, column 4: error calling humanizeTimestamp: 9.223372036854776e+18 cannot "
		"be represented as a nanoseconds timestamp since it overflows int64");
	expect_error("{{ gt $value 5 }}",
		     "line 1, column 4: error calling gt: incompatible types for comparison");
	expect_error("{{ humanize }}",
		     "line 1, column 4: wrong number of args for humanize: want 1 got 0");
	expect_error("{{ toUpper 1 }}",
		     "line 1, column 4: wrong type for value of toUpper; expected string; got int");
	expect_error("{{ $value 1 }}",
		     "line 1, column 4: can't give argument to non-function $value");
	expect_error("{{ call 1 }}",
		     "line 1, column 4: error calling call: non-function of type int");
	expect_error("{{ template \"x\" }}", "line 1, column 3: template \"x\" not defined");
	expect_error("{{ range 1.5 }}{{ end }}",
		     "line 1, column 3: range can't iterate over a value of type float64");
	expect_error("{{ index (query \"one\") 1 }}",
		     "line 1, column 4: error calling index: index out of range: 1");
	expect_error("{{ match \"(\" \"a\" }}",
		     "line 1, column 4: error calling match: invalid "
		     "regular expression '(': at character 2: missing closing "
		     "parenthesis");
	expect_error("{{ nil }}", "line 1, column 4: nil is not a command");
}

static void limits_hold(void **state)
{
	(void)state;
	expect_error("{{ range 1000000 }}{{ end }}",
		     "line 1, column 3: the template takes more than 200000 steps");
	expect_error("{{ range 100000 }}0123456789012345{{ end }}",
		     "line 1, column 19: the result has more than 1048576 bytes");
	expect_error("{{ define \"x\" }}{{ template \"x\" }}{{ end }}{{ template \"x\" }}",
		     "line 1, column 19: the template is nested deeper than 256 levels");
	expect_error("{{ $x := \"0123456789\" }}{{ range 100 }}{{ $x = print $x $x }}{{ end }}",
		     "line 1, column 48: the template makes texts of more than 1048576 bytes");
	expect_error("{{ range 100 }}{{ $x := query \"one\" }}{{ end }}",
		     "line 1, column 25: error calling query: more than 32 queries");
	expect_error("{{ $x := 1 }}{{ range 20 }}{{ $x = args $x $x }}{{ end }}",
		     "line 1, column 36: error calling args: args in args deeper than 8");
}

/* No failing allocation and no truncated template crashes or leaks. */
static void survives_faults(void **state)
{
	const char *text =
		"{{ define \"t\" }}{{ .arg0 }}{{ end }}{{ range $i, $e := query \"metric\" | "
		"sortByLabel \"instance\" }}{{ if gt $e.Value 5.0 }}{{ printf \"%5.1f %q\" "
		"$e.Value $e.Labels.instance | toUpper | reReplaceAll \"A\" \"b\" }}"
		"{{ else }}{{ template \"t\" (args 1) }}{{ end }}{{ end }}";
	struct str out;

	(void)state;
	for (size_t n = 0; n <= strlen(text); n++) {
		struct arena a;
		struct err e = {0};
		int rc;

		arena_init(&a, NULL);
		rc = rule_template_check(&a, str_of(text, n), &e);
		assert_true(!rc || (rc == -EINVAL && e.text[0]));
		arena_fini(&a);
		arena_init(&a, NULL);
		a.fail_after = (unsigned)n + 1;
		rc = rule_template_expand(&a, str_from(text), &data, &out, &e);
		assert_true(!rc || rc == -ENOMEM || rc == -EINVAL);
		arena_fini(&a);
	}
}

TEST_MAIN(test(text_and_data), test(trim_markers_and_comments), test(conditions), test(loops),
	  test(templates), test(pipelines), test(printing), test(numbers_for_people), test(times),
	  test(texts_and_addresses), test(errors_of_syntax), test(errors_of_execution),
	  test(limits_hold), test(survives_faults))
