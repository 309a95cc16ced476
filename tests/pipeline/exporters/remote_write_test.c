/* SPDX-License-Identifier: Apache-2.0 */
/* The exporter prometheusremotewrite: what is sent, and what becomes of the answers. */
#include "pipeline/exporters/prometheusremotewrite/remote_write_exporter.h"

#include <errno.h>

#include "pipeline/exporters/prometheusremotewrite/write_encode.h"
#include "test/exporter.h"
#include "test/http_sink.h"
#include "wire/compress/compress.h"

#define MS ((uint64_t)1000000)

/* ---- requests as text ---- */

struct decoding {
	struct arena arena;
	struct buf out;
	struct str symbols[200];
	unsigned symbol_count;
	bool version2;
};

static void put_label_refs(struct decoding *d, struct str packed)
{
	struct proto_reader r = proto_reader_of(packed);

	while (r.at < r.end) {
		uint64_t name = proto_varint(&r), value = proto_varint(&r);

		assert_true(name < d->symbol_count && value < d->symbol_count);
		buf_printf(&d->out, "%.*s=%.*s ", STR_ARG(d->symbols[name]),
			   STR_ARG(d->symbols[value]));
	}
}

static void put_labels(struct decoding *d, struct proto_reader *r)
{
	struct proto_reader label;
	struct str name = {0}, value = {0};

	if (d->version2) {
		put_label_refs(d, proto_bytes(r));
		return;
	}
	label = proto_message(r);
	while (proto_next(&label))
		if (label.tag == PROTO_TAG(1, PROTO_BYTES))
			name = proto_bytes(&label);
		else
			value = proto_bytes(&label);
	buf_printf(&d->out, "%.*s=%.*s ", STR_ARG(name), STR_ARG(value));
}

static int64_t sint_of(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static void put_value(struct decoding *d, uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	if (bits == 0x7ff0000000000002)
		buf_printf(&d->out, "stale");
	else
		buf_printf(&d->out, "%g", value);
}

static void put_sample(struct decoding *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	uint64_t bits = 0, time = 0, start = 0;

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_FIXED64))
			bits = proto_fixed64(&r);
		else if (r.tag == PROTO_TAG(2, PROTO_VARINT))
			time = proto_varint(&r);
		else
			start = proto_varint(&r);
	put_value(d, bits);
	buf_printf(&d->out, "@%lld", (long long)time);
	if (start)
		buf_printf(&d->out, "^%lld", (long long)start);
	buf_put_char(&d->out, ' ');
}

static void put_exemplar(struct decoding *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);

	buf_printf(&d->out, "x{");
	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			put_labels(d, &r);
		else if (r.tag == PROTO_TAG(2, PROTO_FIXED64))
			put_value(d, proto_fixed64(&r));
		else
			buf_printf(&d->out, "@%lld", (long long)proto_varint(&r));
	buf_printf(&d->out, "} ");
}

static void put_histogram(struct decoding *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message), in;

	buf_printf(&d->out, "h{");
	while (proto_next(&r)) {
		uint32_t field = proto_field(&r);

		buf_printf(&d->out, "%u:", field);
		if (field == 3 || field == 5) {
			put_value(d, proto_fixed64(&r));
		} else if (field == 4) {
			buf_printf(&d->out, "%lld", (long long)sint_of(proto_varint(&r)));
		} else if (field == 8 || field == 11) {
			in = proto_message(&r);
			while (proto_next(&in))
				buf_printf(&d->out, "%s%lld", in.tag == 8 ? "" : "+",
					   in.tag == 8 ? (long long)sint_of(proto_varint(&in))
						       : (long long)proto_varint(&in));
		} else if (field == 9 || field == 12) {
			in = proto_message(&r);
			while (in.at < in.end)
				buf_printf(&d->out, "%lld,", (long long)sint_of(proto_varint(&in)));
		} else {
			buf_printf(&d->out, "%lld", (long long)proto_varint(&r));
		}
		buf_put_char(&d->out, ' ');
	}
	buf_printf(&d->out, "} ");
}

