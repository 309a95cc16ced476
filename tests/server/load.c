/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: load [options] ADDRESS PORT
 *	-k push|ingest|otlp	protocol: push.v1 by Connect, /ingest as multipart, OTLP by HTTP
 *				(push)
 *	-k traces		send spans, OTLP by HTTP: 100 traces of 5 spans with 6 attributes, of which
 *				two are unique to the span
 *				per request
 *	-c N			connections (8)
 *	-r N			profiles per second; 0: as fast as they are answered (0)
 *	-s N			seconds (10)
 *	-p PID			the server: print its CPU time and memory, too
 *	-z			compress profiles with gzip, as Go's clients do
 *	-S N -P N		services (8), and pods of each (4)
 *	-K N -m N		stacks of a service (3,000), and mean samples of a profile (550).
 *				With one of these four options each profile is generated when it is
 *				sent, with its own samples: most of them are in a few stacks of its
 *				service. The output has the number of different stacks that were
 *				sent
 *	-f N			number of the first service (0), to add services to those of another
 *				run
 *	-L N			each sample has a link to a span: N consecutive samples to the same
 *				span, five spans in a trace. Ids are unique to the run. The output
 *				has some of them, spread over the run, for lookups
 *	-N N			send at most N profiles
 *	-e N			stop after N failures (responses other than 2xx, 429 and 503)
 *	-d N			a day of N profiles generated as with -K; their times are those of
 *				yesterday (UTC). Every run sends the same profiles, and all of them
 *	-D N			with -d: the number of days, of which yesterday is the last (1)
 *	-i			with -D: interleave all days instead of one day after the other
 *	-n N -u FILE		N small profiles by push.v1, each with one sample in a unique
 *				function (n0, n1, ...). Append the numbers of acknowledged profiles
 *				to FILE, and do not send those that are in it. End when all are
 *				acknowledged, or with exit code 3 when the server is gone: then run
 *				it again
 *	-b SECONDS		with -n: the time of profile 0 since 1970; each next profile is a
 *				nanosecond later. A run that sends the profiles of another run again
 *				must have the same time (default: the start of the run)
 *
 * Send generated CPU profiles (8 services of 4 pods; 550 samples and 137 KB of pprof on average),
 * wait for the acknowledgement of each, and print one line of JSON. In a paced run the latency is
 * measured from the time at which a profile was due, so that a stalled server cannot hide it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <zlib.h>

#include "base/clock.h"
#include "format/format.h"
#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"
#include "wire/compress/compress.h"
#include "wire/proto.h"

enum kind { PUSH, INGEST, OTLP, TRACES, KINDS };

enum {
	TEMPLATES = 32,
	FUNCTIONS = 1300,
	CONNECTIONS_MAX = 1024,
	LATENCIES_MAX = 1 << 22,
	TIME_SIZE = 9, /* as a varint */
	TRACES_IN_REQUEST = 100,
	SPANS_IN_TRACE = 5,
	LINKS_IN_OUTPUT = 32,
};

/* A request, with the offsets of the parts that change from one request to the next. */
struct template
{
	struct buf bytes;
	size_t time_at, id_at; /* 0: none */
	size_t uncompressed;   /* size of the profile before compression */
	/* of traces: offset of the first span, and distance from one span to the next */
	size_t spans_at, span_size;
	/* offsets in a span of the attributes that are unique */
	size_t order_at, request_at;
};

struct connection {
	int fd;
	bool busy;
	char *out; /* copy of the request that is being sent */
	size_t out_n, out_at, out_cap;
	char in[8192];
	size_t in_n;
	uint64_t due, bytes;
	unsigned number; /* number of the profile, with -n */
};

struct load {
	struct sockaddr_in to;
	enum kind kind;
	bool gzip;
	unsigned connection_count, rate, seconds;
	unsigned services, pods, stacks, mean_samples;
	/* number of the first service */
	unsigned first_service;
	/* locations of the current profile by function; UINT32_MAX: not added yet */
	uint32_t locations[FUNCTIONS];
	/* with -L: samples per span, and linked samples so far */
	unsigned span_samples;
	uint64_t linked;
	/* maximum number of profiles; 0: unlimited */
	unsigned most;
	/* failed profiles that end the run; 0: any number */
	unsigned most_failed;
	bool fresh; /* generate each profile when it is sent */
	/* a bit for each stack of each service that was sent, and the number of these bits */
	uint8_t *seen;
	uint64_t seen_count;
	/* a bit for each stack of a service that is in the current profile */
	uint8_t *used;
	/* with -n: time of profile 0 */
	uint64_t base_ns;
	int pid, epoll;
	struct template templates[TEMPLATES];
	struct connection *connections;
	uint64_t sent, acknowledged, refused, failed, bytes;
	float *latencies;
	uint32_t latency_count;
	uint64_t random;
	/* with -d: number of profiles, 0: none; with -D: number of days */
	unsigned day, days;
	/* send profiles of all days in turn */
	bool interleave;
	uint64_t day_samples; /* samples generated so far */
	uint32_t run;	      /* makes ids unique to this run */

