/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts that host profilers read (OTEP 4719 and 4947). A child runs the library, and this
 * process reads the child's memory through /proc/PID/mem, as a host profiler does. One difference:
 * the child reports the address of each thread's variable, which a profiler finds through the TLS
 * segment of the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sdk/trace/span_thread.h"
#include "test/test.h"
#include "varve/varve.h"
#include "wire/proto.h"

extern __thread struct thread_context *otel_thread_ctx_v1;

/* -- the child --------------------------------------------------------------------------------- */

enum { WITH_SPAN, LABELS_ONLY, THREADS };

struct hello {
	uint64_t variable[THREADS]; /* addresses of otel_thread_ctx_v1 */
	uint8_t trace_id[16], span_id[8];
};

struct host {
	pid_t pid;
	int to, from; /* pipes */
	int memory;
	struct hello hello;
};

static void ignore(void *arg, enum varve_profile kind, const void *p, size_t n, uint64_t a,
		   uint64_t b)
{
	(void)arg, (void)kind, (void)p, (void)n, (void)a, (void)b;
}

static pthread_barrier_t ready;

static void *label_only(void *arg)
{
	struct hello *hello = arg;

	varve_label("tenant", "green");
	hello->variable[LABELS_ONLY] = (uint64_t)(uintptr_t)&otel_thread_ctx_v1;
	pthread_barrier_wait(&ready);
	for (;;)
		pause();
	return NULL;
}