static void put_metadata(struct decoding *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);

	buf_printf(&d->out, "m{");
	while (proto_next(&r)) {
		if ((r.tag & 7) == PROTO_BYTES) {
			struct str text = proto_bytes(&r);

			buf_printf(&d->out, "%.*s ", STR_ARG(text));
		} else {
			uint64_t number = proto_varint(&r);

			if (d->version2 && proto_field(&r) > 1)
				buf_printf(&d->out, "%.*s ", STR_ARG(d->symbols[number]));
			else
				buf_printf(&d->out, "%u ", (unsigned)number);
		}
	}
	buf_printf(&d->out, "} ");
}

static void put_series(struct decoding *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r)) {
		uint32_t field = proto_field(&r);

		if (field == 1)
			put_labels(d, &r);
		else if (field == 2)
			put_sample(d, proto_bytes(&r));
		else if (field == (d->version2 ? 4 : 3))
			put_exemplar(d, proto_bytes(&r));
		else if (field == (d->version2 ? 3 : 4))
			put_histogram(d, proto_bytes(&r));
		else
			put_metadata(d, proto_bytes(&r));
	}
	buf_put_char(&d->out, '\n');
}

/* Return a request as text, a line for each series. */
static const char *request_text(struct decoding *d, struct str body, bool version2)
{
	struct str message;
	struct proto_reader r;
	struct err e = {0};

	*d = (struct decoding){.version2 = version2};
	arena_init(&d->arena, NULL);
	assert_ok_err(decompress_bytes(COMPRESS_SNAPPY, body, &d->arena, NULL, &message, &e), &e);
	r = proto_reader_of(message);
	while (proto_next(&r)) {
		if (version2 && proto_field(&r) == 4) {
			assert_true(d->symbol_count < countof(d->symbols));
			d->symbols[d->symbol_count++] = proto_bytes(&r);
		} else if (!version2 && proto_field(&r) == 3) {
			put_metadata(d, proto_bytes(&r));
			buf_put_char(&d->out, '\n');
		} else {
			assert_int_equal(proto_field(&r), version2 ? 5 : 1);
			put_series(d, proto_bytes(&r));
		}
	}
	assert_int_equal(r.error, 0);
	buf_put_char(&d->out, 0);
	return d->out.p;
}

static void decoding_fini(struct decoding *d)
{
	arena_fini(&d->arena);
	buf_fini(&d->out);
}

/* ---- payloads ---- */

static struct attributes *resource(struct arena *arena)
{
	struct attributes *a = arena_zalloc(arena, 1, sizeof(*a));

	assert_ok(attributes_set(a, arena, STR("service.name"), &VALUE_OF_STR(STR("s"))));
	assert_ok(attributes_set(a, arena, STR("host.name"), &VALUE_OF_STR(STR("h"))));
	return a;
}

static struct payload *all_kinds(struct arena *arena)
{
	static const double bounds[] = {0.5};
	static const uint64_t counts[] = {1, 2}, positive[] = {3, 0, 0, 0, 4, 5}, negative[] = {7};
	static const struct otlp_quantile quantiles[] = {{0.5, 9}};
	struct otlp_exemplar exemplar = {.time = 4 * MS, .d = 3, .trace_id = {1}};
	struct otlp_builder b;
	struct payload *p;