	/* with -n: number of profiles, and where to look for the next one to send */
	unsigned total, next;
	int acknowledged_fd;
	enum { TO_SEND, IN_FLIGHT, DONE } * numbered;
};

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static uint64_t next_random(struct load *l)
{
	l->random ^= l->random << 13;
	l->random ^= l->random >> 7;
	return l->random ^= l->random << 17;
}

static unsigned service_of(const struct load *l, unsigned index)
{
	return l->first_service + index % l->services;
}

/* ---- profiles ---- */

/* Add the frame of a function, once for each profile. */
static int add_frame(struct load *l, struct profile_builder *b, unsigned service, unsigned function,
		     uint32_t *location)
{
	char name[96], file[96];
	int rc = 0;

	if (l->locations[function] == UINT32_MAX) {
		snprintf(name, sizeof(name),
			 "github.com/acme/service%u/internal/package%u.(*Worker).step%u", service,
			 function % 23, function);
		snprintf(file, sizeof(file), "/src/acme/service%u/internal/package%u/worker.go",
			 service, function % 23);
		rc = profile_add_frame(b, str_from(name), str_from(file),
				       (int64_t)(10 + function % 400), &l->locations[function]);
	}
	*location = l->locations[function];
	return rc;
}

/* Add a stack of a service; callers near the root are shared, as in real programs. */
static int add_stack(struct load *l, struct profile_builder *b, unsigned service, uint32_t *stack)
{
	uint32_t locations[64];
	unsigned depth = 8 + (unsigned)(next_random(l) % 40), at = service * 31;
	int rc = 0;

	for (unsigned i = 0; !rc && i < depth; i++) {
		at = (at * 7 + 1 + (unsigned)(next_random(l) % (i < 6 ? 2 : 5))) % FUNCTIONS;
		rc = add_frame(l, b, service, at, &locations[depth - 1 - i]);
	}
	return rc ? rc : profile_add_stack(b, locations, depth, stack);
}

static void note_stack(struct load *l, unsigned service, unsigned number)
{
	size_t bit = (size_t)(service - l->first_service) * l->stacks + number;

	l->seen_count += !(l->seen[bit / 8] & 1u << bit % 8);
	l->seen[bit / 8] |= (uint8_t)(1u << bit % 8);
}

/*
 * Add a stack of the service that is not in the profile yet; the first stacks are in nearly every
 * profile.
 */
static int add_fresh_stack(struct load *l, struct profile_builder *b, unsigned service,
			   uint32_t *stack)
{
	uint64_t random;
	unsigned number;
	int rc;

	do {
		double x = (double)(next_random(l) >> 11) / (double)(UINT64_C(1) << 53);

		number = (unsigned)(x * x * x * x * l->stacks);
	} while (l->used[number / 8] & 1u << number % 8);
	l->used[number / 8] |= (uint8_t)(1u << number % 8);
	note_stack(l, service, number);
	random = l->random;
	l->random = ((uint64_t)number * l->services + service + 1) *
		    0x9e3779b97f4a7c15u; /* the same stack for the same number */
	rc = add_stack(l, b, service, stack);
	l->random = random;
	return rc;
}

/* Return the link to span `number` of this run. Ids are random, as they are in practice. */
static struct link link_to(const struct load *l, uint64_t number)
{
	uint64_t seeds[3] = {number / SPANS_IN_TRACE * 3, number / SPANS_IN_TRACE * 3 + 1,
			     number * 3 + 2};
	struct link link;

	for (unsigned i = 0; i < countof(seeds); i++) { /* the finalizer of splitmix64 */
		seeds[i] += (uint64_t)l->run << 32;
		seeds[i] = (seeds[i] ^ seeds[i] >> 30) * 0xbf58476d1ce4e5b9u;
		seeds[i] = (seeds[i] ^ seeds[i] >> 27) * 0x94d049bb133111ebu;
		seeds[i] ^= seeds[i] >> 31;
	}
	memcpy(link.trace_id, seeds, sizeof(link.trace_id));
	memcpy(link.span_id, &seeds[2], sizeof(link.span_id));
	return link;
}

static int add_sample(struct load *l, struct profile_builder *b, unsigned service)
{
	uint32_t stack, link = 0;
	int rc = l->fresh ? add_fresh_stack(l, b, service, &stack)
			  : add_stack(l, b, service, &stack);

	if (!rc && l->span_samples) {
		struct link row = link_to(l, l->linked++ / l->span_samples);

		rc = profile_add_link(b, &row, &link);
	}
	return rc ? rc
		  : profile_add_sample(b, stack, link, NULL, 0,
				       (int64_t)(1 + next_random(l) % 20) * 10000000);
}

/* Values that do not occur by chance, to find their offsets in the encoded bytes. */
static const uint64_t time_mark = 0x0123456789abcdefu;
static const uint8_t id_mark[16] = "\x51\x93\x02\xee\x7b\xc1\xd5\x0a#varve#";

