/* SPDX-License-Identifier: Apache-2.0 */
/* The pprof receiver: addresses of profiles, settings, and the component against a real server. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/receivers/pprof/pprof_receiver.h"
#include "pipeline/receivers/pprof/profile_spec.h"
#include "test/component.h"
#include "test/http_sink.h"

/* ---- what is scraped ---- */

/* A job of a configuration, and the specs of its only target. */
struct job_fixture {
	struct test_component x;
	const struct pprof_job *job;
	struct relabel *relabel;
	struct arena arena;
	struct target_spec spec;
	struct err e;
};

static void open_job(struct job_fixture *f, const char *yaml)
{
	static struct host host; /* only its address is used */
	static struct component_env env = {.id = "pprof", .host = &host};

	*f = (struct job_fixture){0};
	arena_init(&f->arena, NULL);
	assert_ok_err(test_component_new(&f->x, &pprof_receiver, &env, yaml), &f->x.e);
	f->job = &((const struct pprof_settings *)f->x.settings)->jobs.at[0];
	assert_ok_err(relabel_new(&f->relabel, f->job->http.relabel, &f->e), &f->e);
}

static void close_job(struct job_fixture *f)
{
	relabel_free(f->relabel);
	arena_fini(&f->arena);
	test_component_free(&f->x);
}

/* Make the spec of the profile with this name. Return what profile_spec_make() returns. */
static int make_spec(struct job_fixture *f, const char *name)
{
	struct profile_choice chosen[PROFILE_KINDS + PROFILE_CUSTOM_MAX];
	uint32_t n = profiling_enabled(&f->job->profiling, chosen);
	const struct target_group *group = &f->job->http.static_groups.at[0];
	struct discovered_target found = {group->targets.at[0], group->labels, STR("")};

	for (uint32_t i = 0; i < n; i++)
		if (str_eq(chosen[i].name, str_from(name)))
			return profile_spec_make(&f->spec, f->job, &chosen[i], &found, f->relabel,
						 &f->arena, &f->e);
	return -ENOENT;
}

static void check_label(const struct job_fixture *f, const char *name, const char *value)
{
	assert_str_equal(prom_labels_get(&f->spec.labels, str_from(name)), str_from(value));
}

static void profiles_have_addresses_and_labels(void **state)
{
	struct job_fixture f;

	(void)state;
	open_job(&f, "scrape_configs: [{job_name: shop, static_configs: [{targets: [h], labels: "
		     "{env: prod}}]}]");
	assert_int_equal(make_spec(&f, "process_cpu"), 1);
	assert_str_equal(f.spec.url, STR("http://h:80/debug/pprof/profile?seconds=14"));
	assert_int_equal(f.spec.timeout_ns, 24000000000);
	assert_int_equal(f.spec.interval_ns, 15000000000);
	check_label(&f, "__name__", "process_cpu");
	check_label(&f, "service_name", "shop");
	check_label(&f, "job", "shop");
	check_label(&f, "instance", "h:80");
	check_label(&f, "env", "prod");
	assert_int_equal(f.spec.labels.list.n, 5);
	assert_int_equal(make_spec(&f, "memory"), 1);
	assert_str_equal(f.spec.url, STR("http://h:80/debug/pprof/allocs"));
	assert_int_equal(f.spec.timeout_ns, 10000000000);
	assert_int_equal(make_spec(&f, "goroutine"), 1);
	assert_int_equal(make_spec(&f, "mutex"), 1);
	assert_int_equal(make_spec(&f, "block"), 1);
	assert_int_equal(make_spec(&f, "fgprof"), -ENOENT);
	close_job(&f);
}

