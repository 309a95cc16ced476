/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of controlled instances: reports and orders, leases, captures, who may see what. */
#include "api/control/control.h"

#include <errno.h>
#include <unistd.h>

#include "api/control/control_request.h"
#include "base/clock.h"
#include "openapi.h"
#include "test/test.h"

struct fixture {
	struct control *control;
	struct arena arena;
	struct control_time now;
	struct err e;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f || control_new(&f->control, NULL, NULL))
		return -1;
	arena_init(&f->arena, NULL);
	f->now = (struct control_time){1000 * NS_PER_SECOND, 1700000000 * NS_PER_SECOND};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	control_free(f->control);
	arena_fini(&f->arena);
	free(f);
	return 0;
}

static void pass_seconds(struct fixture *f, unsigned seconds)
{
	f->now.monotonic += seconds * NS_PER_SECOND;
	f->now.real += seconds * NS_PER_SECOND;
}

static const struct control_caller anybody = {.name = STR_INIT("token 1")};

/* Report as an instance; return the order. */
static struct control_order report(struct fixture *f, const struct control_caller *from,
				   const char *instance, const char *service,
				   const struct control_order *before)
{
	struct control_report r = {.instance = str_from(instance),
				   .service = str_from(service),
				   .lease = before ? before->lease : 0,
				   .lease_state = before && before->lease ? CONTROL_LEASE_APPLIED
									  : CONTROL_LEASE_NONE};
	struct control_order order;

	f->e = (struct err){0};
	assert_ok_err(control_report(f->control, from, &r, f->now, &f->arena, &order, &f->e),
		      &f->e);
	return order;
}

static int set(struct fixture *f, const struct control_caller *from, const char *service,
	       unsigned hz, unsigned seconds, unsigned *instances)
{
	struct control_request r = {
		.service = str_from(service), .settings = {.cpu_hz = hz}, .seconds = seconds};
	uint64_t id;

	f->e = (struct err){0};
	return control_set(f->control, from, &r, f->now, &id, instances, &f->e);
}

static bool state_says(struct fixture *f, const struct control_caller *from, const char *text)
{
	struct buf out = {0};
	struct json_writer w = json_writer_to(&out, 0);
	bool found;

	json_open_object(&w);
	control_put_state(f->control, from, (struct str){0}, f->now, &w);
	json_close_object(&w);
	found = str_find_str(buf_str(&out), str_from(text)) < out.n;
	buf_fini(&out);
	return found;
}

static void a_lease_reaches_all_instances_of_the_service(void **state)
{
	struct fixture *f = *state;
	struct control_order a, b, c;
	unsigned n = 0;

	a = report(f, &anybody, "a", "shop", NULL);
	assert_int_equal(a.lease, 0);
	assert_in_range(a.poll_ms, 1000, 8000);
	report(f, &anybody, "b", "shop", NULL);
	report(f, &anybody, "c", "cart", NULL);
	assert_ok_err(set(f, &anybody, "shop", 500, 60, &n), &f->e);
	assert_int_equal(n, 2);
	pass_seconds(f, 4);
	a = report(f, &anybody, "a", "shop", NULL);
	b = report(f, &anybody, "b", "shop", NULL);
	c = report(f, &anybody, "c", "cart", NULL);
	assert_int_equal(a.settings.cpu_hz, 500);
	assert_int_equal(a.remaining_ms, 56000);
	assert_str_equal(a.author, STR("token 1"));
	assert_int_equal(b.lease, a.lease);
	assert_int_equal(c.lease, 0);
	assert_true(state_says(f, &anybody, "\"waiting\":2,\"applied\":0"));
	report(f, &anybody, "a", "shop", &a);
	assert_true(state_says(f, &anybody, "\"waiting\":1,\"applied\":1"));
	/* one that starts later gets the rest of the time */
	a = report(f, &anybody, "late", "shop", NULL);
	assert_int_equal(a.remaining_ms, 56000);
	pass_seconds(f, 56);
	assert_int_equal(report(f, &anybody, "a", "shop", NULL).lease, 0);
	assert_true(state_says(f, &anybody, "\"leases\":[]"));
}