static void build(struct load *l, unsigned index, struct profile_batch *batch)
{
	struct profile_builder b;
	unsigned service = service_of(l, index),
		 samples = l->mean_samples / 2 + (unsigned)(next_random(l) % l->mean_samples);
	char name[32], pod[32];
	uint32_t type = 0, unit = 0;

	snprintf(name, sizeof(name), "service%u", service);
	snprintf(pod, sizeof(pod), "pod-%u", index / l->services);
	memset(l->used, 0, l->stacks / 8 + 1);
	memset(l->locations, 0xff, sizeof(l->locations));

	struct keyvalue attributes[] = {
		{STR("service.name"), VALUE_OF_STR(str_from(name))},
		{STR("pod"), VALUE_OF_STR(str_from(pod))},
	};
	int rc = profile_batch_init(batch, NULL);

	if (!rc)
		rc = profile_builder_init(&b, batch);
	if (!rc)
		rc = profile_add_resource(&b, attributes, countof(attributes));
	if (!rc)
		rc = profile_add_scope(&b, STR("load"), STR("1"), NULL, 0);
	if (!rc)
		rc = profile_add_string(&b, STR("cpu"), &type);
	if (!rc)
		rc = profile_add_string(&b, STR("nanoseconds"), &unit);

	struct profile row = {.sample_type = {type, unit},
			      .period_type = {type, unit},
			      .period = 10000000,
			      .duration_nano = 15 * NS_PER_SECOND,
			      .time_unix_nano = time_mark};

	memcpy(row.id, id_mark, sizeof(row.id));
	if (!rc)
		rc = profile_add_profile(&b, &row, NULL, 0);
	l->day_samples += samples;
	for (unsigned i = 0; !rc && i < samples; i++)
		rc = add_sample(l, &b, service);
	if (rc)
		die("profile");
}

static void encode(const struct profile_batch *batch, const char *format, struct buf *out)
{
	struct err e = {0};
	struct encode_options options = {0};

	if (format_by_name(str_from(format))->encode(out, batch, &options, &e)) {
		fprintf(stderr, "load: %s\n", e.text);
		exit(2);
	}
}

/* ---- requests ---- */

static void put_varint9(uint8_t *p, uint64_t value)
{
	for (int i = 0; i < 9; i++, value >>= 7)
		p[i] = (uint8_t)(value & 0x7f) | (i < 8 ? 0x80 : 0);
}

static size_t find(const struct buf *b, const void *bytes, size_t n)
{
	const char *found = memmem(b->p, b->n, bytes, n);

	return found ? (size_t)(found - b->p) : 0;
}

/* Append a gzip member that stores its bytes uncompressed. */
static void put_stored_member(struct buf *out, const uint8_t *p, uint16_t n)
{
	uint32_t crc = (uint32_t)crc32(0, p, n), size = n;
	uint8_t head[15] = {0x1f,
			    0x8b,
			    8,
			    0,
			    0,
			    0,
			    0,
			    0,
			    0,
			    255,
			    1,
			    (uint8_t)n,
			    (uint8_t)(n >> 8),
			    (uint8_t)~n,
			    (uint8_t)(~n >> 8)};

	buf_put(out, head, sizeof(head));
	buf_put(out, p, n);
	buf_put(out, &crc, 4);
	buf_put(out, &size, 4);
}

static void gzip(struct buf *out, struct str bytes)
{
	if (compress_bytes(out, COMPRESS_GZIP, 0, bytes, NULL))
		die("gzip");
}

/*
 * Encode the batch as pprof. With -z it consists of three gzip members; the middle one is the
 * stored time, which can be set in place. Return the size before compression.
 */
static size_t pprof_bytes(const struct load *l, const struct profile_batch *batch, struct buf *out)
{
	struct buf raw = {0};
	uint8_t mark[TIME_SIZE];
	size_t size, at;

	put_varint9(mark, time_mark);
	encode(batch, "pprof-raw", &raw);
	size = raw.n;
	at = find(&raw, mark, sizeof(mark));
	if (l->gzip) {
		gzip(out, str_of(raw.p, at));
		put_stored_member(out, mark, sizeof(mark));
		gzip(out, str_of(raw.p + at + sizeof(mark), raw.n - at - sizeof(mark)));
	} else {
		buf_put_str(out, buf_str(&raw));
	}
	buf_fini(&raw);
	return size;
}

static void put_label(struct proto_writer *w, const char *name, const char *value)
{
	size_t mark = proto_mark(w);

	proto_put_raw(w, value, strlen(value));
	proto_put_header(w, 2, mark);

	size_t name_mark = proto_mark(w);

	proto_put_raw(w, name, strlen(name));
	proto_put_header(w, 1, name_mark);
	proto_put_header(w, 1, mark);
}

static void push_body(const struct load *l, const struct buf *pprof, unsigned index,
		      struct buf *out)
{
	struct proto_writer w;
	char service[32], pod[32];

	snprintf(service, sizeof(service), "service%u", service_of(l, index));
	snprintf(pod, sizeof(pod), "pod-%u", index / l->services);
	proto_writer_init(&w, NULL);

	size_t sample = proto_mark(&w);

	proto_put_raw(&w, "00000000-0000-4000-8000-0123456789ab", 36);
	proto_put_header(&w, 2, sample);

