/* SPDX-License-Identifier: Apache-2.0 */
/* Merges queued items into batches. A batch belongs to the consumer that has collected it. */
#include "pipeline/exporters/sender/send_batch.h"

#include <stdlib.h>

#include "base/clock.h"
#include "net/http/http.h"
#include "pipeline/convert/payload_parts.h"

struct send_batch {
	struct send_lane *lane;
	struct send_list members;
	uint32_t pieces; /* not done */
	bool returned;
	/* The first error, or the sum of what was rejected. */
	struct delivery_result result;
};

/* ---- the end of a batch ---- */

/* Finish the members. What was rejected is divided among them: it is not known whose it was. */
static void finish_members(struct send_batch *b)
{
	uint32_t rejected = b->result.rejected;
	struct send_item *item;

	while ((item = send_list_take(&b->members))) {
		b->result.rejected = (uint32_t)min_size(rejected, item->payload->items);
		rejected -= b->result.rejected;
		send_item_finish(item, &b->result);
	}
}

/* Return the members to the head of the queue, the last one first. */
static void return_members(struct send_batch *b)
{
	struct send_item *reversed = NULL, *item;

	while ((item = send_list_take(&b->members))) {
		item->next = reversed;
		reversed = item;
	}
	while ((item = reversed)) {
		reversed = item->next;
		lane_return(b->lane, item);
	}
}

void send_batch_settle(struct send_batch *b, const struct delivery_result *result)
{
	if (!result)
		b->returned = true;
	else if (result->rc && !b->result.rc)
		b->result = *result;
	else if (!result->rc)
		b->result.rejected += result->rejected;
	if (--b->pieces)
		return;
	if (b->returned)
		return_members(b);
	else
		finish_members(b);
	free(b);
}

bool send_batch_is_waited_for(const struct send_batch *b)
{
	return b->members.first->waits;
}

/* ---- collecting ---- */

static uint64_t batch_size(const struct send_lane *l, const struct send_item *item)
{
	return l->batch_sizer == SIZER_BYTES ? item->payload->bytes : item->payload->items;
}

static void count_idle(struct send_lane *l, int n)
{
	pthread_mutex_lock(&l->mu);
	l->idle += (unsigned)n;
	pthread_mutex_unlock(&l->mu);
}

/* Take items until they have the minimum size or the time is over. One consumer at a time. */
static void collect_items(struct send_lane *l, struct send_list *items)
{
	const struct sender_batch_settings *batch = &l->sender->settings.queue.batch;
	struct send_item *item;
	uint64_t size = 0, until;

	/* a consumer that waits for its turn is idle */
	count_idle(l, 1);
	pthread_mutex_lock(&l->collecting);
	count_idle(l, -1);
	item = lane_take(l, UINT64_MAX);
	until = clock_monotonic_ns() + batch->flush_timeout_ns;
	while (item) {
		size += batch_size(l, item);
		send_list_append(items, item);
		if (size >= (uint64_t)batch->min_size)
			break;
		item = lane_take(l, until);
	}
	pthread_mutex_unlock(&l->collecting);
}

static bool has_same_key(const struct send_item *a, const struct send_item *b)
{
	if (!str_eq(a->tenant, b->tenant) || a->metadata_count != b->metadata_count)
		return false;
	for (uint32_t i = 0; i < a->metadata_count; i++)
		if (!str_eq(a->metadata[i].name, b->metadata[i].name) ||
		    !str_eq(a->metadata[i].value, b->metadata[i].value))
			return false;
	return true;
}

/* Move the first item, and all with the same tenant and headers, to `same`. */
static uint32_t take_same(struct send_list *items, struct send_list *same)
{
	struct send_item *first = items->first, *item;
	struct send_list others;
	uint32_t count = 0;

	send_list_init(&others);
	while ((item = send_list_take(items))) {
		bool equal = has_same_key(first, item);

		send_list_append(equal ? same : &others, item);
		count += equal;
	}
	send_list_init(items);
	while ((item = send_list_take(&others)))
		send_list_append(items, item);
	return count;
}

/* ---- making pieces ---- */

/* Return one payload of all members, or NULL if they cannot be merged. */
static struct payload *merge_members(const struct send_list *members, uint32_t count,
				     struct budget *budget)
{
	struct payload **parts = calloc((size_t)count + 1, sizeof(*parts)), *merged = NULL;
	uint32_t n = 0;

	if (!parts)
		return NULL;
	for (const struct send_item *item = members->first; item; item = item->next) {
		parts[n] = payload_keep(item->payload, budget);
		n += parts[n] != NULL;
	}
	if (n == count && payload_parts_merge(&merged, parts, n, budget, NULL))
		merged = NULL;
	while (n)
		payload_release(parts[--n]);
	free(parts);
	return merged;
}