static void profiles_are_chosen(void **state)
{
	struct job_fixture f;

	(void)state;
	open_job(&f, "scrape_configs:\n"
		     "- job_name: shop\n"
		     "  scheme: https\n"
		     "  scrape_interval: 1m\n"
		     "  delta_profiling_duration: 20s\n"
		     "  params: {token: [a b]}\n"
		     "  profiling_config:\n"
		     "    path_prefix: /app/\n"
		     "    profile.memory: {path: /heap}\n"
		     "    mutex: {delta: true}\n"
		     "    profile.block: {enabled: false}\n"
		     "    fgprof: {enabled: true}\n"
		     "    profile.custom: {wall: {enabled: true, path: /wall, delta: true}}\n"
		     "  static_configs: [{targets: ['[::1]'], labels: {service_name: s}}]\n");
	assert_int_equal(make_spec(&f, "memory"), 1);
	assert_str_equal(f.spec.url, STR("https://[::1]:443/app/heap?token=a%20b"));
	check_label(&f, "service_name", "s");
	assert_int_equal(make_spec(&f, "mutex"), 1);
	assert_str_equal(f.spec.url,
			 STR("https://[::1]:443/app/debug/pprof/mutex?seconds=20&token=a%20b"));
	assert_int_equal(make_spec(&f, "fgprof"), 1);
	assert_int_equal(make_spec(&f, "wall"), 1);
	assert_str_equal(f.spec.url, STR("https://[::1]:443/app/wall?seconds=20&token=a%20b"));
	assert_int_equal(make_spec(&f, "block"), -ENOENT);
	close_job(&f);
}

static void rules_see_the_profile(void **state)
{
	struct job_fixture f;

	(void)state;
	open_job(&f,
		 "scrape_configs:\n"
		 "- job_name: pods\n"
		 "  relabel_configs:\n"
		 "  - {source_labels: [__name__], regex: mutex, action: drop}\n"
		 "  - {source_labels: [__meta_path], target_label: __profile_path__, regex: (.+)}\n"
		 "  static_configs:\n"
		 "  - targets: ['h:1']\n"
		 "    labels:\n"
		 "      __meta_kubernetes_namespace: n\n"
		 "      __meta_kubernetes_pod_container_name: c\n"
		 "      __meta_path: p\n"
		 "      __profile_path_prefix__: /x\n");
	assert_int_equal(make_spec(&f, "mutex"), 0);
	assert_int_equal(make_spec(&f, "block"), 1);
	assert_str_equal(f.spec.url, STR("http://h:1/x/p"));
	check_label(&f, "service_name", "n/c");
	assert_int_equal(f.spec.labels.list.n, 4);
	close_job(&f);
}

static void urls_have_kinds(void **state)
{
	static const struct {
		const char *url, *name;
		bool cumulative;
	} rows[] = {
		{"http://h/debug/pprof/heap", "memory", true},
		{"http://h/debug/pprof/allocs?debug=0", "memory", true},
		{"http://h/debug/pprof/delta_heap", "memory", false},
		{"http://h:1/debug/pprof/profile?seconds=5", "process_cpu", false},
		{"http://h/x/mutex/", "mutex", true},
	};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++) {
		const struct profile_kind *kind = profile_kind_of_url(str_from(rows[i].url));

		assert_non_null(kind);
		assert_str_equal(kind->name, str_from(rows[i].name));
		assert_int_equal(kind->cumulative, rows[i].cumulative);
	}
	assert_null(profile_kind_of_url(STR("http://host/")));
	assert_null(profile_kind_of_url(STR("http://h/some.pb.gz")));
	assert_null(profile_kind_of_url(STR("http://h/file")));
}

