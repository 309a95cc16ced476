/* SPDX-License-Identifier: Apache-2.0 */
/* The stages between components that take payloads and components that take decoded data. */
#include "format/otlp/otlp.h"
#include "net/http/http.h"
#include "pipeline/convert/decode_stage.h"
#include "pipeline/convert/encode_stage.h"
#include "pipeline/receivers/pyroscope/ingest.h"
#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"
#include "test/test.h"
#include "wire/text.h"

struct fixture {
	struct log log;
	struct host host;
	void *encode, *decode;
	struct consumer encoder, decoder, sink;
	/* What reached the sink; deliveries wait there while `hold` is set. */
	struct payload *payload;
	struct buf series, spans;
	struct delivery *held, seen;
	bool hold, copies;
	struct delivery_result answer;
	/* The result of the first delivery. */
	struct delivery_result result;
	unsigned results;
	bool copied;
	struct buf first_series;
	struct buf file;
	struct err e;
};

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Append "labels: samples, sum, links" of each series, sorted. */
static void dump(struct buf *out, const struct profile_batch *b, const struct series_map *map)
{
	char **lines = calloc(map->series.n + 1, sizeof(char *));

	assert_non_null(lines);
	for (uint32_t i = 0; i < map->series.n; i++) {
		struct label_set labels = map->series.at[i].labels;
		struct buf line = {0};
		uint64_t sum = 0, links = 0, times = 0;

		for (uint32_t k = 0; k < labels.n; k++)
			buf_printf(&line, "%.*s=%.*s ", STR_ARG(labels.at[k].name),
				   STR_ARG(labels.at[k].value));
		for (uint32_t k = 0; k < b->sample_count; k++) {
			if (map->of_sample[k] != i)
				continue;
			sum += (uint64_t)sample_total(b, k) * (uint64_t)map->series.at[i].scale;
			links += b->links.at[b->sample_link[k]].span_id[0];
			for (uint32_t t = b->sample_times_at[k]; t < b->sample_times_at[k + 1]; t++)
				times += b->times.at[t];
		}
		buf_printf(&line, "%llu %llu %llu\n", (unsigned long long)sum,
			   (unsigned long long)links, (unsigned long long)times);
		buf_put(&line, "", 1);
		lines[i] = line.p;
	}
	qsort(lines, map->series.n, sizeof(char *), compare_lines);
	for (uint32_t i = 0; i < map->series.n; i++) {
		buf_put_str(out, str_from(lines[i]));
		free(lines[i]);
	}
	free(lines);
}

static bool sink_consume(void *state, struct delivery *d)
{
	struct fixture *f = state;
	bool copies = f->copies;

	f->seen = *d;
	if (d->payload) {
		payload_release(f->payload);
		f->payload = payload_keep(d->payload, NULL);
	} else if (d->batch) {
		dump(&f->series, d->batch, d->series);
	} else {
		for (uint32_t i = 0; i < d->spans->spans.n; i++)
			buf_printf(&f->spans, "%.*s ", STR_ARG(d->spans->spans.at[i].name));
	}
	d->copied = copies;
	if (f->hold)
		f->held = d;
	else
		delivery_done(d, &f->answer);
	return copies;
}

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct component_env env = {0};

	*state = f;
	if (!f || host_init(&f->host, 1, 64 * MIB, &f->log, &f->e))
		return -1;
	f->sink = (struct consumer){f, sink_consume, NULL, NULL};
	env = (struct component_env){.id = "", .host = &f->host, .log = &f->log};
	env.next[signal_index(SIGNAL_PROFILES)] = &f->sink;
	if (encode_stage.create(&f->encode, &env, NULL, &f->e))
		return -1;
	env.next[signal_index(SIGNAL_TRACES)] = &f->sink;
	if (decode_stage.create(&f->decode, &env, NULL, &f->e))
		return -1;
	f->encoder = (struct consumer){f->encode, encode_stage.consume, NULL, NULL};
	f->decoder = (struct consumer){f->decode, decode_stage.consume, NULL, NULL};
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	payload_release(f->payload);
	encode_stage.destroy(f->encode);
	decode_stage.destroy(f->decode);
	host_fini(&f->host);
	buf_fini(&f->series);
	buf_fini(&f->first_series);
	buf_fini(&f->spans);
	buf_fini(&f->file);
	free(f);
	return 0;
}

