/* SPDX-License-Identifier: Apache-2.0 */
/* Trace ids that samples of profiles link to, read from the link tables of profile messages. */
#include "pipeline/processors/tail_sampling/profiled_traces.h"

/* Field numbers of opentelemetry.proto.profiles. */
enum { REQUEST_DICTIONARY = 2, DICTIONARY_LINKS = 4, LINK_TRACE_ID = 1 };

void profiled_traces_init(struct profiled_traces *p)
{
	p->set = (struct trace_id_set){0};
	pthread_mutex_init(&p->mu, NULL);
}

void profiled_traces_fini(struct profiled_traces *p)
{
	trace_id_set_fini(&p->set);
	pthread_mutex_destroy(&p->mu);
}

static void note_trace(struct profiled_traces *p, const struct trace_key *key)
{
	pthread_mutex_lock(&p->mu);
	if (p->set.capacity || !trace_id_set_init(&p->set, PROFILED_TRACES_MAX))
		trace_id_set_add(&p->set, key);
	pthread_mutex_unlock(&p->mu);
}

static void note_link(struct profiled_traces *p, struct str link, uint64_t tenant)
{
	static const uint8_t none[TRACE_ID_SIZE];
	struct proto_reader r = proto_reader_of(link);
	struct trace_key key = {.tenant = tenant};

	while (proto_next(&r)) {
		struct str id;

		if (r.tag != PROTO_TAG(LINK_TRACE_ID, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		id = proto_bytes(&r);
		if (id.n != TRACE_ID_SIZE || !memcmp(id.p, none, sizeof(none)))
			continue;
		memcpy(key.id, id.p, sizeof(key.id));
		note_trace(p, &key);
	}
}

static void note_links(struct profiled_traces *p, struct str dictionary, uint64_t tenant)
{
	struct proto_reader r = proto_reader_of(dictionary);

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(DICTIONARY_LINKS, PROTO_BYTES))
			note_link(p, proto_bytes(&r), tenant);
		else
			proto_skip(&r);
	}
}

void profiled_traces_note(struct profiled_traces *p, struct str tenant,
			  const struct payload *profiles)
{
	uint64_t hash = hash_bytes(tenant.p, tenant.n);

	for (uint32_t i = 0; i < profiles->slice_count; i++) {
		struct proto_reader r = proto_reader_of(profiles->slices[i].bytes);

		while (proto_next(&r)) {
			if (r.tag == PROTO_TAG(REQUEST_DICTIONARY, PROTO_BYTES))
				note_links(p, proto_bytes(&r), hash);
			else
				proto_skip(&r);
		}
	}
}

bool profiled_traces_has(struct profiled_traces *p, const struct trace_key *key)
{
	bool has;

	pthread_mutex_lock(&p->mu);
	has = trace_id_set_has(&p->set, key);
	pthread_mutex_unlock(&p->mu);
	return has;
}