static void a_lease_is_ended_before_its_time(void **state)
{
	struct fixture *f = *state;
	unsigned n;

	report(f, &anybody, "a", "shop", NULL);
	assert_ok_err(set(f, &anybody, "shop", 500, 60, &n), &f->e);
	assert_ok_err(control_end(f->control, &anybody, STR("shop"), f->now, &f->e), &f->e);
	assert_int_equal(report(f, &anybody, "a", "shop", NULL).lease, 0);
	assert_int_equal(control_end(f->control, &anybody, STR("shop"), f->now, &f->e), -ENOENT);
}

static void invalid_leases_are_refused(void **state)
{
	struct fixture *f = *state;
	unsigned n;

	report(f, &anybody, "a", "shop", NULL);
	assert_int_equal(set(f, &anybody, "shop", 0, 60, &n), -EINVAL);
	assert_err_says(&f->e, "nothing to change");
	assert_int_equal(set(f, &anybody, "shop", 1001, 60, &n), -EINVAL);
	assert_int_equal(set(f, &anybody, "shop", 100, 3601, &n), -EINVAL);
	assert_int_equal(set(f, &anybody, "shop", 100, 0, &n), -EINVAL);
	assert_int_equal(set(f, &anybody, "nobody", 100, 60, &n), -ENOENT);
	assert_err_says(&f->e, "no instance of nobody");
	pass_seconds(f, CONTROL_CONNECTED_SECONDS);
	assert_int_equal(set(f, &anybody, "shop", 100, 60, &n), -ENOENT);
}

static void tenants_and_services_are_separated(void **state)
{
	struct fixture *f = *state;
	struct control_caller blue = {.tenant = STR("blue"), .name = STR("token 2")};
	struct control_caller cart = {.name = STR("token 3"), .services = STR("cart")};
	struct control_report r = {.instance = STR("x"), .service = STR("shop")};
	struct control_order order;
	unsigned n;

	report(f, &anybody, "a", "shop", NULL);
	assert_int_equal(set(f, &blue, "shop", 100, 60, &n), -ENOENT);
	assert_int_equal(set(f, &cart, "shop", 100, 60, &n), -EPERM);
	assert_int_equal(control_report(f->control, &cart, &r, f->now, &f->arena, &order, &f->e),
			 -EPERM);
	assert_ok_err(set(f, &anybody, "shop", 100, 60, &n), &f->e);
	assert_int_equal(report(f, &blue, "a", "shop", NULL).lease, 0);
	assert_true(state_says(f, &anybody, "\"shop\""));
	assert_false(state_says(f, &blue, "token 1"));
	assert_false(state_says(f, &cart, "\"shop\""));
}

static void control_that_is_off_says_why(void **state)
{
	struct fixture *f = *state;
	unsigned n;

	control_free(f->control);
	assert_ok(control_new(&f->control, NULL, "give --token-file"));
	report(f, &anybody, "a", "shop", NULL);
	assert_int_equal(set(f, &anybody, "shop", 100, 60, &n), -EPERM);
	assert_err_says(&f->e, "give --token-file");
	assert_true(state_says(f, &anybody, "\"enabled\":false"));
}

/* ---- captures ---- */

static int capture(struct fixture *f, bool all, uint64_t *id, unsigned *n)
{
	struct control_capture_request r = {
		.service = STR("shop"), .kind = 1, .seconds = 5, .all = all};

	f->e = (struct err){0};
	return control_capture(f->control, &anybody, &r, f->now, id, n, &f->e);
}

static int upload(struct fixture *f, uint64_t id, const char *instance, struct str profile)
{
	f->e = (struct err){0};
	return control_upload(f->control, &anybody, id, str_from(instance), profile, f->now, &f->e);
}

static void a_capture_brings_profiles_back(void **state)
{
	struct fixture *f = *state;
	struct buf out = {0};
	uint64_t id;
	unsigned n;

	report(f, &anybody, "a", "shop", NULL);
	report(f, &anybody, "b", "shop", NULL);
	assert_ok_err(capture(f, true, &id, &n), &f->e);
	assert_int_equal(n, 2);
	assert_int_equal(report(f, &anybody, "a", "shop", NULL).capture, id);
	assert_int_equal(report(f, &anybody, "a", "shop", NULL).capture_seconds, 5);
	assert_int_equal(upload(f, id, "nobody", STR("x")), -ENOENT);
	assert_int_equal(upload(f, id + 1, "a", STR("x")), -ENOENT);
	assert_ok_err(upload(f, id, "a", STR("profile a")), &f->e);
	assert_int_equal(upload(f, id, "a", STR("again")), -ENOENT);
	assert_int_equal(report(f, &anybody, "a", "shop", NULL).capture, 0);
	assert_ok_err(control_profile(f->control, &anybody, id, (struct str){0}, &out, &f->e),
		      &f->e);
	assert_str_equal(buf_str(&out), STR("profile a"));
	assert_ok_err(upload(f, id, "b", STR("profile b")), &f->e);
	assert_int_equal(control_profile(f->control, &anybody, id, (struct str){0}, &out, &f->e),
			 -EINVAL);
	buf_clear(&out);
	assert_ok(control_profile(f->control, &anybody, id, STR("b"), &out, &f->e));
	assert_str_equal(buf_str(&out), STR("profile b"));
	buf_fini(&out);
}

