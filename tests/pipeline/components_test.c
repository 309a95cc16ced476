/* SPDX-License-Identifier: Apache-2.0 */
/* The components memory_limiter and store, each in isolation. */
#include "pipeline/exporters/store/store_exporter.h"
#include "pipeline/processors/memory_limiter/memory_limiter.h"
#include "test/test.h"

struct fixture {
	struct config config;
	struct host host;
	struct arena arena;
	void *settings;
	void *instance;
	const struct component *type;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	arena_init(&f->arena, NULL);
	return config_init(&f->config, NULL) || host_init(&f->host, 1, MIB, NULL, &f->e);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	if (f->instance)
		f->type->destroy(f->instance);
	host_fini(&f->host);
	config_fini(&f->config);
	arena_fini(&f->arena);
	free(f);
	return 0;
}

static unsigned passed;

static bool pass(void *state, struct delivery *d)
{
	(void)state;
	passed++;
	delivery_done(d, &(struct delivery_result){0});
	return false;
}

static struct consumer end = {.consume = pass};

/* Create an instance of the component with these settings. Return 0 or a negative errno. */
static int make(struct fixture *f, const struct component *type, const char *yaml)
{
	struct component_env env = {.id = type->name, .host = &f->host, .next = {&end}};
	int rc;

	f->e = (struct err){0};
	if (f->instance)
		f->type->destroy(f->instance);
	f->instance = NULL;
	f->type = type;
	f->settings = arena_zalloc(&f->arena, 1, type->settings_size);
	assert_non_null(f->settings);
	assert_ok_err(config_parse(&f->config, str_from(yaml), "c.yaml", NULL, NULL, &f->e), &f->e);
	rc = settings_read(type->settings, f->config.root, type->name, f->settings, &f->arena,
			   &f->e);
	if (!rc && type->check)
		rc = type->check(f->settings, &f->e);
	return rc ? rc : type->create(&f->instance, &env, f->settings, &f->e);
}

static struct delivery_result result;
static unsigned results;

static void done(struct delivery *d, const struct delivery_result *r)
{
	(void)d;
	result = *r;
	results++;
}

static struct delivery delivery = {.signal = SIGNAL_PROFILES, .done = done};

static void over_the_limit_requests_are_refused_before_reading_the_body(void **state)
{
	struct fixture *f = *state;
	struct delivery_result why = {0};

	assert_ok_err(make(f, &memory_limiter_processor, "limit_mib: 1"), &f->e);
	assert_false(f->type->admit(f->instance, 1, &why));
	assert_int_equal(why.rc, -EAGAIN);
	assert_int_equal(why.retry_after_ms, 1000);
	assert_string_equal(why.reason, "data refused due to high memory usage (memory_limiter)");
	passed = results = 0;
	f->type->consume(f->instance, &delivery);
	assert_int_equal(passed, 0);
	assert_int_equal(results, 1);
	assert_int_equal(result.rc, -EAGAIN);
}

static void accepted_requests_count_until_the_next_check(void **state)
{
	struct fixture *f = *state;
	struct delivery_result why = {0};
	unsigned accepted = 0;

	assert_ok_err(make(f, &memory_limiter_processor, "{limit_mib: 100000, spike_limit_mib: 1}"),
		      &f->e);
	/* each request is counted with three times its size */
	while (accepted < 100 && f->type->admit(f->instance, 5000 * MIB, &why))
		accepted++;
	assert_in_range(accepted, 1, 7);
	assert_false(f->type->admit(f->instance, UINT64_MAX, &why));
	passed = results = 0;
	f->type->consume(f->instance, &delivery);
	assert_int_equal(passed, 1);
	assert_int_equal(result.rc, 0);
}

static void contradictory_limits_are_refused(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(make(f, &memory_limiter_processor, "check_interval: 0"), -EINVAL);
	assert_err_says(&f->e, "\"check_interval\" has to be greater than zero");
	assert_int_equal(make(f, &memory_limiter_processor, "{limit_mib: 10, spike_limit_mib: 10}"),
			 -EINVAL);
	assert_err_says(&f->e, "\"spike_limit_mib\" has to be smaller than \"limit_mib\"");
	assert_ok_err(make(f, &memory_limiter_processor, "limit_percentage: 50"), &f->e);
	assert_true(memory_limiter_default() <= GIB);
	assert_true(memory_limiter_resident() > MIB);
	assert_true(memory_limiter_machine() > memory_limiter_resident());
}

/* A store that holds a write until the test completes it. */
static struct store_write *kept;
static int put_rc;
static bool closed;

static int put(struct store *s, struct store_write *w, struct err *e)
{
	(void)s;
	if (put_rc)
		return err_set(e, put_rc, "the queue is full");
	kept = w;
	return 0;
}

static void close_store(struct store *s)
{
	(void)s;
	closed = true;
}

static const struct store_ops ops = {.put = put, .close = close_store};
static struct store store = {&ops};

static int open_store(void *arg, const struct store_settings *s, struct store **out, struct err *e)
{
	if (str_eq(s->directory, STR("bad")))
		return err_set(e, -EACCES, "bad: no");
	assert_ptr_equal(arg, &store);
	assert_int_equal(s->retention_ns / 1000000000, 86400);
	*out = &store;
	return 0;
}

