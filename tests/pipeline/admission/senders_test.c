/* SPDX-License-Identifier: Apache-2.0 */
/* The list of senders that the status page shows: identity, eviction, tenants, limits on text. */
#include "pipeline/admission/senders.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "test/test.h"

struct fixture {
	struct senders senders;
	struct sockaddr_storage peer;
	struct http_header headers[2];
	struct http_exchange x;
	struct known_sender at[SENDERS_MAX];
	struct receive_sums sums[RECEIVE_PROTOCOLS];
	unsigned n;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct sockaddr_in *in = (struct sockaddr_in *)&f->peer;

	senders_init(&f->senders);
	*in = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = 4711};
	in->sin_addr.s_addr = htonl(0xc0000201);
	f->headers[0] = (struct http_header){STR("user-agent"), STR("test/1")};
	f->x = (struct http_exchange){.headers = f->headers, .header_count = 1, .peer = &f->peer};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	senders_fini(&f->senders);
	free(f);
	return 0;
}

static void copy_senders(struct fixture *f, struct str tenant)
{
	f->n = senders_copy(&f->senders, tenant, f->sums, f->at);
}

static void a_sender_is_identified_by_address_program_and_protocol(void **state)
{
	struct fixture *f = *state;
	struct sockaddr_in *in = (struct sockaddr_in *)&f->peer;
	struct receipt r = {.x = &f->x, .bytes = 10, .profiles = 2, .samples = 5};

	senders_note(&f->senders, &r);
	in->sin_port = 4712; /* another connection of the same sender */
	senders_note(&f->senders, &r);
	r.protocol = RECEIVE_PUSH;
	senders_note(&f->senders, &r);
	f->headers[0].value = STR("test/2");
	senders_note(&f->senders, &r);
	in->sin_addr.s_addr = htonl(0xc0000202);
	senders_note(&f->senders, &r);
	copy_senders(f, (struct str){0});
	assert_int_equal(f->n, 4);
	assert_string_equal(f->at[0].peer, "192.0.2.2"); /* the most recent sender is first */
	assert_string_equal(f->at[3].peer, "192.0.2.1");
	assert_int_equal(f->at[3].sums.requests, 2);
	assert_int_equal(f->at[3].sums.bytes, 20);
	assert_int_equal(f->sums[RECEIVE_OTLP_HTTP].profiles, 4);
	assert_int_equal(f->sums[RECEIVE_PUSH].requests, 3);
	assert_int_equal(f->sums[RECEIVE_INGEST].requests, 0);
}