static void late_large_and_old_captures_end(void **state)
{
	struct fixture *f = *state;
	struct buf out = {0};
	uint64_t id;
	unsigned n;

	report(f, &anybody, "a", "shop", NULL);
	assert_ok_err(capture(f, false, &id, &n), &f->e);
	pass_seconds(f, 70);
	assert_int_equal(report(f, &anybody, "a", "shop", NULL).capture, 0);
	assert_int_equal(upload(f, id, "a", STR("x")), -ENOENT);
	assert_ok_err(capture(f, false, &id, &n), &f->e);
	assert_int_equal(upload(f, id, "a", str_of("", CONTROL_PROFILE_MAX + 1)), -EFBIG);
	assert_ok_err(capture(f, false, &id, &n), &f->e);
	assert_ok_err(upload(f, id, "a", STR("x")), &f->e);
	pass_seconds(f, CONTROL_KEEP_SECONDS + 1);
	report(f, &anybody, "a", "shop", NULL);
	assert_int_equal(control_profile(f->control, &anybody, id, (struct str){0}, &out, &f->e),
			 -ENOENT);
	buf_fini(&out);
}

static void running_captures_are_limited(void **state)
{
	struct fixture *f = *state;
	uint64_t id;
	unsigned n;

	report(f, &anybody, "a", "shop", NULL);
	for (unsigned i = 0; i < CONTROL_CAPTURES_MAX; i++)
		assert_ok_err(capture(f, false, &id, &n), &f->e);
	assert_int_equal(capture(f, false, &id, &n), -EAGAIN);
	assert_ok_err(upload(f, id, "a", STR("x")), &f->e);
}

/* ---- instances, events, requests ---- */

static void instances_are_limited_and_forgotten(void **state)
{
	struct fixture *f = *state;
	struct control_report r = {.service = STR("shop")};
	struct control_order order;
	char id[16];
	int rc = 0;

	for (unsigned i = 0; i <= CONTROL_INSTANCES_MAX && !rc; i++) {
		snprintf(id, sizeof(id), "i%u", i);
		r.instance = str_from(id);
		arena_reset(&f->arena);
		rc = control_report(f->control, &anybody, &r, f->now, &f->arena, &order, &f->e);
	}
	assert_int_equal(rc, -EAGAIN);
	assert_int_equal(order.poll_ms, 0);
	pass_seconds(f, 301);
	report(f, &anybody, "new", "shop", NULL);
	assert_true(state_says(f, &anybody, "\"instance_count\":1"));
}

static void events_are_read_back_from_the_audit_log(void **state)
{
	struct fixture *f = *state;
	char path[] = "/tmp/control_test_XXXXXX";
	struct json_writer w;
	struct buf out = {0};
	struct audit *audit;
	unsigned n;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	assert_ok_err(audit_open(&audit, path, 1 << 20, NULL, &f->e), &f->e);
	control_free(f->control);
	assert_ok(control_new(&f->control, audit, NULL));
	report(f, &anybody, "a", "shop", NULL);
	assert_ok_err(set(f, &anybody, "shop", 250, 60, &n), &f->e);
	control_free(f->control);
	assert_ok(control_new(&f->control, audit, NULL));
	control_load_events(f->control, f->now);
	w = json_writer_to(&out, 0);
	json_open_object(&w);
	json_put_key(&w, STR("events"));
	json_open_array(&w);
	control_put_events(f->control, &anybody, STR("shop"), 0, UINT64_MAX, &w);
	json_close_array(&w);
	json_close_object(&w);
	assert_true(str_find_str(buf_str(&out), STR("cpu_hz=250 for 60 s on 1 instances")) < out.n);
	assert_true(str_find_str(buf_str(&out), STR("\"actor\":\"token 1\"")) < out.n);
	buf_fini(&out);
	control_free(f->control);
	f->control = NULL;
	audit_close(audit);
	unlink(path);
}