static void a_delivery_completes_when_the_store_reports_the_result(void **state)
{
	struct fixture *f = *state;

	f->host.open_store = open_store;
	f->host.open_store_arg = &store;
	put_rc = 0;
	closed = false;
	assert_ok_err(make(f, &store_exporter, "retention: 1d"), &f->e);
	assert_ptr_equal(f->host.store, &store);
	results = 0;
	f->type->consume(f->instance, &delivery);
	assert_int_equal(results, 0);
	kept->duplicates = 2;
	kept->done(kept, 0, NULL);
	assert_int_equal(results, 1);
	assert_int_equal(result.rc, 0);
	assert_int_equal(result.duplicates, 2);
	f->type->consume(f->instance, &delivery);
	kept->done(kept, -ENOSPC, &(struct err){.code = -ENOSPC, .text = "no room"});
	assert_int_equal(result.rc, -ENOSPC);
	assert_string_equal(result.reason, "no room");
	assert_true(result.retry_after_ms > 0);
	put_rc = -EAGAIN;
	f->type->consume(f->instance, &delivery);
	assert_int_equal(results, 3);
	assert_int_equal(result.rc, -EAGAIN);
	assert_string_equal(result.reason, "the queue is full");
	f->type->destroy(f->instance);
	f->instance = NULL;
	assert_true(closed);
	assert_null(f->host.store);
}

/* The client gets the result of a write with the reason and the time to retry after. */
static void each_result_of_the_store_is_passed_on(void **state)
{
	static const struct {
		int rc;
		uint32_t retry_after_ms;
	} cases[] = {{-EAGAIN, 1000}, {-ENOMEM, 1000}, {-ENOSPC, 5000}, {-EROFS, 5000},
		     {-EIO, 5000},    {-EINVAL, 0},    {-EBADMSG, 0},	{-EFBIG, 0}};
	struct fixture *f = *state;

	f->host.open_store = open_store;
	f->host.open_store_arg = &store;
	assert_ok_err(make(f, &store_exporter, "retention: 1d"), &f->e);
	for (size_t i = 0; i < countof(cases); i++)
		for (unsigned late = 0; late < 2; late++) {
			put_rc = late ? 0 : cases[i].rc;
			results = 0;
			f->type->consume(f->instance, &delivery);
			if (late)
				kept->done(kept, cases[i].rc,
					   &(struct err){.code = cases[i].rc, .text = "why"});
			assert_int_equal(results, 1);
			assert_int_equal(result.rc, cases[i].rc);
			assert_int_equal(result.retry_after_ms, cases[i].retry_after_ms);
			assert_string_equal(result.reason, late ? "why" : "the queue is full");
			assert_int_equal(result.rejected, 0);
		}
	put_rc = 0;
	f->type->consume(f->instance, &delivery);
	kept->rejected = 3;
	snprintf(kept->reason, sizeof(kept->reason), "the sender's clock");
	kept->done(kept, 0, NULL);
	assert_int_equal(result.rc, 0);
	assert_int_equal(result.retry_after_ms, 0);
	assert_int_equal(result.rejected, 3);
	assert_string_equal(result.reason, "the sender's clock");
	/* the next delivery has nothing left over from it */
	f->type->consume(f->instance, &delivery);
	kept->done(kept, 0, NULL);
	assert_int_equal(result.rejected, 0);
	assert_string_equal(result.reason, "");
}

static void a_store_that_does_not_open_is_an_error(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(make(f, &store_exporter, ""), -ENOTSUP);
	f->host.open_store = open_store;
	assert_int_equal(make(f, &store_exporter, "directory: bad"), -EACCES);
	assert_string_equal(f->e.text, "bad: no");
}

/* ---- documentation ---- */

#define DOCS "docs/collector/"

/* Read a file of the source tree; the caller frees it. Return NULL if it does not exist. */
static char *read_source(const char *name)
{
	const char *root = getenv("SOURCE_ROOT");
	char path[1000], *text;
	long size;
	FILE *f;

	assert_non_null(root);
	snprintf(path, sizeof(path), "%s/%s", root, name);
	f = fopen(path, "r");
	if (!f)
		return NULL;
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	assert_true(size >= 0);
	rewind(f);
	text = calloc(1, (size_t)size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)size, f), size);
	fclose(f);
	return text;
}

/* docs/collector/README.md has "| receiver | [`otlp`](PAGE#SECTION) |", and the page exists. */
static void each_component_is_in_the_table_of_the_documentation(void **state)
{
	char *table = read_source(DOCS "README.md");

	(void)state;
	assert_non_null(table);
	for (const struct component *const *c = components; *c; c++) {
		char row[200], page[300], *text;
		const char *at;

		snprintf(row, sizeof(row), "| %s | [`%s`](", component_kind_names[(*c)->kind],
			 (*c)->name);
		at = strstr(table, row);
		if (!at)
			fail_msg(DOCS "README.md has no row \"%sPAGE) | ...\"", row);
		at += strlen(row);
		snprintf(page, sizeof(page), DOCS "%.*s", (int)strcspn(at, "#)"), at);
		text = read_source(page);
		if (!text)
			fail_msg(DOCS "README.md: %s: there is no page %s", row, page);
		free(text);
	}
	free(table);
}

TEST_MAIN(test_with(fixture, over_the_limit_requests_are_refused_before_reading_the_body),
	  test_with(fixture, accepted_requests_count_until_the_next_check),
	  test_with(fixture, contradictory_limits_are_refused),
	  test_with(fixture, a_delivery_completes_when_the_store_reports_the_result),
	  test_with(fixture, each_result_of_the_store_is_passed_on),
	  test_with(fixture, a_store_that_does_not_open_is_an_error),
	  cmocka_unit_test(each_component_is_in_the_table_of_the_documentation))
