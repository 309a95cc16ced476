/* SPDX-License-Identifier: Apache-2.0 */
/* Checks blocks of log records. */
#include "store/sqlite/read/logs/check_logs.h"

#include "store/sqlite/catalog/day.h"
#include "store/sqlite/logs/log_check.h"

struct logs_check {
	struct reader *reader;
	const struct log_block_entry *entry;
	void (*report)(void *context, const char *text);
	void *context;
	struct arena arena;
	struct log_page_packer packer;
	struct err *e;
};

static void check_times(const struct logs_check *c, const struct log_rows *rows)
{
	const struct log_block_entry *entry = c->entry;

	if (rows->logs.n != entry->logs)
		c->report(c->context, "a block has an unexpected number of log records");
	for (uint32_t i = 0; i < rows->logs.n; i++) {
		uint64_t time = rows->logs.at[i].time;

		if (time < entry->first || time > entry->last ||
		    time / NS_PER_DAY != c->reader->partition->day ||
		    (entry->generation && time / NS_PER_HOUR % 24 != entry->hour)) {
			c->report(c->context, "a log record lies outside the time of its block");
			return;
		}
	}
}

static int read_shards(struct logs_check *c, struct str **out)
{
	const struct log_block_entry *entry = c->entry;
	int rc = 0;

	*out = arena_alloc(&c->arena, entry->shards + 1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	for (uint64_t i = 0; !rc && i < entry->shards; i++)
		rc = reader_blob(c->reader, entry->data + 1 + entry->pages + i, FRAME_LOG_FILTER,
				 &c->arena, &(*out)[i], c->e);
	return rc;
}

static int check_pages(struct logs_check *c, const struct log_rows *rows)
{
	struct log_index index;
	struct str *shards = NULL;
	uint32_t first = 0;
	int rc = logs_read_index(c->reader, c->entry, &index, &c->arena, c->e);

	if (!rc)
		rc = read_shards(c, &shards);
	for (uint32_t i = 0; !rc && i < index.page_n; i++) {
		struct log_page_check p = {.index = &index,
					   .page = i,
					   .shards = shards,
					   .shard_n = (uint32_t)c->entry->shards};

		rc = log_page_check(&p, &c->packer, rows->logs.at + first, index.pages[i].logs);
		first += index.pages[i].logs;
		if (p.unsorted)
			c->report(c->context, "log records are not in the order of their block");
		if (p.missing)
			c->report(c->context, "a word is missing in the filter of its block");
		if (p.counts)
			c->report(c->context, "the counts of a block of log records are wrong");
	}
	return rc;
}

int logs_check(struct reader *r, const struct log_block_entry *entry,
	       void (*report)(void *context, const char *text), void *context, struct err *e)
{
	struct logs_check c = {
		.reader = r, .entry = entry, .report = report, .context = context, .e = e};
	struct log_rows rows;
	int rc;

	arena_init(&c.arena, NULL);
	log_page_packer_init(&c.packer);
	rc = logs_read(r, entry, &c.arena, &rows, e);
	if (!rc)
		check_times(&c, &rows);
	if (!rc && entry->generation)
		rc = check_pages(&c, &rows);
	log_page_packer_fini(&c.packer);
	arena_fini(&c.arena);
	return rc ? err_errno(e, rc, "check logs") : 0;
}