/* The registry of the next server, with the same audit log. */
static void restart(struct fixture *f, struct audit **audit, const char *path, const char *off)
{
	control_free(f->control);
	audit_close(*audit);
	assert_ok_err(audit_open(audit, path, 1 << 20, NULL, &f->e), &f->e);
	assert_ok(control_new(&f->control, *audit, off));
	control_load_events(f->control, f->now);
}

static unsigned count_lines(const char *path, const char *text)
{
	char line[4096];
	unsigned n = 0;
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		n += strstr(line, text) != NULL;
	fclose(file);
	return n;
}

static void leases_go_on_after_a_restart(void **state)
{
	struct fixture *f = *state;
	char path[] = "/tmp/control_test_XXXXXX";
	struct control_request one = {
		.service = STR("cart"),
		.instance = STR("c-1"),
		.settings = {.has_profiles = true, .profiles = 5, .wall_hz = 7},
		.seconds = 100,
		.reason = STR("a \"slow\" cart")};
	struct control_order before, order;
	struct audit *audit = NULL;
	int fd = mkstemp(path);
	uint64_t id;
	unsigned n;

	assert_true(fd >= 0);
	close(fd);
	f->now.real = clock_realtime_ns(); /* which is in the log */
	restart(f, &audit, path, NULL);
	report(f, &anybody, "s-1", "shop", NULL);
	report(f, &anybody, "c-1", "cart", NULL);
	report(f, &anybody, "c-2", "cart", NULL);
	report(f, &anybody, "e-1", "ended", NULL);
	assert_ok_err(set(f, &anybody, "shop", 100, 60, &n), &f->e);
	assert_ok_err(set(f, &anybody, "shop", 300, 60, &n), &f->e); /* replaces it */
	assert_ok_err(set(f, &anybody, "ended", 300, 60, &n), &f->e);
	assert_ok_err(control_end(f->control, &anybody, STR("ended"), f->now, &f->e), &f->e);
	assert_ok_err(control_set(f->control, &anybody, &one, f->now, &id, &n, &f->e), &f->e);
	before = report(f, &anybody, "s-1", "shop", NULL);
	pass_seconds(f, 20);
	f->now.monotonic = 77 * NS_PER_SECOND; /* the machine was restarted, too */
	restart(f, &audit, path, NULL);
	order = report(f, &anybody, "s-1", "shop", &before);
	assert_int_equal(order.lease, before.lease);
	assert_int_equal(order.settings.cpu_hz, 300);
	assert_int_equal(order.remaining_ms, 40000);
	assert_str_equal(order.author, STR("token 1"));
	order = report(f, &anybody, "c-1", "cart", NULL);
	assert_int_equal(order.lease, id);
	assert_true(order.settings.has_profiles && order.settings.profiles == 5);
	assert_int_equal(order.settings.wall_hz, 7);
	assert_str_equal(order.reason, one.reason);
	assert_int_equal(report(f, &anybody, "c-2", "cart", NULL).lease, 0);
	assert_int_equal(report(f, &anybody, "e-1", "ended", NULL).lease, 0);
	assert_true(state_says(f, &anybody, "\"service\":\"shop\",\"instance\":\"\""));
	/* new ids are greater, also if the clock was set back */
	f->now.real -= 15 * NS_PER_SECOND;
	assert_ok_err(control_set(f->control, &anybody, &one, f->now, &id, &n, &f->e), &f->e);
	assert_true(id > order.lease);
	f->now.real += 15 * NS_PER_SECOND;
	/* one ends at its time, one while no server runs; both are logged once */
	pass_seconds(f, 41);
	assert_int_equal(report(f, &anybody, "s-1", "shop", NULL).lease, 0);
	assert_false(state_says(f, &anybody, "\"service\":\"shop\",\"instance\":\"\""));
	pass_seconds(f, 100);
	for (unsigned i = 0; i < 2; i++) {
		restart(f, &audit, path, NULL);
		assert_true(state_says(f, &anybody, "\"leases\":[]"));
		assert_int_equal(count_lines(path, "control.expired"), 2);
	}
	/* where control is off, there are none */
	restart(f, &audit, path, NULL);
	report(f, &anybody, "s-1", "shop", NULL);
	assert_ok_err(set(f, &anybody, "shop", 300, 60, &n), &f->e);
	restart(f, &audit, path, "off");
	assert_true(state_says(f, &anybody, "\"leases\":[]"));
	control_free(f->control);
	f->control = NULL;
	audit_close(audit);
	unlink(path);
}