	size_t raw = proto_mark(&w);

	proto_put_raw(&w, pprof->p, pprof->n);
	proto_put_header(&w, 1, raw);
	proto_put_header(&w, 2, sample);
	put_label(&w, "pod", pod);
	put_label(&w, "service_name", service);
	put_label(&w, "__name__", "process_cpu");
	proto_put_header(&w, 1, 0);
	buf_put_str(out, proto_writer_str(&w));
	proto_writer_fini(&w);
}

static void ingest_body(const struct buf *pprof, struct buf *out)
{
	buf_put_str(out, STR("--b0undary\r\nContent-Disposition: form-data; name=\"profile\"; "
			     "filename=\"profile.pprof\"\r\n"
			     "Content-Type: application/octet-stream\r\n\r\n"));
	buf_put_str(out, buf_str(pprof));
	buf_put_str(out, STR("\r\n--b0undary--\r\n"));
}

/* Make the request that sends the batch. */
static void make_request(const struct load *l, const struct profile_batch *batch, unsigned index,
			 struct template *t)
{
	static const char *const types[KINDS] = {"application/proto",
						 "multipart/form-data; boundary=b0undary",
						 "application/x-protobuf", NULL};
	struct buf pprof = {0}, body = {0};
	char path[160] = "/push.v1.PusherService/Push";

	if (l->kind == OTLP) {
		snprintf(path, sizeof(path), "/v1development/profiles");
		encode(batch, "otlp", &body);
		t->uncompressed = body.n;
	} else {
		t->uncompressed = pprof_bytes(l, batch, &pprof);
		if (l->kind == PUSH)
			push_body(l, &pprof, index, &body);
		else
			ingest_body(&pprof, &body);
	}
	if (l->kind == INGEST)
		snprintf(path, sizeof(path),
			 "/ingest?name=service%u%%7Bpod%%3Dpod-%u%%7D&spyName=gospy&sampleRate=100",
			 service_of(l, index), index / l->services);
	buf_clear(&t->bytes);
	buf_printf(&t->bytes,
		   "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: "
		   "%zu\r\n\r\n",
		   path, types[l->kind], body.n);
	buf_put_str(&t->bytes, buf_str(&body));
	buf_fini(&pprof);
	buf_fini(&body);
}

/* ---- traces ---- */

#define ORDER_MARK "87654321"
#define REQUEST_MARK "0123456789abcdef"

/* Offsets of the fields of a span, after its tag and two bytes of length. */
enum { SPAN_TRACE = 5, SPAN_ID = 23, SPAN_PARENT = 33, SPAN_START = 42, SPAN_END = 51 };

static void put_attribute(struct proto_writer *w, uint32_t field, const char *key,
			  const char *value)
{
	size_t mark = proto_mark(w);

	proto_put_bytes(w, 1, str_from(value));
	proto_put_header(w, 2, mark);
	proto_put_bytes(w, 1, str_from(key));
	proto_put_header(w, field, mark);
}

/* Put a span with the changing fields first; all spans have the same size. */
static void put_span(struct proto_writer *w, unsigned index)
{
	static const char *const names[] = {"GET /api/orders  ", "SELECT FROM orders",
					    "POST /api/payment", "redis HMGET basket",
					    "render page orders"};
	size_t mark = proto_mark(w);
	char name[20], thread[32];

	snprintf(name, sizeof(name), "%-19.19s", names[index % countof(names)]);
	put_attribute(w, 9, "http.request.method", "GET");
	put_attribute(w, 9, "url.path", "/api/orders/" ORDER_MARK "/items");
	put_attribute(w, 9, "server.address", "orders.shop.svc.cluster.local");
	put_attribute(w, 9, "http.request.id", REQUEST_MARK);
	snprintf(thread, sizeof(thread), "http-nio-8080-exec-%02u", index % 37);
	put_attribute(w, 9, "thread.name", thread);
	put_attribute(w, 9, "network.protocol.version", "1.1");
	proto_put_uint(w, 6, 2);
	proto_put_bytes(w, 5, str_from(name));
	proto_put_fixed64(w, 8, time_mark);
	proto_put_fixed64(w, 7, time_mark);
	proto_put_bytes(w, 4, str_of((const char *)id_mark, 8));
	proto_put_bytes(w, 2, str_of((const char *)id_mark, 8));
	proto_put_bytes(w, 1, str_of((const char *)id_mark, 16));
	proto_put_header(w, 2, mark);
}

static size_t mark_in_span(const struct template *t, const char *mark)
{
	const char *span = t->bytes.p + t->spans_at;
	const char *at = memmem(span, t->span_size, mark, strlen(mark));

	return at ? (size_t)(at - span) : 0;
}

/* Write the unique attributes: eight decimal and 16 hex digits. */
static void set_unique(struct load *l, const struct template *t, char *span)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t random = next_random(l);

	for (unsigned i = 0; i < strlen(REQUEST_MARK); i++)
		span[t->request_at + i] = digits[random >> 4 * i & 15];
	random = next_random(l);
	for (unsigned i = 0; i < strlen(ORDER_MARK); i++, random /= 10)
		span[t->order_at + i] = digits[random % 10];
}