	otlp_builder_init(&b, SIGNAL_METRICS, NULL);
	otlp_begin_resource(&b, resource(arena), STR(""));
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("c"),
						    .description = STR("help"),
						    .unit = STR("s"),
						    .kind = OTLP_SUM,
						    .temporality = OTLP_CUMULATIVE,
						    .monotonic = true});
	otlp_add_number(&b, &(struct otlp_number){.point = {.start = 1 * MS, .time = 6 * MS},
						  .is_int = true,
						  .i = 2});
	otlp_add_number(&b, &(struct otlp_number){.point = {.start = 1 * MS,
							    .time = 5 * MS,
							    .exemplars = &exemplar,
							    .exemplar_count = 1},
						  .is_int = true,
						  .i = 1});
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("g"), .kind = OTLP_GAUGE});
	otlp_add_number(&b, &(struct otlp_number){
				    .point = {.time = 7 * MS, .flags = OTLP_NO_RECORDED_VALUE}});
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("h"),
						    .kind = OTLP_HISTOGRAM,
						    .temporality = OTLP_CUMULATIVE});
	otlp_add_histogram(&b, &(struct otlp_histogram){.point = {.time = 5 * MS},
							.count = 3,
							.has_sum = true,
							.sum = 4.5,
							.bounds = bounds,
							.counts = counts,
							.bound_count = 1,
							.count_count = 2});
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("e"),
						    .kind = OTLP_EXPONENTIAL,
						    .temporality = OTLP_CUMULATIVE});
	otlp_add_exponential(&b, &(struct otlp_exponential){.point = {.time = 5 * MS},
							    .count = 20,
							    .zero_count = 1,
							    .has_sum = true,
							    .sum = 2,
							    .scale = 3,
							    .positive = {2, positive, 6},
							    .negative = {-4, negative, 1}});
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("q"), .kind = OTLP_SUMMARY});
	otlp_add_summary(&b, &(struct otlp_summary){.point = {.time = 5 * MS},
						    .count = 4,
						    .sum = 11,
						    .quantiles = quantiles,
						    .quantile_count = 1});
	p = otlp_builder_finish(&b);
	assert_non_null(p);
	otlp_builder_fini(&b);
	return p;
}

static const char version1_text[] =
	"__name__=c_seconds_total job=s site=x 1@5 2@6 x{trace_id="
	"01000000000000000000000000000000 3@4} \n"
	"__name__=g job=s site=x stale@7 \n"
	"__name__=h_bucket job=s le=0.5 site=x 1@5 \n"
	"__name__=h_bucket job=s le=+Inf site=x 3@5 \n"
	"__name__=h_sum job=s site=x 4.5@5 \n"
	"__name__=h_count job=s site=x 3@5 \n"
	"__name__=e job=s site=x h{1:20 3:2 4:3 5:1e-128 6:1 8:-3+1 9:7, 11:3+1 11:3+2 12:3,1,1, "
	"15:5 } \n"
	"__name__=q job=s quantile=0.5 site=x 9@5 \n"
	"__name__=q_sum job=s site=x 11@5 \n"
	"__name__=q_count job=s site=x 4@5 \n"
	"__name__=target_info host_name=h job=s site=x 1@7 \n";

static void make_exporter(struct test_exporter *f, struct http_sink *s, const char *more)
{
	test_exporter_make(f, &prometheusremotewrite_exporter,
			   "endpoint: %s/write\nremote_write_queue: {enabled: false}\n"
			   "external_labels: {site: x}\nheaders: {x-scope: t1}\n%s",
			   s->url, more);
}

/* ---- tests ---- */

static void all_kinds_are_written(void **state)
{
	struct test_exporter *f = *state;
	struct http_sink s;
	struct decoding d;

	http_sink_start(&s);
	make_exporter(f, &s, "");
	test_result(test_exporter_send(f, all_kinds(&f->arena)), 0, "");
	assert_string_equal(request_text(&d, buf_str(&s.requests[0].body), false), version1_text);
	assert_non_null(strstr(s.requests[0].head, "POST /write HTTP/1.1"));
	assert_non_null(strstr(s.requests[0].head, "content-encoding: snappy\r\n"));
	assert_non_null(strstr(s.requests[0].head, "content-type: application/x-protobuf\r\n"));
	assert_non_null(strstr(s.requests[0].head, "x-prometheus-remote-write-version: 0.1.0\r\n"));
	assert_non_null(strstr(s.requests[0].head, "x-scope: t1\r\n"));
	decoding_fini(&d);
	test_exporter_end(f);
	http_sink_stop(&s);
}

