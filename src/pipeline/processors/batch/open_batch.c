/* SPDX-License-Identifier: Apache-2.0 */
/* One allocation holds a batch, its headers and their texts. */
#include "pipeline/processors/batch/open_batch.h"

#include <errno.h>
#include <stdlib.h>

#include "base/container/hash.h"

/* ---- keys ---- */

void batch_key_finish(struct batch_key *key)
{
	uint64_t h = 0;

	for (uint32_t i = 0; i < key->metadata_count; i++) {
		const struct http_header *m = &key->metadata[i];

		h = (h ^ hash_bytes(m->name.p, m->name.n)) * 0x9e3779b97f4a7c15u;
		h = (h ^ hash_bytes(m->value.p, m->value.n)) * 0xbf58476d1ce4e5b9u;
	}
	key->combination = h ^ h >> 32;
	key->hash = key->combination ^ hash_bytes(key->tenant.p, key->tenant.n);
}

bool batch_key_eq(const struct batch_key *a, const struct batch_key *b)
{
	if (a->hash != b->hash || a->metadata_count != b->metadata_count ||
	    !str_eq(a->tenant, b->tenant))
		return false;
	for (uint32_t i = 0; i < a->metadata_count; i++)
		if (!str_eq(a->metadata[i].name, b->metadata[i].name) ||
		    !str_eq(a->metadata[i].value, b->metadata[i].value))
			return false;
	return true;
}

static size_t key_size(const struct batch_key *key)
{
	size_t size = key->tenant.n + key->metadata_count * sizeof(*key->metadata);

	for (uint32_t i = 0; i < key->metadata_count; i++)
		size += key->metadata[i].name.n + key->metadata[i].value.n;
	return size;
}

static struct str place_key_text(char **at, struct str s)
{
	struct str placed = str_of(*at, s.n);

	if (s.n)
		memcpy(*at, s.p, s.n);
	*at += s.n;
	return placed;
}

/* ---- batches ---- */

struct open_batch *open_batch_new(const struct batch_key *key)
{
	struct open_batch *o = malloc(sizeof(*o) + key_size(key));
	struct http_header *headers = (void *)(o + 1);
	char *at = (char *)(headers + key->metadata_count);

	if (!o)
		return NULL;
	for (uint32_t i = 0; i < key->metadata_count; i++) {
		headers[i].name = place_key_text(&at, key->metadata[i].name);
		headers[i].value = place_key_text(&at, key->metadata[i].value);
	}
	*o = (struct open_batch){.key = *key};
	o->key.tenant = place_key_text(&at, key->tenant);
	o->key.metadata = headers;
	return o;
}

void open_batch_free(struct open_batch *o)
{
	if (!o)
		return;
	payload_list_free(&o->parts);
	free(o->shares);
	free(o);
}

static int reserve_shares(struct open_batch *o, uint32_t more)
{
	uint32_t room = o->share_room ? 2 * o->share_room : 16;
	struct batch_share *shares;

	if (o->share_room - o->share_count >= more)
		return 0;
	if (room - o->share_count < more)
		room = o->share_count + more;
	shares = reallocarray(o->shares, room, sizeof(*shares));
	if (!shares)
		return -ENOMEM;
	o->shares = shares;
	o->share_room = room;
	return 0;
}

/* Keep the last place of the list of payloads free, so that a payload can be added to it. */
static int reserve_part(struct open_batch *o)
{
	int rc;

	if (o->parts.n < o->parts.room)
		return 0;
	rc = payload_list_add(&o->parts, NULL);
	if (!rc)
		o->parts.n--;
	return rc;
}

int open_batch_reserve(struct open_batch *o, uint32_t shares)
{
	int rc = reserve_part(o);

	return rc || !shares ? rc : reserve_shares(o, shares);
}

void open_batch_add(struct open_batch *o, struct payload *p)
{
	o->items += p->items;
	o->parts.at[o->parts.n++] = p;
}

void open_batch_add_share(struct open_batch *o, struct batch_share share)
{
	o->shares[o->share_count++] = share;
}
