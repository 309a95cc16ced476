/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are opened without storing them: queries return the same as if they were in a store.
 */
#include "api_test.h"

#include "api/endpoint.h"
#include "api/varve/varve.h"
#include "openapi.h"
#include "signal/profile/profile_rows.h"
#include "signal/random_batch.h"

struct fixture {
	struct store *store;
	struct files files;
	struct budget budget; /* for the files */
};

enum { FILES_LIMIT = 64 * 1024 };

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->budget.limit = 64 * MIB;
	files_init(&f->files, &f->budget, FILES_LIMIT);
	*state = f;
	return memory_store_open(&f->store);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	files_fini(&f->files);
	assert_int_equal(f->budget.used, 0);
	f->store->ops->close(f->store);
	free(f);
	return 0;
}

static api_answer *answer_of(const char *path)
{
	const struct endpoint *at = varve_endpoints;

	while (!str_eq(at->path, str_from(path)))
		at++;
	return at->answer;
}

static void request_begin(struct test_request *q, struct fixture *f)
{
	test_request_init(q, f->store);
	q->request.files = &f->files;
}

static int send_request(struct test_request *q, const char *path, const char *query)
{
	return request_page(q, answer_of(path), query);
}

#define ID_TEXT (2 * FILE_ID_SIZE + 1)

/* Open the file; its id is written to `id`. */
static void open_file(struct fixture *f, struct str bytes, const char *query, char id[ID_TEXT])
{
	struct openapi o;
	struct test_request q;

	request_begin(&q, f);
	q.request.body = bytes;
	assert_ok_err(send_request(&q, "/api/v1/files", query), &q.e);
	openapi_open(&o);
	openapi_check_answer(&o, STR("/api/v1/files"), "post", "200", buf_str(&q.reply.body));
	openapi_close(&o);
	assert_true(str_starts(buf_str(&q.reply.body), STR("{\"id\":\"")));
	snprintf(id, ID_TEXT, "%.32s", q.reply.body.p + 7);
	test_request_fini(&q);
}

static void assert_response(struct fixture *f, const char *path, const char *query,
			    const char *part)
{
	struct openapi o;
	struct test_request q;

	request_begin(&q, f);
	assert_ok_err(send_request(&q, path, query), &q.e);
	openapi_open(&o);
	openapi_check_answer(&o, str_from(path), "get", "200", buf_str(&q.reply.body));
	openapi_close(&o);
	assert_has(buf_str(&q.reply.body), part);
	test_request_fini(&q);
}

static void assert_refused(struct fixture *f, const char *path, const char *query, int rc,
			   const char *says)
{
	struct test_request q;

	request_begin(&q, f);
	assert_int_equal(send_request(&q, path, query), rc);
	assert_err_says(&q.e, says);
	test_request_fini(&q);
}

/* ---- comparison with a store ---- */

/*
 * Make a file with several services and types, samples with and without times and links, and a
 * gauge over half an hour.
 */
static void make_file(struct buf *out)
{
	struct profile_batch batch;
	struct profile_builder b;
	struct err e = {0};

	assert_ok(profile_batch_init(&batch, NULL));
	assert_ok(profile_builder_init(&b, &batch));
	assert_ok(random_batch(&b, 5, 7, 40));
	for (unsigned i = 0; i < 5; i++) {
		struct keyvalue kv = {STR("service.name"), VALUE_OF_STR(STR("heavy"))};
		struct profile row = {.time_unix_nano = (T0 + i * 400) * S, .duration_nano = S};
		uint32_t stack;

		assert_ok(profile_add_resource(&b, &kv, 1));
		assert_ok(profile_add_scope(&b, STR("scope"), STR(""), NULL, 0));
		assert_ok(profile_add_string(&b, STR("inuse_space"), &row.sample_type.type));
		assert_ok(profile_add_string(&b, STR("bytes"), &row.sample_type.unit));
		assert_ok(profile_add_profile(&b, &row, NULL, 0));
		for (uint64_t seed = i, k = 0; k < 5; k++) {
			assert_ok(random_stack(&b, &seed, &stack));
			assert_ok(profile_add_sample(&b, stack, 0, NULL, 0,
						     100 + test_random(&seed, 1000)));
		}
	}
	assert_ok_err(
		format_by_name(STR("otlp"))->encode(out, &batch, &(struct encode_options){0}, &e),
		&e);
	profile_batch_fini(&batch);
}