static void version_2_has_symbols(void **state)
{
	static const char ok[] = "HTTP/1.1 204 No Content\r\n"
				 "X-Prometheus-Remote-Write-Samples-Written: 5\r\n\r\n";
	struct test_exporter *f = *state;
	struct http_sink s;
	struct decoding d;

	http_sink_start(&s);
	s.answers[0] = ok;
	s.answers[1] = HTTP_SINK_OK;
	s.answer_count = 2;
	make_exporter(f, &s, "protobuf_message: io.prometheus.write.v2.Request");
	test_result(test_exporter_send(f, all_kinds(&f->arena)), 0, "");
	request_text(&d, buf_str(&s.requests[0].body), true);
	assert_int_equal(d.symbols[0].n, 0);
	assert_non_null(strstr(d.out.p,
			       "__name__=c_seconds_total job=s site=x 1@5^1 2@6^1 x{trace_id="
			       "01000000000000000000000000000000 3@4} m{1 help seconds } \n"));
	assert_non_null(strstr(d.out.p, "__name__=g job=s site=x stale@7 m{2 } \n"));
	assert_non_null(strstr(
		s.requests[0].head,
		"content-type: application/x-protobuf;proto=io.prometheus.write.v2.Request\r\n"));
	assert_non_null(strstr(s.requests[0].head, "x-prometheus-remote-write-version: 2.0.0\r\n"));
	decoding_fini(&d);
	test_result(test_exporter_send(f, test_gauge("g", 1)), -EINVAL,
		    "the server does not support remote write 2.0");
	test_exporter_end(f);
	http_sink_stop(&s);
}

static void large_payloads_are_split(void **state)
{
	struct test_exporter *f = *state;
	struct http_sink s;
	struct decoding d;
	struct buf all = {0};

	http_sink_start(&s);
	make_exporter(f, &s, "max_batch_size_bytes: 200\nsend_metadata: true");
	test_result(test_exporter_send(f, all_kinds(&f->arena)), 0, "");
	assert_true(http_sink_count(&s) > 3);
	for (unsigned i = 0; i < http_sink_count(&s); i++) {
		const char *request = request_text(&d, buf_str(&s.requests[i].body), false);
		struct str text = str_from(request), line;

		if (!i && !strstr(request, "m{1 c_seconds_total help seconds } \n"))
			fail_msg("no metadata in %s", request);

		while (str_next_line(&text, &line))
			if (!str_starts(line, STR("m{"))) {
				buf_put_str(&all, line);
				buf_put_char(&all, '\n');
			}
		decoding_fini(&d);
	}
	assert_str_equal(buf_str(&all), str_from(version1_text));
	buf_fini(&all);
	test_exporter_end(f);
	http_sink_stop(&s);
}

static void answers_decide(void **state)
{
	static const char busy[] = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n";
	static const char limited[] = "HTTP/1.1 429 Slow\r\nRetry-After: 0\r\n"
				      "Content-Length: 0\r\n\r\n";
	static const char bad[] = "HTTP/1.1 400 Bad\r\nContent-Length: 20\r\n\r\n"
				  "out of order sample\n";
	struct test_exporter *f = *state;
	struct http_sink s;

	http_sink_start(&s);
	s.answers[0] = busy;
	s.answers[1] = limited;
	s.answers[2] = HTTP_SINK_OK;
	s.answers[3] = bad;
	s.answer_count = 4;
	make_exporter(f, &s, "");
	test_result(test_exporter_send(f, test_gauge("g", 1)), 0, "");
	assert_int_equal(http_sink_count(&s), 3);
	test_result(test_exporter_send(f, test_gauge("g", 1)), -EINVAL,
		    "remote write returned HTTP status 400 Bad Request: out of order sample");
	assert_int_equal(http_sink_count(&s), 4);
	test_exporter_end(f);
	http_sink_stop(&s);
}