static void addresses_are_shown_without_port(void **state)
{
	struct fixture *f = *state;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&f->peer;
	struct receipt r = {.x = &f->x};

	*in6 = (struct sockaddr_in6){
		.sin6_family = AF_INET6, .sin6_port = 1, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	senders_note(&f->senders, &r);
	copy_senders(f, (struct str){0});
	assert_string_equal(f->at[0].peer, "::1");
}

static void the_least_recently_active_sender_is_evicted(void **state)
{
	struct fixture *f = *state;
	struct receipt r = {.x = &f->x};
	char agent[32];

	for (unsigned i = 0; i < SENDERS_MAX + 10; i++) {
		snprintf(agent, sizeof(agent), "agent/%u", i);
		f->headers[0].value = str_from(agent);
		senders_note(&f->senders, &r);
		f->headers[0].value = STR("agent/0"); /* this sender stays active */
		senders_note(&f->senders, &r);
	}
	copy_senders(f, (struct str){0});
	assert_int_equal(f->n, SENDERS_MAX);
	assert_string_equal(f->at[0].agent, "agent/0");
	assert_int_equal(f->at[0].sums.requests, SENDERS_MAX + 10 + 1);
	for (unsigned i = 0; i < f->n; i++)
		assert_true(strcmp(f->at[i].agent, "agent/1") && strcmp(f->at[i].agent, "agent/5"));
	assert_int_equal(f->sums[0].requests, 2 * (SENDERS_MAX + 10));
}

static void a_refused_sender_is_forgotten_last(void **state)
{
	struct fixture *f = *state;
	struct receipt r = {.x = &f->x, .reason = "not a profile"};
	bool found = false;
	char agent[32];

	f->headers[0].value = STR("wrong/1");
	senders_note(&f->senders, &r);
	r.reason = NULL;
	for (unsigned i = 0; i < SENDERS_MAX + 10; i++) {
		snprintf(agent, sizeof(agent), "agent/%u", i);
		f->headers[0].value = str_from(agent);
		senders_note(&f->senders, &r);
	}
	copy_senders(f, (struct str){0});
	assert_int_equal(f->n, SENDERS_MAX);
	for (unsigned i = 0; i < f->n; i++)
		found |= !strcmp(f->at[i].agent, "wrong/1");
	assert_true(found);
	assert_int_equal(senders_forgotten(&f->senders), 11);
}

static void tenants_see_only_their_own_senders(void **state)
{
	struct fixture *f = *state;
	struct receipt r = {.x = &f->x};

	f->x.tenant = STR("a");
	senders_note(&f->senders, &r);
	f->x.tenant = STR("b");
	senders_note(&f->senders, &r);
	copy_senders(f, STR("a"));
	assert_int_equal(f->n, 1);
	assert_string_equal(f->at[0].tenant, "a");
	copy_senders(f, (struct str){0});
	assert_int_equal(f->n, 2);
}

static void long_texts_are_truncated(void **state)
{
	struct fixture *f = *state;
	struct service_names services = {0};
	char text[5000];
	struct receipt r = {.x = &f->x, .reason = text, .services = &services};

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	f->headers[0].value = str_from(text);
	f->x.tenant = str_from(text);
	service_names_add(&services, str_from(text));
	service_names_add(&services, str_from(text));
	service_names_add(&services, STR(""));
	for (unsigned i = 0; i < 10; i++) {
		char name[16];

		snprintf(name, sizeof(name), "service %u", i);
		service_names_add(&services, str_from(name));
	}
	senders_note(&f->senders, &r);
	senders_note(&f->senders, &r);
	copy_senders(f, (struct str){0});
	assert_int_equal(f->n, 1);
	assert_int_equal(strlen(f->at[0].agent), SENDER_AGENT);
	assert_int_equal(f->at[0].services.n, SENDER_SERVICES);
	assert_string_equal(f->at[0].services.at[1], "service 0");
	assert_int_equal(strlen(f->at[0].refusal), SENDER_REFUSAL - 1);
}

/* The last reported numbers are kept; invalid numbers and unknown keys are ignored. */
static void a_profiler_reports_its_own_overhead(void **state)
{
	struct fixture *f = *state;
	struct receipt r = {.x = &f->x};

	f->x.header_count = 2;
	f->headers[1] = (struct http_header){STR("varve-profiler"), STR("what=1  =2 samples=x")};
	senders_note(&f->senders, &r);
	copy_senders(f, (struct str){0});
	assert_false(f->at[0].profiler.reported);
	f->headers[1].value = STR("samples=100 lost=1 cpu_ns=5");
	senders_note(&f->senders, &r);
	f->headers[1].value = STR("cpu_ns=18446744073709551616 samples=200");
	senders_note(&f->senders, &r);
	copy_senders(f, (struct str){0});
	assert_true(f->at[0].profiler.reported);
	assert_int_equal(f->at[0].profiler.samples, 200);
	assert_int_equal(f->at[0].profiler.lost, 1);
	assert_int_equal(f->at[0].profiler.cpu_ns, 5);
}

#define with_senders(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(with_senders(a_sender_is_identified_by_address_program_and_protocol),
	  with_senders(addresses_are_shown_without_port),
	  with_senders(the_least_recently_active_sender_is_evicted),
	  with_senders(a_refused_sender_is_forgotten_last),
	  with_senders(tenants_see_only_their_own_senders), with_senders(long_texts_are_truncated),
	  with_senders(a_profiler_reports_its_own_overhead))