/* Append the pieces of a payload to *out. Return 0 or -errno. */
static int cut_payload(const struct send_lane *l, const struct payload *p, struct payload_list *out)
{
	uint64_t max = (uint64_t)l->sender->settings.queue.batch.max_size;
	bool by_bytes = l->batch_sizer == SIZER_BYTES;

	return payload_parts_split(out, p, by_bytes ? 0 : max, by_bytes ? (size_t)max : 0,
				   &l->sender->host->memory, NULL);
}

/* Append an item for each payload, which takes it over. Return false without memory. */
static bool make_pieces(struct send_batch *b, struct payload_list *payloads, struct send_list *out)
{
	const struct send_item *first = b->members.first;

	for (uint32_t i = 0; i < payloads->n; i++) {
		struct send_item *piece = malloc(sizeof(*piece));

		if (!piece)
			return false;
		*piece = (struct send_item){.payload = payloads->at[i],
					    .kept = take_ptr(&payloads->at[i]),
					    .tenant = first->tenant,
					    .received = first->received,
					    .metadata = first->metadata,
					    .metadata_count = first->metadata_count,
					    .batch = b};
		send_list_append(out, piece);
	}
	b->pieces = payloads->n;
	return true;
}

static void free_pieces(struct send_list *pieces)
{
	struct send_item *piece;

	while ((piece = send_list_take(pieces))) {
		payload_release(piece->kept);
		free(piece);
	}
}

/* Make a batch of the members, which it takes over, and append its pieces to *out. */
static bool make_batch(struct send_lane *l, struct send_list *members, uint32_t count,
		       struct send_list *out)
{
	struct payload *merged = merge_members(members, count, &l->sender->host->memory);
	struct send_batch *b = merged ? calloc(1, sizeof(*b)) : NULL;
	struct payload_list payloads = {0};
	struct send_list pieces;
	struct send_item *piece;
	bool made = false;

	send_list_init(&pieces);
	if (b) {
		b->lane = l;
		send_list_init(&b->members);
		while ((piece = send_list_take(members)))
			send_list_append(&b->members, piece);
		made = !cut_payload(l, merged, &payloads) && payloads.n &&
		       make_pieces(b, &payloads, &pieces);
	}
	if (made) {
		while ((piece = send_list_take(&pieces)))
			send_list_append(out, piece);
	} else if (b) {
		free_pieces(&pieces);
		while ((piece = send_list_take(&b->members)))
			send_list_append(members, piece);
		free(b);
	}
	payload_list_free(&payloads);
	payload_release(merged);
	return made;
}

void send_batch_metrics(struct send_lane *l)
{
	static const double sizes[] = {10,   25,   50,	 75,   100,  250,  500,	 750,
				       1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000,
				       9000, 1e4,  2e4,	 3e4,  5e4,  1e5};
	static const double bytes[] = {128,	256,	 512,	  1 << 10, 1 << 11, 1 << 12,
				       1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18,
				       1 << 19, 1 << 20, 1 << 21, 1 << 22, 1 << 23, 1 << 24};
	const struct telemetry_label label = {"exporter", l->sender->id};
	struct telemetry *t = &l->sender->host->telemetry;

	l->batch_size = telemetry_histogram(t, "otelcol_exporter_queue_batch_send_size",
					    "Number of items in batches.", sizes, countof(sizes),
					    &label, 1);
	l->batch_bytes = telemetry_histogram(t, "otelcol_exporter_queue_batch_send_size_bytes",
					     "Number of bytes in batches.", bytes, countof(bytes),
					     &label, 1);
}

struct send_item *send_batch_take(struct send_lane *l)
{
	uint64_t max = (uint64_t)l->sender->settings.queue.batch.max_size;
	struct send_list items, same, out;

	send_list_init(&items);
	send_list_init(&out);
	collect_items(l, &items);
	while (items.first) {
		struct send_item *item;
		uint32_t count;

		send_list_init(&same);
		count = take_same(&items, &same);
		if ((count > 1 || (max && batch_size(l, same.first) > max)) &&
		    make_batch(l, &same, count, &out))
			continue;
		while ((item = send_list_take(&same))) /* as they are */
			send_list_append(&out, item);
	}
	for (const struct send_item *item = out.first; item; item = item->next) {
		telemetry_observe(l->batch_size, (double)item->payload->items);
		telemetry_observe(l->batch_bytes, (double)item->payload->bytes);
	}
	return out.first;
}
