/* SPDX-License-Identifier: Apache-2.0 */
/* Ingest statistics: fixed tables, searched linearly under one lock. */
#include "pipeline/admission/senders.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/container/hash.h"
#include "net/address.h"
#include "net/http/header.h"

const char *const receive_protocol_names[RECEIVE_PROTOCOLS] = {
	[RECEIVE_OTLP_HTTP] = "otlp_http", [RECEIVE_OTLP_GRPC] = "otlp_grpc",
	[RECEIVE_INGEST] = "ingest",	   [RECEIVE_PUSH] = "push",
	[RECEIVE_UPLOAD] = "upload",	   [RECEIVE_REMOTE_WRITE] = "remote_write",
};

const char *const receive_refused_names[REFUSED_REASONS] = {
	[REFUSED_BAD] = "bad",
	[REFUSED_REJECTED] = "rejected",
	[REFUSED_FAILED] = "failed",
	[REFUSED_OVERLOAD] = "overload",
};

void senders_init(struct senders *s)
{
	*s = (struct senders){0};
	pthread_mutex_init(&s->mu, NULL);
}

void senders_fini(struct senders *s)
{
	free(s->at);
	free(s->hashes);
	free(s->tenants);
	pthread_mutex_destroy(&s->mu);
}

/* Copy as much of the text as fits. */
static void copy_text(char *out, size_t size, struct str text)
{
	snprintf(out, size, "%.*s", STR_ARG(str_head(text, size - 1)));
}

void service_names_add(struct service_names *s, struct str name)
{
	name = str_head(name, SENDER_SERVICE - 1);
	if (!name.n || s->n == SENDER_SERVICES)
		return;
	for (unsigned i = 0; i < s->n; i++)
		if (str_eq(str_from(s->at[i]), name))
			return;
	copy_text(s->at[s->n++], SENDER_SERVICE, name);
}

void service_names_add_series(struct service_names *s, const struct series_map *series)
{
	for (uint32_t i = 0; i < series->series.n && i < SERVICES_LOOKED_AT; i++)
		service_names_add(s,
				  label_set_get(series->series.at[i].labels, STR("service_name")));
}

void service_names_add_spans(struct service_names *s, const struct span_batch *spans)
{
	for (uint32_t i = 0, seen = 0; i < spans->spans.n && seen < SERVICES_LOOKED_AT; i++)
		if (!i || spans->spans.at[i].service.p != spans->spans.at[i - 1].service.p) {
			service_names_add(s, spans->spans.at[i].service);
			seen++;
		}
}

/* Set the address without the port, which changes with each connection: "192.0.2.1", "::1". */
static void set_peer(struct known_sender *s, const struct sockaddr_storage *peer)
{
	char text[NET_ADDRESS_TEXT];
	struct str address = str_from(net_address_format(peer, text));
	size_t colon = str_find_last(address, ':');

	address = str_head(address, colon);
	if (address.n > 1 && address.p[0] == '[')
		address = str_of(address.p + 1, address.n - 2);
	copy_text(s->peer, sizeof(s->peer), address);
}

/* Return a sender with only the fields that identify it. */
static struct known_sender make_sender_key(const struct receipt *r)
{
	struct known_sender s = {.protocol = r->protocol};

	set_peer(&s, r->x->peer);
	copy_text(s.agent, sizeof(s.agent), http_header(r->x, STR("user-agent")));
	copy_text(s.tenant, sizeof(s.tenant), r->x->tenant);
	s.hash = hash_bytes(&s.protocol, offsetof(struct known_sender, tenant) + sizeof(s.tenant) -
						 offsetof(struct known_sender, protocol));
	return s;
}

static bool same_sender(const struct known_sender *a, const struct known_sender *b)
{
	return a->hash == b->hash && a->protocol == b->protocol && !strcmp(a->peer, b->peer) &&
	       !strcmp(a->agent, b->agent) && !strcmp(a->tenant, b->tenant);
}

/*
 * Return the sender to forget: the one that was quiet for longest; one that was refused is kept as
 * long as there are others, because it needs attention.
 */
static unsigned least_useful(const struct senders *s)
{
	unsigned best = 0;

	for (unsigned i = 1; i < s->n; i++) {
		bool refused = s->at[i].refusal_time, other = s->at[best].refusal_time;

		if (refused != other ? other : s->at[i].last < s->at[best].last)
			best = i;
	}
	return best;
}

/* Return the row of a sender, added if it is new; NULL without memory. mu is held. */
static struct known_sender *find_sender(struct senders *s, const struct known_sender *who)
{
	unsigned at;

	if (!s->at)
		s->at = calloc(SENDERS_MAX, sizeof(*s->at));
	if (s->at && !s->hashes)
		s->hashes = calloc(SENDERS_MAX, sizeof(*s->hashes));
	if (!s->at || !s->hashes)
		return NULL;
	for (unsigned i = 0; i < s->n; i++)
		if (s->hashes[i] == who->hash && same_sender(&s->at[i], who))
			return &s->at[i];
	at = s->n < SENDERS_MAX ? s->n++ : least_useful(s);
	s->forgotten += s->at[at].last != 0;
	s->at[at] = *who;
	s->hashes[at] = who->hash;
	return &s->at[at];
}

