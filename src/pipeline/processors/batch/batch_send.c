/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which deliveries a piece belongs to follows from the order of the items: merging and cutting keep
 * it. Not so for profiles, which are joined by resource, and may lose damaged samples: each piece
 * belongs to all deliveries.
 */
#include "pipeline/processors/batch/batch_send.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/emit.h"

/* ---- pieces ---- */

/* Move the payloads of the batch to *out as they are. */
static void take_parts(struct payload_list *out, struct open_batch *o)
{
	*out = o->parts;
	o->parts = (struct payload_list){0};
}

/*
 * Fill *out with what is to be sent. Return whether it was cut: then it has at least two pieces,
 * and all but the last are full. What cannot be merged or cut is passed on as it came.
 */
static bool make_batch_pieces(const struct batch_sender *s, struct open_batch *o,
			      struct payload_list *out)
{
	struct payload *whole = NULL;
	struct err e = {0};
	int rc = payload_parts_merge(&whole, o->parts.at, o->parts.n, &s->host->memory, &e);

	if (!rc)
		rc = payload_parts_split(out, whole, s->max_items, 0, &s->host->memory, &e);
	payload_release(whole);
	if (!rc)
		return out->n > 1;
	payload_list_free(out);
	log_warn(s->log, "batch could not be merged, passing on its parts", LOG_ERR(&e));
	take_parts(out, o);
	return false;
}

/* ---- deliveries ---- */

/* A piece on its way, and the deliveries that wait for it. */
struct batch_piece {
	const struct batch_sender *sender;
	uint32_t ticket_count;
	struct delivery_ticket *tickets[];
};

static void piece_done(void *owner, const struct delivery_result *result)
{
	struct batch_piece *piece = owner;

	for (uint32_t i = 0; i < piece->ticket_count; i++)
		delivery_ticket_drop(piece->tickets[i], result);
	if (result->rc && !piece->ticket_count)
		log_warn(piece->sender->log, "batch was refused, its items are lost",
			 LOG_STR("processor", str_from(piece->sender->id)),
			 LOG_STR("reason", str_from(result->reason)));
	batch_flow_end(piece->sender->flow);
	free(piece);
}

/* The shares of a batch that are not sent yet. */
struct share_cursor {
	struct batch_share *at;
	uint32_t n;
	bool all;    /* each piece belongs to all of them */
	bool failed; /* a piece was lost for lack of memory */
};

/* Return the number of shares, from the cursor on, that the next `items` items belong to. */
static uint32_t shares_of(const struct share_cursor *c, uint64_t items)
{
	uint32_t n = 0;

	if (c->all)
		return c->n;
	while (n < c->n && items) {
		items -= min_size(items, c->at[n].items);
		n++;
	}
	return n;
}

/* Put `n` shares, of which `items` items are sent, into a piece, and advance the cursor. */
static void move_shares(struct share_cursor *c, struct batch_piece *piece, uint32_t n,
			uint64_t items)
{
	for (uint32_t i = 0; i < n; i++) {
		struct batch_share *share = &c->at[i];
		uint64_t sent = min_size(items, share->items);

		piece->tickets[i] = share->ticket;
		items -= sent;
		share->items -= sent;
		if (share->items || c->all)
			delivery_ticket_ref(share->ticket);
	}
	if (c->all || !n)
		return;
	n -= c->at[n - 1].items != 0;
	c->at += n;
	c->n -= n;
}

static void send_piece(const struct batch_sender *s, const struct open_batch *o,
		       struct share_cursor *c, struct payload *p)
{
	uint32_t n = shares_of(c, p->items);
	struct batch_piece *piece = malloc(sizeof(*piece) + n * sizeof(struct delivery_ticket *));
	struct emit_options options = {.tenant = o->key.tenant,
				       .metadata = o->key.metadata,
				       .metadata_count = o->key.metadata_count,
				       .done = piece_done,
				       .owner = piece};

	if (!piece) {
		c->all = c->failed = true;
		payload_release(p);
		return;
	}
	*piece = (struct batch_piece){.sender = s, .ticket_count = n};
	move_shares(c, piece, n, p->items);
	telemetry_observe(s->send_size, p->items);
	telemetry_observe(s->send_bytes, (double)p->bytes);
	batch_flow_begin(s->flow);
	emit_payload(s->next, p, &options);
}

/* Drop the batch's own references to tickets. */
static void drop_shares(struct share_cursor *c)
{
	const struct delivery_result lost = {
		.rc = -ENOMEM, .retry_after_ms = 1000, .reason = "out of memory"};
	const struct delivery_result sent = {0};

	for (uint32_t i = 0; i < c->n; i++)
		delivery_ticket_drop(c->at[i].ticket, c->failed ? &lost : &sent);
	c->n = 0;
}

/* Return a batch of the last piece with the shares that are left, or NULL without memory. */
static struct open_batch *keep_piece(const struct open_batch *o, struct share_cursor *c,
				     struct payload *p)
{
	struct open_batch *left = open_batch_new(&o->key);

	if (!left || open_batch_reserve(left, c->n)) {
		open_batch_free(left);
		return NULL;
	}
	open_batch_add(left, p);
	for (uint32_t i = 0; i < c->n; i++)
		open_batch_add_share(left, c->at[i]);
	c->n = 0;
	return left;
}

static uint64_t count_all(const struct payload_list *l)
{
	uint64_t items = 0;

	for (uint32_t i = 0; i < l->n; i++)
		items += l->at[i]->items;
	return items;
}

struct open_batch *batch_send(const struct batch_sender *s, struct open_batch *o,
			      uint64_t keep_below)
{
	enum signal_kind signal = o->parts.at[0]->signal;
	struct share_cursor c = {.at = o->shares, .n = o->share_count};
	struct payload_list pieces = {0};
	struct open_batch *left = NULL;
	bool cut = make_batch_pieces(s, o, &pieces);
	uint32_t n = pieces.n;

	c.all = signal == SIGNAL_PROFILES || count_all(&pieces) != o->items;
	for (uint32_t i = 0; i < n; i++) {
		struct payload *p = pieces.at[i];

		pieces.at[i] = NULL;
		if (i == n - 1 && cut && !c.all && p->items < keep_below)
			left = keep_piece(o, &c, p);
		if (!left)
			send_piece(s, o, &c, p);
	}
	drop_shares(&c);
	payload_list_free(&pieces);
	open_batch_free(o);
	return left;
}