/* The JSON of an operation, written by `put`, conforms to docs/openapi.json. */
static void check_answer(struct buf *out, const char *path, const char *method)
{
	struct openapi o;

	openapi_open(&o);
	openapi_check_answer(&o, str_from(path), method, "200", buf_str(out));
	openapi_close(&o);
	buf_clear(out);
}

static void answers_are_as_described(void **state)
{
	struct fixture *f = *state;
	struct json_writer w;
	struct buf out = {0};
	struct control_order a;
	uint64_t id;
	unsigned n;

	report(f, &anybody, "a", "shop", NULL);
	assert_ok_err(set(f, &anybody, "shop", 500, 60, &n), &f->e);
	a = report(f, &anybody, "a", "shop", NULL);
	report(f, &anybody, "a", "shop", &a);
	w = json_writer_to(&out, 0);
	json_open_object(&w);
	control_put_state(f->control, &anybody, STR("shop"), f->now, &w);
	json_close_object(&w);
	assert_true(str_find_str(buf_str(&out), STR("\"applied\":1")) < out.n);
	check_answer(&out, "/api/v1/control", "get");
	w = json_writer_to(&out, 0);
	json_open_object(&w);
	json_put_key(&w, STR("instances"));
	json_put_u64(&w, n);
	control_put_lease(f->control, a.lease, f->now, &w);
	json_close_object(&w);
	check_answer(&out, "/api/v1/control", "post");
	assert_ok_err(capture(f, true, &id, &n), &f->e);
	w = json_writer_to(&out, 0);
	json_open_object(&w);
	assert_ok(control_put_capture(f->control, &anybody, id, f->now, &w, &f->e));
	json_close_object(&w);
	check_answer(&out, "/api/v1/capture", "get");
	w = json_writer_to(&out, 0);
	json_open_object(&w);
	json_put_key(&w, STR("events"));
	json_open_array(&w);
	control_put_events(f->control, &anybody, STR("shop"), 0, UINT64_MAX, &w);
	json_close_array(&w);
	json_close_object(&w);
	assert_true(str_find_str(buf_str(&out), STR("control.capture")) < out.n);
	check_answer(&out, "/api/v1/events", "get");
	buf_fini(&out);
}

static void requests_name_what_is_wrong(void **state)
{
	static const struct {
		const char *body, *says;
	} cases[] = {
		{"[]", "JSON object"},
		{"{\"cpu_hz\": \"many\"}", "cpu_hz: expected a number"},
		{"{\"cpu_hz\": 1001}", "from 1 to 1000"},
		{"{\"profiles\": [\"cpu\", \"nonsense\"]}", "\"nonsense\""},
		{"{\"hz\": 1}", "unknown field \"hz\""},
		{"{\"service\": 1}", "service: expected a string"},
		{"{\"seconds\": -1}", "seconds"},
	};
	struct fixture *f = *state;
	struct control_request r;

	for (size_t i = 0; i < countof(cases); i++) {
		struct err e = {0};

		assert_int_equal(control_request_read(&r, str_from(cases[i].body), &f->arena, &e),
				 -EINVAL);
		assert_err_says(&e, cases[i].says);
	}
	assert_ok(control_request_read(&r, STR("{\"service\":\"s\",\"profiles\":[],\"seconds\":5}"),
				       &f->arena, &f->e));
	assert_true(r.settings.has_profiles && !r.settings.profiles);
}

#define with_fixture(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_fixture(a_lease_reaches_all_instances_of_the_service),
		with_fixture(a_lease_is_ended_before_its_time),
		with_fixture(invalid_leases_are_refused),
		with_fixture(tenants_and_services_are_separated),
		with_fixture(control_that_is_off_says_why),
		with_fixture(a_capture_brings_profiles_back),
		with_fixture(late_large_and_old_captures_end),
		with_fixture(running_captures_are_limited),
		with_fixture(instances_are_limited_and_forgotten),
		with_fixture(events_are_read_back_from_the_audit_log),
		with_fixture(leases_go_on_after_a_restart),
		with_fixture(answers_are_as_described),
		with_fixture(requests_name_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