static void assert_same(struct fixture *f, const char *path, const char *query, const char *file)
{
	struct test_request stored, dropped;
	char with_file[512];

	request_begin(&stored, f);
	request_begin(&dropped, f);
	snprintf(with_file, sizeof(with_file), "%s&%s", query, file);
	assert_ok_err(send_request(&stored, path, query), &stored.e);
	assert_ok_err(send_request(&dropped, path, with_file), &dropped.e);
	assert_str_equal(buf_str(&dropped.reply.body), buf_str(&stored.reply.body));
	test_request_fini(&stored);
	test_request_fini(&dropped);
}

static void queries_of_a_file_match_those_of_a_store(void **state)
{
	static const struct {
		const char *path, *query;
	} cases[] = {
		{"/api/v1/services", ""},
		{"/api/v1/types", ""},
		{"/api/v1/labels", ""},
		{"/api/v1/label-values", "&name=service_name"},
		{"/api/v1/label-sets", "&name=service_name"},
		{"/api/v1/profiles", "&type=wall"},
		{"/api/v1/top", "&type=wall"},
		{"/api/v1/top", "&type=cpu&query=service_1"},
		{"/api/v1/top", "&type=inuse_space"},
		{"/api/v1/top", "&type=cpu&span=0100000000000000"},
		{"/api/v1/tree", "&type=cpu&focus=function_1&hide=_2"},
		{"/api/v1/tree", "&type=cpu&function=function_7&invert=1&group=file"},
		{"/api/v1/flame", "&type=wall&width=100&ignore=function_3&show_from=function_2"},
		{"/api/v1/flame", "&type=wall&profile=07080000000000000000000000000004"},
		{"/api/v1/callers", "&type=wall&function=function_4"},
		{"/api/v1/series", "&type=cpu&by=service_name&step=30d"},
		{"/api/v1/series", "&type=inuse_space&step=30d"},
		{"/api/v1/series", "&type=cpu&function=function_1&step=30d"},
		{"/api/v1/heatmap", "&type=wall&step=30d&spans=1"},
		{"/api/v1/span", "&type=cpu&span=0100000000000000"},
		{"/api/v1/trace", "&type=wall&trace=01000000000000000000000000000000"},
		{"/api/v1/spans", "&type=wall&n=1"},
		{"/api/v1/spans", "&type=wall&function=function_7"},
		{"/api/v1/moments", "&type=cpu&rows=7"},
		{"/api/v1/moments", "&type=wall&trace=01000000000000000000000000000000"},
		{"/api/v1/top", "&type=wall&phase_step=0.001&phase_from=0.0002&phase_to=0.0007"},
		{"/api/v1/profile", "&type=cpu&format=folded"},
		{"/api/v1/profile", "&type=wall&format=otlp&query=service_0"},
	};
	struct fixture *f = *state;
	struct buf bytes = {0};
	struct test_request q;
	char id[ID_TEXT], file[128], query[256];

	make_file(&bytes);
	open_file(f, buf_str(&bytes), "name=a.otlp", id);
	request_begin(&q, f);
	q.request.body = buf_str(&bytes);
	assert_ok_err(send_request(&q, "/api/v1/upload", ""), &q.e);
	test_request_fini(&q);
	snprintf(file, sizeof(file), "file=%s", id);
	for (size_t i = 0; i < countof(cases); i++) {
		snprintf(query, sizeof(query), "from=0&to=now%s", cases[i].query);
		assert_same(f, cases[i].path, query, file);
	}
	snprintf(file, sizeof(file), "before_file=%s&after_file=%s", id, id);
	assert_same(f, "/api/v1/diff",
		    "before=service_1&after=service_2&type=cpu&before_from=0&after_from=0&before_"
		    "to=now&after_to=now&flame=1",
		    file);
	/* one side from the file, one from the store */
	snprintf(file, sizeof(file), "after_file=%s", id);
	assert_same(f, "/api/v1/diff",
		    "before=service_1&after=service_2&type=cpu&before_from=0&after_from=0&before_"
		    "to=now&after_to=now",
		    file);
	buf_fini(&bytes);
}