static struct str load(struct fixture *f, const char *name)
{
	const char *root = getenv("SOURCE_ROOT");
	char path[512];
	FILE *in;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", root ? root : ".", name);
	in = fopen(path, "rb");
	assert_non_null(in);
	buf_clear(&f->file);
	do {
		char *to = buf_reserve(&f->file, 64 * KIB);

		assert_non_null(to);
		n = fread(to, 1, 64 * KIB, in);
		f->file.n += n;
	} while (n);
	fclose(in);
	return buf_str(&f->file);
}

static void intake_done(struct intake *in, const struct delivery_result *result)
{
	struct fixture *f = in->owner;

	f->result = *result;
	f->results++;
	f->copied = in->delivery.copied;
	intake_put(&f->host.intakes, in);
}

/* Deliver what the intake has decoded to the encode stage. */
static void deliver(struct fixture *f, struct intake *in, const struct series_limits *limits)
{
	struct series_map map;

	buf_clear(&f->first_series);
	assert_ok(series_map_init(&map, &in->work->batch, limits, &in->work->arena));
	dump(&f->first_series, &in->work->batch, &map);
	in->done = intake_done;
	in->owner = f;
	f->results = 0;
	assert_ok(intake_deliver(in, &f->encoder, STR("team"), limits));
}

static void payload_done(struct delivery *d, const struct delivery_result *result)
{
	struct fixture *f = d->owner;

	f->result = *result;
	f->copied = d->copied;
	f->results++;
}

/* Deliver a payload to the decode stage. Return what consume() returned. */
static bool decode(struct fixture *f, const struct payload *p)
{
	static const struct http_header header = {STR_INIT("x-team"), STR_INIT("a")};
	static struct delivery d;

	d = (struct delivery){.signal = p->signal,
			      .tenant = STR("team"),
			      .received = 1234,
			      .transport = "grpc",
			      .payload = p,
			      .metadata = &header,
			      .metadata_count = 1,
			      .done = payload_done,
			      .owner = f};
	f->results = 0;
	buf_clear(&f->series);
	buf_clear(&f->spans);
	return consumer_consume(&f->decoder, &d);
}

/* Decode what reached the sink as payload, and expect the series that were encoded. */
static void expect_same_series(struct fixture *f)
{
	struct payload *p = f->payload;

	assert_int_equal(f->results, 1);
	assert_ok(f->result.rc);
	assert_non_null(p);
	f->payload = NULL;
	decode(f, p);
	assert_int_equal(f->results, 1);
	assert_ok(f->result.rc);
	assert_int_equal(f->result.rejected, 0);
	assert_true(f->first_series.n);
	assert_str_equal(buf_str(&f->series), buf_str(&f->first_series));
	payload_release(p);
}

static void ingest(struct fixture *f, const char *query, struct str body)
{
	struct intake *in = intake_get(&f->host.intakes);
	struct ingest_request r = {.query = str_from(query),
				   .body = body,
				   .now = 1763199420000000000,
				   .max_bytes = 64 * MIB};

	assert_non_null(in);
	assert_ok_err(ingest_decode(&in->work->batch, &in->work->arena, &r, &f->e), &f->e);
	deliver(f, in, NULL);
}

static void series_of_pyroscope_clients_survive_otlp(void **state)
{
	static const char *const names[] = {
		"name=shop.cpu%7Bregion%3Deu%2Cpod%3Da-1%7D&format=folded&from=1763199410",
		"name=shop.inuse_space&format=folded&spyName=gospy",
		"name=shop.wall&format=folded&sampleRate=1000",
		"name=shop.mutex_duration&format=folded",
		"format=folded",
	};
	struct fixture *f = *state;
	struct str body;

	for (size_t i = 0; i < countof(names); i++) {
		ingest(f, names[i], STR("main;work 3\nmain;idle 4\n"));
		expect_same_series(f);
		assert_int_equal(f->seen.received, 1234);
	}
	body = load(f, "examples/checkout.pb.gz");
	ingest(f, "name=checkout%7Benv%3Dprod%7D&format=pprof&spyName=gospy", body);
	assert_true(f->payload->items > 10);
	expect_same_series(f);
	ingest(f, "format=pprof", body);
	expect_same_series(f);
}