static void make_traces(struct load *l, unsigned index)
{
	struct template *t = &l->templates[index];
	struct proto_writer w;
	char service[32];
	size_t mark;

	snprintf(service, sizeof(service), "service%u", service_of(l, index));
	proto_writer_init(&w, NULL);
	for (unsigned i = TRACES_IN_REQUEST * SPANS_IN_TRACE; i-- > 0;)
		put_span(&w, i);
	t->span_size = proto_mark(&w) / (TRACES_IN_REQUEST * SPANS_IN_TRACE);
	t->spans_at = proto_mark(&w); /* relative to the end until the request is complete */
	proto_put_header(&w, 2, 0);
	mark = proto_mark(&w);
	put_attribute(&w, 1, "service.name", service);
	proto_put_header(&w, 1, mark);
	proto_put_header(&w, 1, 0);
	t->uncompressed = proto_writer_str(&w).n;
	buf_printf(&t->bytes,
		   "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
		   "application/x-protobuf\r\nContent-Length: %zu\r\n\r\n",
		   t->uncompressed);
	buf_put_str(&t->bytes, proto_writer_str(&w));
	t->spans_at = t->bytes.n - t->spans_at;
	t->order_at = mark_in_span(t, ORDER_MARK);
	t->request_at = mark_in_span(t, REQUEST_MARK);
	proto_writer_fini(&w);
}

/* Set new ids and current times; each span of a trace is the child of the previous one. */
static void set_spans(struct load *l, const struct template *t, char *bytes)
{
	uint64_t now = clock_realtime_ns(), trace[2] = {0}, id = 0, parent, start, end;
	char *at = bytes + t->spans_at;

	for (unsigned i = 0; i < TRACES_IN_REQUEST * SPANS_IN_TRACE; i++, at += t->span_size) {
		parent = i % SPANS_IN_TRACE ? id : 0;
		if (!parent) {
			trace[0] = next_random(l);
			trace[1] = next_random(l);
		}
		id = next_random(l);
		start = now - 50000000 + i % SPANS_IN_TRACE * 1000000 + id % 900000;
		end = start + 1000000 + (id >> 20) % 40000000;
		memcpy(at + SPAN_TRACE, trace, sizeof(trace));
		memcpy(at + SPAN_ID, &id, sizeof(id));
		memcpy(at + SPAN_PARENT, &parent, sizeof(parent));
		memcpy(at + SPAN_START, &start, sizeof(start));
		memcpy(at + SPAN_END, &end, sizeof(end));
		set_unique(l, t, at);
	}
}

/* Find the offsets of time and id in the request. */
static void find_marks(const struct load *l, struct template *t)
{
	uint8_t mark[9];

	put_varint9(mark, time_mark);
	t->time_at = l->kind == OTLP ? find(&t->bytes, &time_mark, 8) : find(&t->bytes, mark, 9);
	t->id_at = l->kind == PUSH ? find(&t->bytes, "00000000-0000-4000", 18)
				   : find(&t->bytes, id_mark, 16);
	if (!t->time_at) {
		fprintf(stderr, "load: the encoded profile has no time\n");
		exit(2);
	}
}

/* Make the request of the pod with that index. */
static void make_template(struct load *l, unsigned template, unsigned index)
{
	struct profile_batch batch;

	if (l->kind == TRACES) {
		make_traces(l, template);
		return;
	}
	build(l, index, &batch);
	make_request(l, &batch, index, &l->templates[template]);
	find_marks(l, &l->templates[template]);
	profile_batch_fini(&batch);
}

/* Make a request with the next numbered profile that is not acknowledged, in the first template. */
static struct template *numbered_template(struct load *l, struct connection *c)
{
	struct template *t = &l->templates[0];
	struct profile_batch batch;
	struct profile_builder b;
	uint32_t location, stack;
	char name[16];

	while (l->numbered[l->next % l->total] != TO_SEND)
		l->next++;
	c->number = l->next++ % l->total;
	l->numbered[c->number] = IN_FLIGHT;
	snprintf(name, sizeof(name), "n%u", c->number);
	if (profile_batch_init(&batch, NULL) || profile_builder_init(&b, &batch) ||
	    profile_begin(&b, STR("cpu"), STR("nanoseconds")) ||
	    profile_add_frame(&b, str_from(name), STR("n.c"), 1, &location) ||
	    profile_add_stack(&b, &location, 1, &stack) ||
	    profile_add_sample(&b, stack, 0, NULL, 0, 1))
		die("profile");
	batch.profiles.at[0].time_unix_nano = time_mark;
	make_request(l, &batch, 0, t);
	find_marks(l, t);
	profile_batch_fini(&batch);
	return t;
}

/* ---- the run ---- */