/* ---- open files ---- */

#define WORK STR("main;work 3\nmain;idle 4\n")

static void opening_a_file_again_returns_the_same_id(void **state)
{
	struct fixture *f = *state;
	char id[ID_TEXT], again[ID_TEXT], query[128];

	open_file(f, WORK, "name=a.folded", id);
	open_file(f, WORK, "name=b.txt&format=folded", again);
	assert_string_equal(id, again);
	assert_int_equal(f->files.count, 1);
	snprintf(query, sizeof(query), "id=%s", id);
	assert_response(
		f, "/api/v1/files", query,
		"\"name\":\"b.txt\",\"format\":\"folded\",\"bytes\":24,"
		"\"from\":1700000060000,\"to\":1700000060000,\"profiles\":1,\"samples\":2,");
	snprintf(query, sizeof(query), "file=%s", id);
	assert_response(f, "/api/v1/top", query, "\"total\":7,\"kept\":7");
	assert_response(f, "/api/v1/top", query, "\"from\":1700000060000,\"to\":1700000060000");
	assert_response(f, "/api/v1/types", query, "\"gauge\":false");
}

static void the_default_type_is_that_of_the_file(void **state)
{
	struct fixture *f = *state;
	char id[ID_TEXT], query[128];
	struct buf pprof = {0};
	struct profile_batch batch;
	struct profile_builder b;
	struct err e = {0};
	uint32_t location, stack;

	assert_ok(profile_batch_init(&batch, NULL));
	assert_ok(profile_builder_init(&b, &batch));
	assert_ok(profile_begin(&b, STR("inuse_space"), STR("bytes")));
	assert_ok(profile_add_frame(&b, STR("main"), STR(""), 0, &location));
	assert_ok(profile_add_stack(&b, &location, 1, &stack));
	assert_ok(profile_add_sample(&b, stack, 0, NULL, 0, 5));
	assert_ok_err(format_by_name(STR("pprof"))
			      ->encode(&pprof, &batch, &(struct encode_options){0}, &e),
		      &e);
	open_file(f, buf_str(&pprof), "", id);
	snprintf(query, sizeof(query), "id=%s", id);
	assert_response(f, "/api/v1/files", query, "\"type\":\"memory:inuse_space:bytes:");
	snprintf(query, sizeof(query), "file=%s", id);
	assert_response(f, "/api/v1/flame", query, "\"type\":\"memory:inuse_space:bytes:");
	buf_fini(&pprof);
	profile_batch_fini(&batch);
}

static uint32_t add_place(struct profile_builder *b, const char *name, int64_t start, int64_t at)
{
	struct function f = {.start_line = start};
	struct line line = {.line = at};
	uint32_t location;

	assert_ok(profile_add_string(b, str_from(name), &f.name));
	assert_ok(profile_add_string(b, STR("a.c"), &f.filename));
	assert_ok(profile_add_function(b, &f, &line.function));
	assert_ok(profile_add_location(b, &(struct location_parts){.lines = &line, .line_count = 1},
				       &location));
	return location;
}