/* Add a profile of the type with one sample of 7, and a link and a time. */
static void add_profile(struct profile_builder *b, const char *type, const char *unit)
{
	struct profile row = {.time_unix_nano = 1763199410000000000, .duration_nano = 1000};
	struct link link = {{1}, {2}};
	uint32_t frame, stack, link_id, attribute;

	assert_ok(profile_add_string(b, str_from(type), &row.sample_type.type));
	assert_ok(profile_add_string(b, str_from(unit), &row.sample_type.unit));
	assert_ok(profile_add_profile(b, &row, NULL, 0));
	assert_ok(profile_add_frame(b, STR("main"), STR("main.c"), 3, &frame));
	assert_ok(profile_add_stack(b, &frame, 1, &stack));
	assert_ok(profile_add_link(b, &link, &link_id));
	assert_ok(profile_add_attribute(b, STR("thread"), VALUE_OF_STR(STR("main")), STR(""),
					&attribute));
	assert_ok(vec_push(&b->batch->arena, &b->batch->sample_attributes, attribute));
	assert_ok(vec_push(&b->batch->arena, &b->batch->values, 7));
	assert_ok(vec_push(&b->batch->arena, &b->batch->times, row.time_unix_nano + 5));
	assert_ok(profile_sample_end(b->batch, stack, link_id));
}

static void service_name_becomes_the_attribute_of_otlp(void **state)
{
	const struct keyvalue both[] = {
		{STR("service.name"), VALUE_OF_STR(STR("old"))},
		{STR("service_name"), VALUE_OF_STR(STR("shop"))},
		{STR("__name__"), VALUE_OF_STR(STR("my_profile"))},
		{STR("service.version"), VALUE_OF_STR(STR("2"))},
	};
	struct fixture *f = *state;
	struct intake *in = intake_get(&f->host.intakes);
	struct profile_batch out;
	struct profile_builder b;

	assert_ok(profile_builder_init(&b, &in->work->batch));
	assert_ok(profile_add_resource(&b, both, countof(both)));
	assert_ok(profile_add_scope(&b, STR("s"), STR("1"), NULL, 0));
	add_profile(&b, "cpu", "nanoseconds");
	deliver(f, in, NULL);
	assert_ok(profile_batch_init(&out, NULL));
	assert_ok_err(
		otlp_decode(&out, f->payload->slices[0].bytes, &(struct decode_options){0}, &f->e),
		&f->e);
	assert_int_equal(out.resources.at[0].attributes.n, 3);
	assert_str_equal(
		profile_find_keyvalue(&out, out.resources.at[0].attributes, STR("service.name"))->s,
		STR("shop"));
	profile_batch_fini(&out);
	expect_same_series(f);
}

#define LONG_60 "123456789_123456789_123456789_123456789_123456789_123456789_"

static void a_refused_profile_is_left_out_and_reported_once(void **state)
{
	static const struct series_limits limits = {100, 20, 60};
	const struct keyvalue fine = {STR("pod"), VALUE_OF_STR(STR("a"))};
	const struct keyvalue over = {STR("pod"), VALUE_OF_STR(STR(LONG_60 "x"))};
	struct fixture *f = *state;
	struct intake *in = intake_get(&f->host.intakes);
	struct profile_builder b;

	assert_ok(profile_builder_init(&b, &in->work->batch));
	for (unsigned i = 0; i < 4; i++) {
		assert_ok(profile_add_resource(&b, i % 2 ? &over : &fine, 1));
		assert_ok(profile_add_scope(&b, STR("s"), STR("1"), NULL, 0));
		add_profile(&b, i < 2 ? "wall" : "alloc_space", i < 2 ? "nanoseconds" : "bytes");
	}
	deliver(f, in, &limits);
	assert_int_equal(f->result.rejected, 2);
	assert_int_equal(f->payload->items, 2);
	expect_same_series(f);
}

static void a_waiting_payload_does_not_hold_the_batch(void **state)
{
	struct fixture *f = *state;

	f->hold = true;
	f->answer = (struct delivery_result){.rejected = 3, .reason = "three too many"};
	ingest(f, "name=shop&format=folded", STR("main 3\n"));
	assert_int_equal(f->results, 0);
	assert_int_equal(f->host.intakes.kept, 1); /* the memory of the batch is free again */
	assert_str_equal(f->held->tenant, STR("team"));
	assert_null(f->held->batch);
	assert_ptr_equal(f->held->payload, f->payload); /* counted: not copied */
	delivery_done(f->held, &f->answer);
	assert_int_equal(f->results, 1);
	assert_true(f->copied);
	assert_int_equal(f->result.rejected, 3);
	assert_string_equal(f->result.reason, "three too many");
}