static void open_connection(struct load *l, struct connection *c)
{
	int one = 1;

	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0 || connect(c->fd, (const struct sockaddr *)&l->to, sizeof(l->to)))
		l->total ? exit(3) : die("connect");
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (fcntl(c->fd, F_SETFL, O_NONBLOCK))
		die("fcntl");

	struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = c};

	if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, c->fd, &event))
		die("epoll_ctl");
	c->busy = false;
	c->in_n = 0;
}

static void reopen(struct load *l, struct connection *c)
{
	if (l->total)
		exit(3);
	l->failed += c->busy;
	close(c->fd);
	open_connection(l, c);
}

static void write_some(struct load *l, struct connection *c)
{
	while (c->busy && c->out_at < c->out_n) {
		ssize_t n = send(c->fd, c->out + c->out_at, c->out_n - c->out_at, MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0) {
			reopen(l, c);
			return;
		}
		c->out_at += (size_t)n;
	}
}

static void set_time(const struct load *l, char *at, uint64_t now)
{
	if (l->kind == OTLP) {
		memcpy(at, &now, 8);
		return;
	}
	put_varint9((uint8_t *)at, now);
	if (l->gzip) { /* the checksum of the stored member follows its bytes */
		uint32_t crc = (uint32_t)crc32(0, (const uint8_t *)at, TIME_SIZE);

		memcpy(at + TIME_SIZE, &crc, 4);
	}
}

/* Set an id that is unique to this run. */
static void set_id(const struct load *l, char *at, unsigned number)
{
	char id[17];

	snprintf(id, sizeof(id), "%08x%08x", l->run, number);
	if (l->kind == OTLP) {
		memcpy(at, id, 16);
	} else { /* keep the format of a UUID */
		memcpy(at, id, 8);
		memcpy(at + 28, id + 8, 8);
	}
}

static uint64_t next_time(const struct load *l, const struct connection *c)
{
	uint64_t now = clock_realtime_ns(), day = 86400 * NS_PER_SECOND;

	if (l->total)
		return l->base_ns + c->number;
	if (!l->day)
		return now + l->sent % 1000;
	now -= now % day + l->days * day;
	if (l->interleave) /* each pod sends one for each day in turn */
		return now + l->sent / (l->services * l->pods) % l->days * day +
		       day / l->day * l->sent;
	return now + l->days * day / l->day * l->sent;
}

static void begin(struct load *l, struct connection *c, uint64_t due)
{
	const struct template *t = &l->templates[l->fresh ? 0 : l->sent % TEMPLATES];

	if (l->total)
		t = numbered_template(l, c);
	else if (l->fresh)
		make_template(l, 0, (unsigned)(l->sent % ((uint64_t)l->services * l->pods)));
	if (c->out_cap < t->bytes.n) {
		free(c->out);
		c->out = malloc(c->out_cap = t->bytes.n);
		if (!c->out)
			die("malloc");
	}
	memcpy(c->out, t->bytes.p, c->out_n = t->bytes.n);
	if (l->kind == TRACES)
		set_spans(l, t, c->out);
	else
		set_time(l, c->out + t->time_at, next_time(l, c));
	if (t->id_at)
		set_id(l, c->out + t->id_at, l->total ? c->number : (unsigned)l->sent);
	c->busy = true;
	c->out_at = c->in_n = 0;
	c->due = due;
	c->bytes = t->uncompressed;
	l->sent++;
	write_some(l, c);
}

/* Return the status of the response, 0 if it is incomplete, -1 if it is invalid. */
static int response_status(const struct connection *c)
{
	const char *end = memmem(c->in, c->in_n, "\r\n\r\n", 4), *length;
	size_t body = 0;

	if (!end)
		return c->in_n == sizeof(c->in) ? -1 : 0;
	length = strcasestr(c->in, "\r\ncontent-length:");
	if (length && length < end)
		body = strtoul(length + 17, NULL, 10);
	if (c->in_n < (size_t)(end - c->in) + 4 + body)
		return 0;
	return c->in_n > 12 ? atoi(c->in + 9) : -1;
}

static void record_response(struct load *l, struct connection *c, int status)
{
	char line[16];
	int n = snprintf(line, sizeof(line), "%u\n", c->number);

	l->numbered[c->number] = status / 100 == 2 ? DONE : TO_SEND;
	if (status / 100 == 2 && write(l->acknowledged_fd, line, (size_t)n) != n)
		die("write");
}