static void wrong_settings_are_refused(void **state)
{
	static const char *const rows[][2] = {
		{"{}", "nothing to scrape: configure scrape_configs, remote, file or self"},
		{"scrape_configs: [{job_name: ''}]", "job_name is empty"},
		{"scrape_configs: [{job_name: a}, {job_name: a}]", "multiple scrape configs"},
		{"scrape_configs: [{job_name: a, scheme: ftp}]", "has to be http or https"},
		{"scrape_configs: [{job_name: a, scrape_interval: 1s}]", "at least 2 seconds"},
		{"scrape_configs: [{job_name: a, delta_profiling_duration: 15s}]",
		 "at least 1 second smaller"},
		{"scrape_configs: [{job_name: a, delta_profiling_duration: 1s}]",
		 "larger than 1 second"},
		{"scrape_configs: [{job_name: a, scrape_timeout: 20s}]",
		 "scrape_timeout is greater than scrape_interval"},
		{"scrape_configs: [{job_name: a, profiling_config: {memori: {}}}]",
		 "did you mean \"memory\""},
		{"scrape_configs: [{job_name: a, profiling_config: {memory: {path: x}}}]",
		 "has to begin with /"},
		{"scrape_configs: [{job_name: a, profiling_config: {custom: {x: {enabled: "
		 "true}}}}]",
		 "has no path"},
		{"scrape_configs: [{job_name: a, profiling_config: {memory: {enabled: false}, "
		 "block: {enabled: false}, goroutine: {enabled: false}, mutex: {enabled: false}, "
		 "process_cpu: {enabled: false}}}]",
		 "no profile is enabled"},
		{"scrape_configs: [{job_name: a, ec2_sd_configs: []}]", "use static_configs"},
		{"remote: {endpoint: 'localhost:6060'}", "has to be the URL of a profile"},
		{"remote:", "has to be the URL of a profile"},
		{"file: {}", "\"include\" is required"},
		{"file: {include: '/x/**'}", "write it once"},
		{"file: {include: '/x**/y'}", "write it once"},
		{"file: {include: '/x/**/y/**/z'}", "write it once"},
		{"self: {collection_interval: 500ms}", "at least 1s"},
	};
	struct component_env env = {.id = "pprof"};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++)
		test_component_refused(&pprof_receiver, &env, rows[i][0], rows[i][1]);
}

/* ---- the component ---- */

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static struct buf received;   /* guarded by mu: "name:type service job instance total\n" */
static unsigned deliveries;   /* guarded by mu */
static unsigned refuse_begin; /* these are refused, as by a full queue */
static unsigned refuse_end;

static struct str series_label(const struct series *s, const char *name)
{
	return label_set_get(s->labels, str_from(name));
}

static int64_t series_total(const struct delivery *d, uint32_t series)
{
	int64_t total = 0;

	for (uint32_t i = 0; i < d->batch->sample_count; i++)
		if (d->series->of_sample[i] == series)
			total += sample_total(d->batch, i);
	return total;
}

static bool keep_profiles(void *state, struct delivery *d)
{
	struct delivery_result result = {0};

	(void)state;
	pthread_mutex_lock(&mu);
	deliveries++;
	if (deliveries >= refuse_begin && deliveries < refuse_end)
		result = (struct delivery_result){.rc = -EAGAIN, .reason = "full"};
	for (uint32_t i = 0; i < d->series->series.n && !result.rc; i++) {
		const struct series *s = &d->series->series.at[i];

		buf_printf(&received, "%.*s:%.*s %.*s %.*s %lld\n",
			   STR_ARG(series_label(s, "__name__")),
			   STR_ARG(series_label(s, "__type__")),
			   STR_ARG(series_label(s, "service_name")),
			   STR_ARG(series_label(s, "job")), (long long)series_total(d, i));
	}
	pthread_mutex_unlock(&mu);
	d->copied = true;
	delivery_done(d, &result);
	return true;
}

static unsigned count_received(const char *line)
{
	struct str rest;
	unsigned count = 0;

	pthread_mutex_lock(&mu);
	rest = buf_str(&received);
	while (rest.n)
		count += str_eq(str_cut(&rest, '\n'), str_from(line));
	pthread_mutex_unlock(&mu);
	return count;
}

static void wait_for(const char *line)
{
	for (int i = 0; i < 8000 && !count_received(line); i++)
		usleep(2000);
	if (!count_received(line))
		fail_msg("did not receive \"%s\" but %.*s", line, STR_ARG(buf_str(&received)));
}

struct running {
	struct test_component x;
	struct host host;
	struct component_env env;
	struct consumer next;
	struct http_sink sink;
};

static void start_sink(struct running *r)
{
	http_sink_start(&r->sink);
	assert_ok(host_init(&r->host, 1, 64 * MIB, NULL, NULL));
	r->next = (struct consumer){.consume = keep_profiles};
	r->env = (struct component_env){.id = "pprof", .host = &r->host};
	r->env.next[signal_index(SIGNAL_PROFILES)] = &r->next;
	buf_clear(&received);
	deliveries = refuse_begin = refuse_end = 0;
}

static void start_receiver(struct running *r, const char *yaml)
{
	assert_ok_err(test_component_new(&r->x, &pprof_receiver, &r->env, yaml), &r->x.e);
	assert_ok_err(pprof_receiver.start(r->x.instance, &r->x.e), &r->x.e);
}

