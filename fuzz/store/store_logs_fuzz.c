/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as a block of log records: the first byte selects rows, a page or an index. What
 * can be read of rows is encoded as a page, and must come back.
 */
#include "base/clock.h"
#include "fuzz.h"
#include "store/sqlite/catalog/day.h"
#include "store/sqlite/logs/log_block.h"
#include "store/sqlite/logs/log_details.h"

enum { ROWS, PAGE, INDEX, FORMS };

/* Read all of a page; with `logs`, the fields must be those of the records. */
static void fuzz_page(struct str bytes, struct arena *a, const struct kept_log *logs)
{
	struct log_details d = {0};
	struct buf scratch = {0};
	struct log_page p;
	int rc = log_page_open(&p, bytes, NULL, a, NULL);

	for (unsigned i = 0; !rc && i < LOG_PIECE_DETAILS; i++)
		rc = log_page_read(&p, (enum log_piece)i, NULL);
	if (!rc)
		rc = log_details_init(&d, &p, NULL);
	FUZZ_CHECK(!rc || !logs || rc == -ENOMEM);
	for (uint32_t i = 0; !rc && i < p.n; i++) {
		struct log_record r, x;

		(void)log_page_text(&p, i, &scratch);
		rc = log_details_record(&d, i, &r);
		if (rc || !logs)
			continue;
		FUZZ_CHECK(!log_record_read(&x, logs[i].message));
		FUZZ_CHECK(p.times[i] == logs[i].time);
		FUZZ_CHECK(r.severity == x.severity && r.flags == x.flags &&
			   r.dropped_attributes == x.dropped_attributes);
		FUZZ_CHECK(str_eq(r.severity_text, x.severity_text) &&
			   str_eq(r.event_name, x.event_name));
		FUZZ_CHECK(memcmp(r.trace_id, x.trace_id, sizeof(r.trace_id)) == 0 &&
			   memcmp(r.span_id, x.span_id, sizeof(r.span_id)) == 0);
	}
	log_details_fini(&d);
	buf_fini(&scratch);
}

/* Rows, which are encoded as a page. */
static void fuzz_rows(struct str in, struct arena *a)
{
	struct log_page_packer packer;
	struct log_hashes hashes = {.arena = a};
	struct buf page = {0};
	struct log_rows rows;
	int rc = log_rows_get(&rows, in, a, NULL);

	if (rc || rows.logs.n > LOGS_IN_PAGE)
		return;
	for (uint32_t i = 0; i < rows.logs.n; i++) /* as in one hour */
		rows.logs.at[i].time %= NS_PER_HOUR;
	log_page_packer_init(&packer);
	rc = log_rows_sort(&rows, a);
	if (!rc)
		rc = log_page_put(&packer, &page, rows.logs.at, rows.logs.n, &hashes);
	if (!rc)
		fuzz_page(buf_str(&page), a, rows.logs.at);
	buf_fini(&page);
	log_page_packer_fini(&packer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct str in = str_of((const char *)data + 1, size ? size - 1 : 0);
	struct log_index index;
	struct arena a;

	if (!size)
		return 0;
	arena_init(&a, &budget);
	switch (data[0] % FORMS) {
	case ROWS:
		fuzz_rows(in, &a);
		break;
	case PAGE:
		fuzz_page(in, &a, NULL);
		break;
	default:
		(void)!log_index_get(&index, in, 0, &a, NULL);
	}
	arena_fini(&a);
	return 0;
}