static void read_some(struct load *l, struct connection *c)
{
	int status;
	ssize_t n = recv(c->fd, c->in + c->in_n, sizeof(c->in) - 1 - c->in_n, 0);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		reopen(l, c);
		return;
	}
	c->in_n += (size_t)n;
	c->in[c->in_n] = '\0';
	status = response_status(c);
	if (!status)
		return;
	if (l->total)
		record_response(l, c, status);
	if (status / 100 == 2) {
		l->acknowledged++;
		l->bytes += c->bytes;
		if (l->latency_count < LATENCIES_MAX)
			l->latencies[l->latency_count++] =
				(float)(clock_monotonic_ns() - c->due) / 1e6f;
	} else if (status == 429 || status == 503) {
		l->refused++;
	} else {
		if (!l->failed)
			fprintf(stderr, "load: %.*s\n", (int)c->in_n, c->in);
		l->failed++;
	}
	c->busy = false;
	/* a close that arrived with the response is not reported again */
	if (recv(c->fd, c->in, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
		reopen(l, c);
}

static struct connection *idle(struct load *l)
{
	for (unsigned i = 0; i < l->connection_count; i++)
		if (!l->connections[i].busy)
			return &l->connections[i];
	return NULL;
}

static bool all_sent(const struct load *l)
{
	if ((l->most && l->sent >= l->most) || (l->most_failed && l->failed >= l->most_failed))
		return true;
	if (l->day)
		return l->sent >= l->day;
	for (unsigned i = 0; i < l->total; i++)
		if (l->numbered[i] == TO_SEND)
			return false;
	return l->total > 0;
}

static unsigned busy_count(const struct load *l)
{
	unsigned n = 0;

	for (unsigned i = 0; i < l->connection_count; i++)
		n += l->connections[i].busy;
	return n;
}

static void poll_once(struct load *l, int timeout_ms)
{
	struct epoll_event events[64];
	int n = epoll_wait(l->epoll, events, 64, timeout_ms);

	for (int i = 0; i < n; i++) {
		struct connection *c = events[i].data.ptr;

		if (events[i].events & EPOLLOUT)
			write_some(l, c);
		if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))
			read_some(l, c);
	}
}

static double run(struct load *l)
{
	uint64_t start = clock_monotonic_ns(), end = start + l->seconds * NS_PER_SECOND;

	for (uint64_t now = start; now < end || busy_count(l); now = clock_monotonic_ns()) {
		uint64_t due = l->rate ? start + l->sent * NS_PER_SECOND / l->rate : now;
		bool more = now < end && due <= now && !all_sent(l);
		struct connection *c = more ? idle(l) : NULL;

		if (now > end + 60 * NS_PER_SECOND || (!busy_count(l) && all_sent(l)))
			break;
		if (c)
			begin(l, c, due);
		poll_once(l, c ? 0 : 1);
	}
	return (double)(clock_monotonic_ns() - start) / 1e9;
}

/* ---- the server, from outside ---- */

