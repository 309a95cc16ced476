/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_BATCH_OPEN_BATCH_H
#define VARVE_PIPELINE_PROCESSORS_BATCH_OPEN_BATCH_H

#include "net/http/http.h"
#include "pipeline/convert/payload_parts.h"
#include "pipeline/processors/delivery_ticket.h"

/*
 * The payloads of one batch, in order, and whose deliveries they are. Payloads of different tenants
 * or with different values of the chosen headers are never in one batch.
 */
struct batch_key {
	struct str tenant;
	const struct http_header *metadata;
	uint32_t metadata_count;
	uint64_t combination; /* a hash of the headers */
	uint64_t hash;	      /* of all */
};

/* How many items of the batch, in their order, belong to a delivery that waits for them. */
struct batch_share {
	struct delivery_ticket *ticket;
	uint64_t items;
};

struct open_batch {
	struct open_batch *older, *newer; /* of all batches of the processor */
	struct open_batch *same_hash;	  /* of its bucket */
	struct batch_key key;		  /* with copies of the texts */
	uint64_t due_ns;		  /* monotonic */
	struct payload_list parts;
	uint64_t items;
	struct batch_share *shares; /* none if deliveries are acknowledged at once */
	uint32_t share_count, share_room;
};

/* Fill in the hashes. */
void batch_key_finish(struct batch_key *key);
bool batch_key_eq(const struct batch_key *a, const struct batch_key *b);

/* Return an empty batch with a copy of the key, or NULL without memory. */
struct open_batch *open_batch_new(const struct batch_key *key);

/* Release what is left in it. Takes NULL. The tickets are the caller's. */
void open_batch_free(struct open_batch *o);

/* Make room for one more payload and `shares` more shares. Return 0 or -ENOMEM. */
MUST_USE int open_batch_reserve(struct open_batch *o, uint32_t shares);

/* Append a payload and take over the reference; there is room for it. */
void open_batch_add(struct open_batch *o, struct payload *p);

/* Append a share and take over the reference to the ticket; there is room for it. */
void open_batch_add_share(struct open_batch *o, struct batch_share share);

#endif