static void stop_receiver(struct running *r)
{
	pprof_receiver.stop(r->x.instance);
	test_component_free(&r->x);
	http_sink_stop(&r->sink);
	host_fini(&r->host);
	buf_fini(&received);
}

static bool metrics_have(struct running *r, const char *line)
{
	struct buf text = {0};
	bool found;

	telemetry_write(&r->host.telemetry, &text);
	found = str_find_str(buf_str(&text), str_from(line)) < text.n;
	buf_fini(&text);
	return found;
}

static void wait_for_metric(struct running *r, const char *line)
{
	for (int i = 0; i < 8000 && !metrics_have(r, line); i++)
		usleep(2000);
	assert_true(metrics_have(r, line));
}

/* Wait until a profile was counted. */
static void wait_for_scraped(struct running *r)
{
	static const char none[] = "otelcol_scraper_scraped_profile_records{receiver=\"pprof\","
				   "scraper=\"pprof\"} 0\n";

	for (int i = 0; i < 8000 && metrics_have(r, none); i++)
		usleep(2000);
	assert_false(metrics_have(r, none));
}

/* In the text form of tcmalloc: allocated bytes of two stacks, of which 5 bytes are in use. */
#define HEAP(length, a, b)                                                                         \
	"HTTP/1.1 200 OK\r\nContent-Length: " length "\r\n\r\n"                                    \
	"heap profile: 1: 5 [ 2: " a "] @ heapprofile\n"                                           \
	"1: 5 [ 1: " a "] @ 0x10 0x20\n0: 0 [ 1: " b "] @ 0x30\n"
static const char heap_first[] = HEAP("95", "1000", "2000");
static const char heap_second[] = HEAP("95", "1100", "2030");
static const char heap_third[] = HEAP("95", "1150", "2031");
static const char failed_answer[] = "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n";
static const char html_answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n<html></html>";

static const char memory_job[] = "scrape_configs:\n"
				 "- job_name: shop\n"
				 "  scrape_interval: 500ms\n"
				 "  basic_auth: {username: u, password: p}\n"
				 "  profiling_config:\n"
				 "    block: {enabled: false}\n"
				 "    goroutine: {enabled: false}\n"
				 "    mutex: {enabled: false}\n"
				 "    process_cpu: {enabled: false}\n"
				 "  static_configs: [{targets: ['%.40s']}]\n";

static void start_memory_job(struct running *r)
{
	char yaml[1000];

	snprintf(yaml, sizeof(yaml), memory_job, r->sink.url + 7);
	start_receiver(r, yaml);
}

/* Remote URLs have a timeout that is longer than the interval: no request fails for lack of time. */
static void start_remote(struct running *r)
{
	char yaml[1000];

	snprintf(yaml, sizeof(yaml),
		 "remote: {endpoint: '%s/debug/pprof/heap', headers: {x-a: b}, "
		 "collection_interval: 500ms, initial_delay: 0s, timeout: 1m}",
		 r->sink.url);
	start_receiver(r, yaml);
}

static void sums_are_subtracted(void **state)
{
	struct running r = {0};

	(void)state;
	start_sink(&r);
	r.sink.answers[0] = heap_first;
	r.sink.answers[1] = heap_second;
	r.sink.answers[2] = failed_answer;
	r.sink.answers[3] = html_answer;
	r.sink.answers[4] = HTTP_SINK_OK;
	r.sink.answers[5] = heap_third;
	r.sink.answer_count = 6;
	start_remote(&r);
	wait_for("memory:alloc_space pprof pprof 130");
	wait_for("memory:alloc_space pprof pprof 51");
	wait_for_metric(&r, "otelcol_scraper_errored_profile_records{receiver=\"pprof\","
			    "scraper=\"pprof\"} 3\n");
	stop_receiver(&r);
}

static void a_target_is_scraped(void **state)
{
	struct running r = {0};

	(void)state;
	start_sink(&r);
	r.sink.answers[0] = heap_first;
	start_memory_job(&r);
	wait_for("memory:inuse_space shop shop 5");
	wait_for("memory:inuse_objects shop shop 1");
	wait_for_scraped(&r);
	assert_false(count_received("memory:alloc_space shop shop 3000"));
	stop_receiver(&r);
	assert_non_null(strstr(r.sink.requests[0].head, "GET /debug/pprof/allocs HTTP/1.1"));
	assert_non_null(strstr(r.sink.requests[0].head, "authorization: Basic dTpw\r\n"));
}