static void add_sums(struct receive_sums *sums, const struct receipt *r)
{
	sums->requests++;
	sums->profiles += r->profiles;
	sums->samples += r->samples;
	sums->spans += r->spans;
	sums->bytes += r->bytes;
	sums->duplicates += r->duplicates;
	for (unsigned i = 0; i < REFUSED_REASONS; i++)
		sums->refused[i] += r->refused[i];
}

/* Parse "samples=N lost=N cpu_ns=N", the header Varve-Profiler; ignore unknown fields. */
static void read_profiler(struct sender_profiler *p, struct str text)
{
	const struct {
		struct str name;
		uint64_t *value;
	} fields[] = {{STR("samples"), &p->samples},
		      {STR("lost"), &p->lost},
		      {STR("cpu_ns"), &p->cpu_ns}};

	while (text.n) {
		struct str value = str_cut(&text, ' '), name = str_cut(&value, '=');
		uint64_t number;

		for (size_t i = 0; i < countof(fields); i++)
			if (str_eq(fields[i].name, name) && !str_to_u64(value, 10, &number)) {
				*fields[i].value = number;
				p->reported = true;
			}
	}
}

static struct tenant_sums *find_tenant_sums(const struct senders *s, struct str tenant)
{
	uint64_t hash = hash_bytes(tenant.p, tenant.n);

	for (unsigned i = 0; i < s->tenant_n; i++)
		if (s->tenants[i].hash == hash && str_eq(str_from(s->tenants[i].tenant), tenant))
			return &s->tenants[i];
	return NULL;
}

/* Make room for one more tenant. Return false at the maximum or without memory. mu is held. */
static bool fit_tenant(struct senders *s)
{
	unsigned room = s->tenant_room ? 2 * s->tenant_room : 16;
	struct tenant_sums *grown;

	if (s->tenant_n < s->tenant_room)
		return true;
	grown = room <= SENDERS_TENANTS_MAX ? realloc(s->tenants, room * sizeof(*grown)) : NULL;
	if (!grown)
		return false;
	s->tenants = grown;
	s->tenant_room = room;
	return true;
}

/* Add a request to the sums of its tenant. mu is held. */
static void add_tenant_sums(struct senders *s, const struct receipt *r)
{
	struct str tenant = r->x->tenant;
	struct tenant_sums *t = tenant.n ? find_tenant_sums(s, tenant) : NULL;

	if (tenant.n && !t && fit_tenant(s)) {
		t = &s->tenants[s->tenant_n++];
		*t = (struct tenant_sums){.hash = hash_bytes(tenant.p, tenant.n)};
		copy_text(t->tenant, sizeof(t->tenant), tenant);
	}
	if (t)
		add_sums(&t->sums[r->protocol], r);
}

void senders_note(struct senders *s, const struct receipt *r)
{
	struct known_sender who = make_sender_key(r), *row;
	struct str profiler = http_header(r->x, STR("varve-profiler"));
	uint64_t now = clock_realtime_ns();

	pthread_mutex_lock(&s->mu);
	add_sums(&s->sums[r->protocol], r);
	add_tenant_sums(s, r);
	row = find_sender(s, &who);
	if (row) {
		s->newest = now > s->newest ? now : s->newest + 1;
		row->last = s->newest;
		add_sums(&row->sums, r);
		read_profiler(&row->profiler, profiler);
		for (unsigned i = 0; r->services && i < r->services->n; i++)
			service_names_add(&row->services, str_from(r->services->at[i]));
		if (r->reason && r->reason[0]) {
			copy_text(row->refusal, sizeof(row->refusal), str_from(r->reason));
			row->refusal_time = now;
		}
	}
	pthread_mutex_unlock(&s->mu);
}

static int last_first(const void *a, const void *b)
{
	const struct known_sender *x = a, *y = b;

	return x->last == y->last ? 0 : x->last > y->last ? -1 : 1;
}

unsigned senders_copy(struct senders *s, struct str tenant,
		      struct receive_sums sums[RECEIVE_PROTOCOLS], struct known_sender *at)
{
	const struct tenant_sums *t;
	unsigned n = 0;

	pthread_mutex_lock(&s->mu);
	t = tenant.n ? find_tenant_sums(s, tenant) : NULL;
	if (!tenant.n || t)
		memcpy(sums, t ? t->sums : s->sums, sizeof(s->sums));
	else
		memset(sums, 0, sizeof(s->sums));
	for (unsigned i = 0; at && i < s->n; i++)
		if (!tenant.n || str_eq(str_from(s->at[i].tenant), tenant))
			at[n++] = s->at[i];
	pthread_mutex_unlock(&s->mu);
	if (n)
		qsort(at, n, sizeof(*at), last_first);
	return n;
}

uint64_t senders_forgotten(struct senders *s)
{
	uint64_t n;

	pthread_mutex_lock(&s->mu);
	n = s->forgotten;
	pthread_mutex_unlock(&s->mu);
	return n;
}