/* Perform one step for each byte received, and respond with a byte. */
static void run_host(int from, int to)
{
	struct varve_options o = {
		.service_name = "watched", .profiles = VARVE_CPU, .on_profile = ignore};
	struct hello hello = {0};
	struct varve_context context;
	struct varve_span *span;
	pthread_t other;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(60);
	unsetenv("VARVE_CONTEXT");
	if (varve_start(&o))
		_exit(2);
	varve_label("tenant", "blue");
	varve_label("route", "/cart");
	span = varve_span_start("work", NULL);
	varve_context_of(span, &context);
	memcpy(hello.trace_id, context.trace_id, 16);
	memcpy(hello.span_id, context.span_id, 8);
	pthread_barrier_init(&ready, NULL, 2);
	hello.variable[WITH_SPAN] = (uint64_t)(uintptr_t)&otel_thread_ctx_v1;
	pthread_create(&other, NULL, label_only, &hello);
	pthread_barrier_wait(&ready);
	if (write(to, &hello, sizeof(hello)) != sizeof(hello))
		_exit(2);
	for (unsigned step = 0; read(from, &byte, 1) == 1; step++) {
		if (step == 0) {
			varve_label("tenant", NULL);
			varve_label("shard", "7");
		} else if (step == 1) {
			varve_span_end(span);
		} else if (step == 2) {
			varve_label("route", NULL);
			varve_label("shard", NULL);
		} else {
			varve_stop();
		}
		if (write(to, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static int host_setup(void **state)
{
	struct host *h = calloc(1, sizeof(*h));
	int to[2], from[2];
	char path[64];

	assert_int_equal(pipe(to) | pipe(from), 0);
	h->pid = fork();
	if (!h->pid) {
		close(to[1]);
		close(from[0]);
		run_host(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	h->to = to[1];
	h->from = from[0];
	assert_int_equal(read(h->from, &h->hello, sizeof(h->hello)), sizeof(h->hello));
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)h->pid);
	h->memory = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(h->memory >= 0);
	*state = h;
	return 0;
}

static int host_teardown(void **state)
{
	struct host *h = *state;

	close(h->to);
	close(h->from);
	close(h->memory);
	kill(h->pid, SIGKILL);
	waitpid(h->pid, NULL, 0);
	free(h);
	return 0;
}

static void step(struct host *h)
{
	char byte = 1;

	assert_int_equal(write(h->to, &byte, 1), 1);
	assert_int_equal(read(h->from, &byte, 1), 1);
}

/* -- the host profiler ------------------------------------------------------------------------- */

static void read_memory(const struct host *h, uint64_t address, void *to, size_t n)
{
	assert_int_equal(pread(h->memory, to, n, (off_t)address), n);
}

/* Return the address of the mapping, or 0 if there is none. */
static uint64_t find_mapping(const struct host *h)
{
	char path[64], line[512];
	uint64_t start = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)h->pid);
	maps = fopen(path, "re");
	assert_non_null(maps);
	while (!start && fgets(line, sizeof(line), maps))
		if (strstr(line, "/memfd:OTEL_CTX") || strstr(line, "[anon_shmem:OTEL_CTX]") ||
		    strstr(line, "[anon:OTEL_CTX]"))
			start = strtoull(line, NULL, 16);
	fclose(maps);
	return start;
}

struct header {
	char signature[8];
	uint32_t version, size;
	uint64_t published_ns, payload;
};

/*
 * Read the published payload; it is consistent if its time is the same before and after (OTEP
 * 4719).
 */
static void read_payload(const struct host *h, struct header *header, char *payload, size_t size)
{
	uint64_t mapping = find_mapping(h);
	struct header after;

	do {
		read_memory(h, mapping, header, sizeof(*header));
		assert_memory_equal(header->signature, "OTEL_CTX", 8);
		assert_int_equal(header->version, 2);
		assert_true(header->size < size);
		(void)!pread(h->memory, payload, header->size, (off_t)header->payload);
		read_memory(h, mapping, &after, sizeof(after));
	} while (!header->published_ns || after.published_ns != header->published_ns);
}

/* Read the keys of thread attributes. Return their number, and the time of publication. */
static unsigned read_keys(const struct host *h, char keys[16][64], uint64_t *published)
{
	static char payload[65536];
	struct header header;
	struct proto_reader r, pair, any, list, item;
	unsigned n = 0;

	read_payload(h, &header, payload, sizeof(payload));
	*published = header.published_ns;
	r = proto_reader_of(str_of(payload, header.size));
	while (proto_next(&r)) {
		struct str key = {0};

		if (r.tag != PROTO_TAG(2, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		pair = proto_reader_of(proto_bytes(&r));
		while (proto_next(&pair)) {
			if (pair.tag == PROTO_TAG(1, PROTO_BYTES)) {
				key = proto_bytes(&pair);
				continue;
			}
			any = proto_reader_of(proto_bytes(&pair));
			if (!str_eq(key, STR("threadlocal.attribute_key_map")))
				continue;
			assert_true(proto_next(&any) && any.tag == PROTO_TAG(5, PROTO_BYTES));
			list = proto_reader_of(proto_bytes(&any));
			while (proto_next(&list) && n < 16) {
				struct str text;

				item = proto_reader_of(proto_bytes(&list));
				assert_true(proto_next(&item));
				text = proto_bytes(&item);
				assert_true(text.n && text.n < 64);
				memcpy(keys[n], text.p, text.n);
				keys[n++][text.n] = 0;
			}
		}
	}
	assert_int_equal(r.error, 0);
	return n;
}

/* Wait for the collector to publish `count` keys, which takes up to a second. */
static void wait_for_keys(const struct host *h, unsigned count, char keys[16][64],
			  uint64_t *published)
{
	for (unsigned i = 0; i < 500; i++) {
		struct timespec pause = {0, 10000000};

		if (read_keys(h, keys, published) == count)
			return;
		nanosleep(&pause, NULL);
	}
	fail_msg("there are %u keys", read_keys(h, keys, published));
}

/* Read the record of a thread. Return false if it has none or the record is not valid. */
static bool read_record(const struct host *h, unsigned thread, struct thread_context *c)
{
	uint64_t address;

	memset(c, 0, sizeof(*c));
	read_memory(h, h->hello.variable[thread], &address, sizeof(address));
	if (!address)
		return false;
	read_memory(h, address, c, 28);
	if (c->valid != 1)
		return false;
	assert_true(c->attributes_size <= sizeof(c->attributes));
	read_memory(h, address + 28, c->attributes, c->attributes_size);
	return true;
}

/* Return the labels of a record as "key=value key=value". */
static const char *labels_of(const struct thread_context *c, char keys[16][64], char out[512])
{
	size_t n = 0;

	out[0] = 0;
	for (size_t at = 0; at + 2 <= c->attributes_size;) {
		unsigned key = c->attributes[at], size = c->attributes[at + 1];

		assert_true(at + 2 + size <= c->attributes_size);
		n += (size_t)snprintf(out + n, 512 - n, "%s%s=%.*s", n ? " " : "", keys[key],
				      (int)size, (const char *)c->attributes + at + 2);
		at += 2 + size;
	}
	return out;
}

/* -- tests ------------------------------------------------------------------------------------- */

static void a_thread_publishes_its_span_and_its_labels(void **state)
{
	struct host *h = *state;
	struct thread_context c;
	char keys[16][64], text[512];
	uint64_t published;

	wait_for_keys(h, 2, keys, &published);
	assert_true(read_record(h, WITH_SPAN, &c));
	assert_memory_equal(c.trace_id, h->hello.trace_id, 16);
	assert_memory_equal(c.span_id, h->hello.span_id, 8);
	assert_int_equal(c.trace_flags, 1);
	assert_string_equal(labels_of(&c, keys, text), "route=/cart tenant=blue");
}

static void labels_are_published_without_a_span(void **state)
{
	static const uint8_t none[24];
	struct host *h = *state;
	struct thread_context c;
	char keys[16][64], text[512];
	uint64_t published;

	wait_for_keys(h, 2, keys, &published);
	assert_true(read_record(h, LABELS_ONLY, &c));
	assert_memory_equal(c.trace_id, none, 24);
	assert_int_equal(c.trace_flags, 0);
	assert_string_equal(labels_of(&c, keys, text), "tenant=green");
}

static void new_keys_are_published_and_labels_outlive_the_span(void **state)
{
	static const uint8_t none[24];
	struct host *h = *state;
	struct thread_context c;
	char keys[16][64], text[512];
	uint64_t published, again;

	wait_for_keys(h, 2, keys, &published);
	step(h);
	wait_for_keys(h, 3, keys, &again);
	assert_true(again > published);
	assert_true(read_record(h, WITH_SPAN, &c));
	assert_memory_equal(c.span_id, h->hello.span_id, 8);
	assert_string_equal(labels_of(&c, keys, text), "route=/cart shard=7");
	step(h); /* the span ends */
	assert_true(read_record(h, WITH_SPAN, &c));
	assert_memory_equal(c.trace_id, none, 24);
	assert_string_equal(labels_of(&c, keys, text), "route=/cart shard=7");
	step(h); /* the labels are removed */
	assert_false(read_record(h, WITH_SPAN, &c));
	assert_true(read_record(h, LABELS_ONLY, &c));
}

static void nothing_is_published_after_stop(void **state)
{
	struct host *h = *state;
	struct thread_context c;

	for (unsigned i = 0; i < 4; i++)
		step(h);
	assert_int_equal(find_mapping(h), 0);
	assert_false(read_record(h, WITH_SPAN, &c));
	assert_false(read_record(h, LABELS_ONLY, &c));
}

TEST_MAIN(test_with(host, a_thread_publishes_its_span_and_its_labels),
	  test_with(host, labels_are_published_without_a_span),
	  test_with(host, new_keys_are_published_and_labels_outlive_the_span),
	  test_with(host, nothing_is_published_after_stop))
