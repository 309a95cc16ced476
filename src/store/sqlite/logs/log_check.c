/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check of merged blocks: the records of a page are encoded again, and what that adds up to is
 * compared with the index and the filter.
 */
#include "store/sqlite/logs/log_check.h"

#include "base/clock.h"

static void check_segments(struct log_page_check *c, const struct log_page_packer *p)
{
	const struct log_page_entry *page = &c->index->pages[c->page];

	if (p->segment_n != page->n) {
		c->unsorted++;
		return;
	}
	for (uint32_t i = 0; i < page->n; i++) {
		const struct log_segment *x = &c->index->segments[page->first + i];
		const struct log_segment *y = &p->segments[i];

		c->unsorted += x->stream != y->stream || x->n != y->n || x->first != y->first ||
			       x->last != y->last;
	}
}

static void check_order(struct log_page_check *c, const struct kept_log *logs, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		c->unsorted +=
			logs[i].stream < logs[i - 1].stream ||
			(logs[i].stream == logs[i - 1].stream && logs[i].time < logs[i - 1].time);
}

static void check_counts(struct log_page_check *c, const struct log_page_packer *p,
			 const struct kept_log *logs)
{
	const struct log_page_entry *page = &c->index->pages[c->page];
	uint32_t row = 0;

	for (uint32_t i = 0; i < page->n && i < p->segment_n; i++) {
		uint32_t segment = page->first + i, counts[60 * 8] = {0};

		for (uint32_t k = 0; k < p->segments[i].n; k++, row++)
			counts[logs[row].time / (60 * NS_PER_SECOND) % 60 * 8 +
			       severity_class_of(p->severities[row])]++;
		for (uint32_t k = c->index->counts_at[segment];
		     k < c->index->counts_at[segment + 1]; k++) {
			const struct log_count *x = &c->index->counts[k];

			c->counts += counts[x->minute * 8 + x->severity] != x->n;
		}
	}
}

int log_page_check(struct log_page_check *c, struct log_page_packer *p, const struct kept_log *logs,
		   uint32_t n)
{
	struct log_hashes hashes = {0};
	struct buf again = {0};
	struct arena arena;
	int rc;

	arena_init(&arena, NULL);
	hashes.arena = &arena;
	rc = log_page_put(p, &again, logs, n, &hashes);
	if (!rc) {
		check_order(c, logs, n);
		check_segments(c, p);
		check_counts(c, p, logs);
	}
	for (uint32_t i = 0; !rc && c->shard_n && i < hashes.list.n; i++) {
		uint64_t hash = hashes.list.at[i];

		c->missing +=
			!log_shard_has(c->shards[log_shard_of(hash, c->shard_n)], hash, c->page);
	}
	buf_fini(&again);
	arena_fini(&arena);
	return rc;
}