static void deltas_are_refused(void **state)
{
	struct test_exporter *f = *state;
	struct delivery_result result;
	struct otlp_builder b;
	struct payload *p;
	struct http_sink s;

	http_sink_start(&s);
	make_exporter(f, &s, "");
	otlp_builder_init(&b, SIGNAL_METRICS, NULL);
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("d"),
						    .kind = OTLP_SUM,
						    .temporality = OTLP_DELTA,
						    .monotonic = true});
	otlp_add_number(&b, &(struct otlp_number){.point = {.time = 1}});
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("g"), .kind = OTLP_GAUGE});
	otlp_add_number(&b, &(struct otlp_number){.point = {.time = 1}, .d = 1});
	p = otlp_builder_finish(&b);
	otlp_builder_fini(&b);
	result = test_exporter_send(f, p);
	test_result(result, 0, "");
	assert_int_equal(result.rejected, 1);
	test_exporter_log(f, "invalid temporality and type combination for metric d", true);
	test_exporter_end(f);
	http_sink_stop(&s);
}

/* Histograms with more buckets than Prometheus has get fewer. */
static void fine_histograms_are_merged(void **state)
{
	struct test_exporter *f = *state;
	static const uint64_t counts[] = {1, 2, 3, 4, 5};
	struct http_sink s;
	struct decoding d;
	struct otlp_builder b;
	struct payload *p;

	http_sink_start(&s);
	make_exporter(f, &s, "");
	otlp_builder_init(&b, SIGNAL_METRICS, NULL);
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("e"),
						    .kind = OTLP_EXPONENTIAL,
						    .temporality = OTLP_CUMULATIVE});
	otlp_add_exponential(&b, &(struct otlp_exponential){.point = {.time = 5 * MS},
							    .count = 15,
							    .scale = 9,
							    .positive = {-3, counts, 5}});
	p = otlp_builder_finish(&b);
	otlp_builder_fini(&b);
	test_result(test_exporter_send(f, p), 0, "");
	/* -3 | -2 -1 | 0 1 of scale 9 are -2, -1, 0 of scale 8, and -1, 0, 1 of schema 8. */
	assert_non_null(strstr(request_text(&d, buf_str(&s.requests[0].body), false),
			       "4:8 5:1e-128 11:-1+3 12:1,4,4, 15:5 "));
	decoding_fini(&d);
	test_exporter_end(f);
	http_sink_stop(&s);
}

static void wrong_settings_are_refused(void **state)
{
	struct test_exporter *f = *state;
	struct component_env env = test_exporter_env(f);

	test_component_refused(&prometheusremotewrite_exporter, &env, "endpoint: host:9090",
			       "\"endpoint\": expected a URL");
	test_component_refused(&prometheusremotewrite_exporter, &env,
			       "{endpoint: 'http://h', compression: gzip}",
			       "compression type must be snappy");
	test_component_refused(&prometheusremotewrite_exporter, &env,
			       "{endpoint: 'http://h', protobuf_message: x}",
			       "expected prometheus.WriteRequest or");
	test_component_refused(&prometheusremotewrite_exporter, &env,
			       "{endpoint: 'http://h', sending_queue: {}}", "unknown option");
}

TEST_MAIN(test_with(test_exporter, all_kinds_are_written),
	  test_with(test_exporter, version_2_has_symbols),
	  test_with(test_exporter, large_payloads_are_split),
	  test_with(test_exporter, answers_decide), test_with(test_exporter, deltas_are_refused),
	  test_with(test_exporter, fine_histograms_are_merged),
	  test_with(test_exporter, wrong_settings_are_refused))