/* What the pipeline refuses for now is in the next profile. */
static void a_refused_difference_is_not_lost(void **state)
{
	struct running r = {0};

	(void)state;
	start_sink(&r);
	r.sink.answers[0] = heap_first;
	r.sink.answers[1] = heap_second;
	r.sink.answers[2] = heap_third;
	r.sink.answer_count = 3;
	refuse_begin = 2;
	refuse_end = 3;
	start_remote(&r);
	wait_for("memory:alloc_space pprof pprof 181");
	assert_int_equal(count_received("memory:alloc_space pprof pprof 130"), 0);
	stop_receiver(&r);
}

/* Without cancellation this takes longer than a test may. */
static void a_request_ends_with_the_receiver(void **state)
{
	struct running r = {0};
	char yaml[1000];

	(void)state;
	start_sink(&r);
	r.sink.answers[0] = "";
	snprintf(yaml, sizeof(yaml),
		 "remote: {endpoint: '%s/debug/pprof/profile?seconds=3600', "
		 "initial_delay: 0s}",
		 r.sink.url);
	start_receiver(&r, yaml);
	while (!http_sink_count(&r.sink))
		usleep(2000);
	stop_receiver(&r);
}

static void a_remote_url_is_scraped(void **state)
{
	struct running r = {0};

	(void)state;
	start_sink(&r);
	r.sink.answers[0] = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /moved\r\n\r\n";
	r.sink.answers[1] = heap_first;
	r.sink.answers[2] = heap_second;
	r.sink.answer_count = 3;
	start_remote(&r);
	wait_for("memory:alloc_space pprof pprof 130");
	stop_receiver(&r);
	assert_non_null(strstr(r.sink.requests[0].head, "GET /debug/pprof/heap HTTP/1.1"));
	assert_non_null(strstr(r.sink.requests[0].head, "x-a: b\r\n"));
	assert_non_null(strstr(r.sink.requests[1].head, "GET /moved HTTP/1.1"));
}

static void put_file(const char *path, const char *text)
{
	char temporary[300];
	FILE *file;

	snprintf(temporary, sizeof(temporary), "%s.tmp", path);
	file = fopen(temporary, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_ok(rename(temporary, path));
}

static void files_are_read_when_they_change(void **state)
{
	char directory[] = "/tmp/varve-pprof-XXXXXX", deep[100], path[200], bad[100], yaml[1000];
	struct running r = {0};

	(void)state;
	start_sink(&r);
	assert_non_null(mkdtemp(directory));
	snprintf(deep, sizeof(deep), "%s/d", directory);
	assert_ok(mkdir(deep, 0700));
	snprintf(path, sizeof(path), "%s/a.pprof", deep);
	snprintf(bad, sizeof(bad), "%s/b.pprof", directory);
	put_file(path, strstr(heap_first, "heap profile"));
	put_file(bad, "no profile");
	snprintf(yaml, sizeof(yaml),
		 "file: {include: '%s/**/*.pprof', collection_interval: 50ms, initial_delay: 0s}",
		 directory);
	start_receiver(&r, yaml);
	wait_for("memory:alloc_space pprof pprof 3000");
	put_file(path, strstr(heap_second, "heap profile"));
	wait_for("memory:alloc_space pprof pprof 3130");
	stop_receiver(&r);
	assert_int_equal(deliveries, 2); /* not once more in between */
	assert_int_equal(unlink(path) + unlink(bad) + rmdir(deep) + rmdir(directory), 0);
}

TEST_MAIN(test(profiles_have_addresses_and_labels), test(profiles_are_chosen),
	  test(rules_see_the_profile), test(urls_have_kinds), test(wrong_settings_are_refused),
	  test(sums_are_subtracted), test(a_target_is_scraped),
	  test(a_refused_difference_is_not_lost), test(a_request_ends_with_the_receiver),
	  test(a_remote_url_is_scraped), test(files_are_read_when_they_change))