/* The line of a function is its first line or, if unknown, the smallest line seen in it. */
static void functions_have_their_first_line(void **state)
{
	struct fixture *f = *state;
	struct profile_batch batch;
	struct profile_builder b;
	struct buf pprof = {0};
	struct err e = {0};
	uint32_t stacks[3], at[2];
	char id[ID_TEXT], query[128];

	assert_ok(profile_batch_init(&batch, NULL));
	assert_ok(profile_builder_init(&b, &batch));
	assert_ok(profile_begin(&b, STR("cpu"), STR("nanoseconds")));
	for (unsigned i = 0; i < 3; i++) {
		at[0] = i < 2 ? add_place(&b, "told", 40, 49 - i) : add_place(&b, "none", 0, 0);
		at[1] = add_place(&b, "seen", 0, 9 - i % 2);
		assert_ok(profile_add_stack(&b, at, 2, &stacks[i]));
		assert_ok(profile_add_sample(&b, stacks[i], 0, NULL, 0, 1 + i));
	}
	assert_ok_err(format_by_name(STR("pprof"))
			      ->encode(&pprof, &batch, &(struct encode_options){0}, &e),
		      &e);
	open_file(f, buf_str(&pprof), "", id);
	snprintf(query, sizeof(query), "file=%s", id);
	assert_response(f, "/api/v1/tree", query,
			"\"names\":[\"seen\",\"none\",\"told\"],"
			"\"files\":[\"a.c\",\"a.c\",\"a.c\"],"
			"\"modules\":[\"\",\"\",\"\"],\"lines\":[8,0,40],");
	assert_response(f, "/api/v1/top", query,
			"\"name\":\"told\",\"file\":\"a.c\","
			"\"module\":\"\",\"line\":40,");
	snprintf(query, sizeof(query), "file=%s&function=told", id);
	assert_response(f, "/api/v1/callers", query, "\"lines\":[40,8],");
	snprintf(query, sizeof(query), "file=%s&group=line", id);
	assert_response(f, "/api/v1/tree", query, "\"lines\":[9,0,49,8,48],");
	snprintf(query, sizeof(query), "file=%s&group=file", id);
	assert_response(f, "/api/v1/tree", query, "\"lines\":[0],");
	buf_fini(&pprof);
	profile_batch_fini(&batch);
}

static void files_that_cannot_be_read_are_refused(void **state)
{
	struct fixture *f = *state;
	struct test_request q;

	request_begin(&q, f);
	q.request.body = STR("\x01\x02 no profile");
	assert_int_equal(send_request(&q, "/api/v1/files", "format=pprof"), -EBADMSG);
	assert_err_says(&q.e, "at byte");
	test_request_fini(&q);
	assert_refused(f, "/api/v1/files", "name=x", -EINVAL, "empty body");
	assert_refused(f, "/api/v1/files", "format=nothing", -EINVAL, "unknown format \"nothing\"");
	assert_refused(f, "/api/v1/top", "file=1", -EINVAL, "hex digits");
	assert_refused(f, "/api/v1/top", "file=00000000000000000000000000000000", -ENOENT,
		       "open it again");
	assert_refused(f, "/api/v1/data",
		       "file=00000000000000000000000000000000&query=a&before=now", -ENOENT,
		       "open it again");
	assert_int_equal(f->files.count, 0);
}

static void a_file_is_visible_only_to_its_tenant(void **state)
{
	struct fixture *f = *state;
	char id[ID_TEXT], query[128];
	struct test_request q;

	open_file(f, WORK, "", id);
	snprintf(query, sizeof(query), "file=%s", id);
	request_begin(&q, f);
	q.request.tenant = STR("other");
	assert_int_equal(send_request(&q, "/api/v1/top", query), -ENOENT);
	test_request_fini(&q);
}