static double cpu_seconds(int pid)
{
	char path[64], text[1024];
	unsigned long user = 0, system = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);

	FILE *f = fopen(path, "re");

	if (!f || !fgets(text, sizeof(text), f))
		die(path);
	fclose(f);
	sscanf(strrchr(text, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
	       &system);
	return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static double peak_megabytes(int pid)
{
	char path[64], line[256];
	double kib = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);

	FILE *f = fopen(path, "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %lf", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib / 1024;
}

static int compare(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static double quantile(const struct load *l, double q)
{
	return l->latency_count ? l->latencies[(size_t)((l->latency_count - 1) * q)] : 0;
}

/* Open the file of acknowledged numbers; -n must come before -u. */
static void open_acknowledged(struct load *l, const char *path)
{
	char line[32];

	l->acknowledged_fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	l->numbered = calloc(l->total ? l->total : 1, sizeof(*l->numbered));

	FILE *f = fopen(path, "re");

	if (l->acknowledged_fd < 0 || !l->numbered || !f)
		die(path);
	while (fgets(line, sizeof(line), f)) {
		unsigned number = (unsigned)strtoul(line, NULL, 10);

		if (number < l->total)
			l->numbered[number] = DONE;
	}
	fclose(f);
}

/*
 * Parse an option about the contents of profiles, which are then generated when sent. Return false
 * for other options.
 */
static bool parse_shape(struct load *l, int option, unsigned number)
{
	switch (option) {
	case 'S':
		l->services = number;
		break;
	case 'P':
		l->pods = number;
		break;
	case 'K':
		l->stacks = number;
		break;
	case 'm':
		l->mean_samples = number;
		break;
	case 'd':
		l->day = number;
		l->seconds = 7200;
		break;
	case 'L':
		l->span_samples = number;
		break;
	default:
		return false;
	}
	l->fresh = true;
	return true;
}

static void parse_options(struct load *l, int argc, char **argv)
{
	static const char *const kinds[KINDS] = {"push", "ingest", "otlp", "traces"};
	int option;

	while ((option = getopt(argc, argv, "k:c:r:s:p:zd:n:u:b:S:P:K:m:D:N:f:L:e:i")) != -1) {
		unsigned number = optarg ? (unsigned)strtoul(optarg, NULL, 10) : 0;

		switch (option) {
		case 'k':
			while (l->kind < KINDS && strcmp(kinds[l->kind], optarg))
				l->kind++;
			break;
		case 'c':
			l->connection_count = number < CONNECTIONS_MAX ? number : CONNECTIONS_MAX;
			break;
		case 'r':
			l->rate = number;
			break;
		case 's':
			l->seconds = number;
			break;
		case 'p':
			l->pid = (int)number;
			break;
		case 'n':
			l->total = number;
			break;
		case 'f':
			l->first_service = number;
			break;
		case 'e':
			l->most_failed = number;
			break;
		case 'i':
			l->interleave = true;
			break;
		case 'N':
			l->most = number;
			break;
		case 'D':
			l->days = number;
			break;
		case 'b':
			l->base_ns = number * NS_PER_SECOND;
			break;
		case 'u':
			open_acknowledged(l, optarg);
			break;
		case 'z':
			l->gzip = true;
			break;
		default:
			if (!parse_shape(l, option, number))
				exit(2);
		}
	}
	l->to.sin_family = AF_INET;
	if (l->kind == KINDS || argc - optind != 2 || !l->connection_count || !l->services ||
	    !l->pods || !l->mean_samples || !l->days || l->stacks < 4 * l->mean_samples ||
	    !inet_pton(AF_INET, argv[optind], &l->to.sin_addr)) {
		fprintf(stderr,
			"usage: load [-k push|ingest|otlp|traces] [-c N] [-r N] [-s N] [-p PID] "
			"[-z] [-S N] [-P N] [-K N] [-m N] [-f N] [-L N] [-N N] [-e N] "
			"[-d N] [-D N] [-i] ADDRESS PORT\n"
			"	(-K is at least four times -m)\n");
		exit(2);
	}
	l->to.sin_port = htons((uint16_t)atoi(argv[optind + 1]));
}

static void print_ids(const struct load *l, const char *key, bool of_trace)
{
	uint64_t spans = (l->linked + l->span_samples - 1) / l->span_samples;

	printf(",\"%s\":[", key);
	for (unsigned i = 0; i < LINKS_IN_OUTPUT; i++) {
		struct link link = link_to(l, (2 * i + 1) * spans / (2 * LINKS_IN_OUTPUT));
		const uint8_t *id = of_trace ? link.trace_id : link.span_id;

		printf(i ? ",\"" : "\"");
		for (size_t k = 0; k < (of_trace ? sizeof(link.trace_id) : sizeof(link.span_id));
		     k++)
			printf("%02x", id[k]);
		printf("\"");
	}
	printf("]");
}

int main(int argc, char **argv)
{
	static struct load l = {.connection_count = 8,
				.seconds = 10,
				.random = 88172645463325252u,
				.services = 8,
				.pods = 4,
				.stacks = 3000,
				.mean_samples = 550,
				.days = 1};

	l.base_ns = clock_realtime_ns();

	parse_options(&l, argc, argv);
	l.run = l.total ? 0x76617276 : (uint32_t)(clock_realtime_ns() / NS_PER_MS);
	l.epoll = epoll_create1(EPOLL_CLOEXEC);
	l.latencies = malloc(LATENCIES_MAX * sizeof(*l.latencies));
	l.connections = calloc(l.connection_count, sizeof(*l.connections));
	l.used = calloc(1, l.stacks / 8 + 1);
	l.seen = calloc(1, (size_t)l.services * l.stacks / 8 + 1);
	if (l.epoll < 0 || !l.latencies || !l.connections || !l.used || !l.seen)
		die("load");
	for (unsigned i = 0; !l.total && !l.fresh && i < TEMPLATES; i++)
		make_template(&l, i, i);
	for (unsigned i = 0; i < l.connection_count; i++)
		open_connection(&l, &l.connections[i]);

	double cpu = l.pid ? cpu_seconds(l.pid) : 0, wall = run(&l);

	cpu = l.pid ? cpu_seconds(l.pid) - cpu : 0;
	qsort(l.latencies, l.latency_count, sizeof(*l.latencies), compare);
	printf("{\"acknowledged\":%llu,\"refused\":%llu,\"failed\":%llu,\"profiles_per_s\":%.1f,"
	       "\"p50_ms\":%.2f,\"p99_ms\":%.2f,"
	       "\"mean_bytes\":%.0f,\"mb_per_s\":%.1f",
	       (unsigned long long)l.acknowledged, (unsigned long long)l.refused,
	       (unsigned long long)l.failed, (double)l.acknowledged / wall, quantile(&l, 0.5),
	       quantile(&l, 0.99), l.acknowledged ? (double)l.bytes / (double)l.acknowledged : 0,
	       (double)l.bytes / 1e6 / wall);
	if (l.kind == TRACES)
		printf(",\"spans_per_s\":%.0f,\"spans_per_cpu_s\":%.0f",
		       (double)l.acknowledged * TRACES_IN_REQUEST * SPANS_IN_TRACE / wall,
		       cpu > 0 ? (double)l.acknowledged * TRACES_IN_REQUEST * SPANS_IN_TRACE / cpu
			       : 0);
	if (l.day)
		printf(",\"samples\":%llu", (unsigned long long)l.day_samples);
	if (l.fresh)
		printf(",\"stacks\":%llu", (unsigned long long)l.seen_count);
	if (l.span_samples) {
		print_ids(&l, "spans", false);
		print_ids(&l, "traces", true);
	}
	if (l.pid)
		printf(",\"server_cpu_s\":%.2f,\"mb_per_cpu_s\":%.1f,\"server_peak_mb\":%.1f", cpu,
		       cpu > 0 ? (double)l.bytes / 1e6 / cpu : 0, peak_megabytes(l.pid));
	printf("}\n");
	return l.failed ? 1 : 0;
}