/* Return a payload of traces with one span of this name; a bad span has no id. */
static struct payload *span_payload(const char *name, bool bad)
{
	struct proto_writer w;

	proto_writer_init(&w, NULL);
	proto_put_bytes(&w, 5, str_from(name));
	if (!bad)
		proto_put_bytes(&w, 2, STR("spanspan"));
	proto_put_bytes(&w, 1, STR("tracetracetracet"));
	for (unsigned i = 0; i < 3; i++)
		proto_put_header(&w, i < 2 ? 2 : 1, 0);
	return payload_take_written(SIGNAL_TRACES, 1, &w);
}

static void a_batch_of_spans_is_decoded_as_one(void **state)
{
	struct fixture *f = *state;
	struct payload *parts[] = {span_payload("a", false), span_payload("b", true),
				   span_payload("c", false)};
	struct payload *all = payload_concat(parts, countof(parts));

	assert_non_null(all);
	assert_false(decode(f, all));
	assert_str_equal(buf_str(&f->spans), STR("a c "));
	assert_ok(f->result.rc);
	assert_int_equal(f->result.rejected, 1);
	assert_non_null(strstr(f->result.reason, "id"));
	assert_int_equal(f->seen.received, 1234);
	assert_str_equal(f->seen.tenant, STR("team"));
	assert_string_equal(f->seen.transport, "grpc");
	assert_int_equal(f->seen.metadata_count, 1);
	for (size_t i = 0; i < countof(parts); i++)
		payload_release(parts[i]);
	payload_release(all);
}

static void the_result_and_the_copy_are_passed_back(void **state)
{
	struct fixture *f = *state;
	struct payload *p = span_payload("a", false);

	f->copies = f->hold = true;
	assert_true(decode(f, p));
	assert_int_equal(f->results, 0);
	delivery_done(f->held, &(struct delivery_result){
				       .rc = -EAGAIN, .retry_after_ms = 70, .reason = "later"});
	assert_int_equal(f->results, 1);
	assert_true(f->copied);
	assert_int_equal(f->result.rc, -EAGAIN);
	assert_int_equal(f->result.retry_after_ms, 70);
	assert_string_equal(f->result.reason, "later");
	payload_release(p);
}

static void a_damaged_payload_is_refused(void **state)
{
	struct fixture *f = *state;
	struct payload *p = payload_copy(SIGNAL_TRACES, 1, STR("\x0a\x7f"), NULL);

	assert_false(decode(f, p));
	assert_int_equal(f->results, 1);
	assert_int_equal(f->result.rc, -EBADMSG);
	assert_non_null(strstr(f->result.reason, "at byte"));
	payload_release(p);
	p = payload_copy(SIGNAL_PROFILES, 1, STR("\x0a\x7f"), NULL);
	assert_false(decode(f, p));
	assert_int_equal(f->result.rc, -EBADMSG);
	payload_release(p);
	p = payload_copy(SIGNAL_PROFILES, 0, STR(""), NULL);
	decode(f, p);
	assert_int_equal(f->results, 1);
	assert_ok(f->result.rc);
	payload_release(p);
}

static void signals_without_an_encoder_are_refused(void **state)
{
	struct fixture *f = *state;
	struct component_env env = {.host = &f->host};
	void *instance = NULL;

	env.next[signal_index(SIGNAL_TRACES)] = &f->sink;
	assert_int_equal(encode_stage.create(&instance, &env, NULL, &f->e), -EINVAL);
	assert_err_says(&f->e, "traces cannot be encoded");
	assert_null(instance);
}

TEST_MAIN(test_with(fixture, series_of_pyroscope_clients_survive_otlp),
	  test_with(fixture, service_name_becomes_the_attribute_of_otlp),
	  test_with(fixture, a_refused_profile_is_left_out_and_reported_once),
	  test_with(fixture, a_waiting_payload_does_not_hold_the_batch),
	  test_with(fixture, a_batch_of_spans_is_decoded_as_one),
	  test_with(fixture, the_result_and_the_copy_are_passed_back),
	  test_with(fixture, a_damaged_payload_is_refused),
	  test_with(fixture, signals_without_an_encoder_are_refused))