static void a_file_can_be_stored(void **state)
{
	struct fixture *f = *state;
	char id[ID_TEXT], query[128];
	struct test_request q;

	open_file(f, WORK, "name=a.folded", id);
	snprintf(query, sizeof(query), "file=%s&service=hand&label=env=dev", id);
	request_begin(&q, f);
	assert_ok_err(send_request(&q, "/api/v1/upload", query), &q.e);
	assert_has(buf_str(&q.reply.body), "\"format\":\"folded\",\"profiles\":1,\"samples\":2");
	test_request_fini(&q);
	assert_response(f, "/api/v1/top", "query=hand%7Benv%3D%22dev%22%7D", "\"total\":7,");
	assert_refused(f, "/api/v1/upload", "file=00000000000000000000000000000000", -ENOENT,
		       "open it again");
	assert_refused(f, "/api/v1/upload", "file=empty.folded", -EINVAL, "empty body");
}

/*
 * The least recently used file is evicted; one in use is freed when its user is done. A single file
 * may exceed the limit.
 */
static void the_least_recently_used_files_are_evicted(void **state)
{
	struct fixture *f = *state;
	struct buf bytes = {0};
	char ids[4][ID_TEXT], query[256];
	struct file *held;
	struct test_request q;
	size_t one;

	for (unsigned i = 0; i < 4; i++) {
		buf_clear(&bytes);
		for (unsigned k = 0; k < 1300; k++)
			buf_printf(&bytes, "main;work_%u_%u 1\n", i, k);
		open_file(f, buf_str(&bytes), "", ids[i]);
		one = bytes.n;
		if (i < 2) { /* use the first file again */
			snprintf(query, sizeof(query), "file=%s", ids[0]);
			assert_response(f, "/api/v1/top", query, "\"total\":1300,");
		}
		if (i == 1) { /* hold the second file */
			request_begin(&q, f);
			assert_ok(files_open(&f->files, &q.request, str_from(ids[1]), &held, &q.e));
			test_request_fini(&q);
		}
	}
	assert_true(one * 3 > FILES_LIMIT && one * 2 < FILES_LIMIT);
	assert_int_equal(f->files.count, 2);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(query, sizeof(query), "file=%s", ids[i]);
		assert_refused(f, "/api/v1/top", query, -ENOENT, "open it again");
	}
	assert_int_equal(held->batch.sample_count, 1300);
	files_release(&f->files, held);
	for (unsigned i = 0; bytes.n <= FILES_LIMIT; i++)
		buf_printf(&bytes, "main;more_%u 1\n", i);
	open_file(f, buf_str(&bytes), "", ids[0]);
	assert_int_equal(f->files.count, 1);
	snprintf(query, sizeof(query), "file=%s", ids[0]);
	assert_response(f, "/api/v1/top", query, "\"kept\":");
	buf_fini(&bytes);
}

static void files_that_run_out_of_memory_leak_nothing(void **state)
{
	struct fixture *f = *state;
	bool done = false;

	for (size_t limit = 0; !done; limit += 3000) {
		struct budget budget = {.limit = limit};
		struct files files;
		struct test_request q;
		char id[ID_TEXT], query[64];

		files_init(&files, &budget, FILES_LIMIT);
		request_begin(&q, f);
		q.request.files = &files;
		q.request.body = WORK;
		done = !send_request(&q, "/api/v1/files", "name=a.folded");
		if (done) {
			snprintf(id, sizeof(id), "%.32s", q.reply.body.p + 7);
			snprintf(query, sizeof(query), "file=%s", id);
			buf_fini(&q.reply.body);
			q.reply = (struct reply){0};
			assert_ok_err(send_request(&q, "/api/v1/flame", query), &q.e);
		}
		test_request_fini(&q);
		files_fini(&files);
		assert_int_equal(budget.used, 0);
	}
}

#define with_files(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(with_files(queries_of_a_file_match_those_of_a_store),
	  with_files(opening_a_file_again_returns_the_same_id),
	  with_files(the_default_type_is_that_of_the_file),
	  with_files(functions_have_their_first_line),
	  with_files(files_that_cannot_be_read_are_refused),
	  with_files(a_file_is_visible_only_to_its_tenant), with_files(a_file_can_be_stored),
	  with_files(the_least_recently_used_files_are_evicted),
	  with_files(files_that_run_out_of_memory_leak_nothing))
