/* SPDX-License-Identifier: Apache-2.0 */
/* Reads blocks of log records. */
#include "store/sqlite/read/logs/log_read.h"

#include "store/sqlite/catalog/day.h"

int logs_read_rows(struct reader *r, const struct log_block_entry *entry, struct arena *a,
		   struct log_rows *out, struct err *e)
{
	struct str bytes;
	int rc = reader_blob(r, entry->data, FRAME_LOG_ROWS, a, &bytes, e);

	if (!rc)
		rc = log_rows_get(out, bytes, a, e);
	if (!rc && out->logs.n != entry->logs)
		rc = err_set(e, -EUCLEAN, "a block has an unexpected number of log records");
	return rc;
}

int logs_read_index(struct reader *r, const struct log_block_entry *entry, struct log_index *out,
		    struct arena *a, struct err *e)
{
	uint64_t hour = r->partition->day * NS_PER_DAY + entry->hour * NS_PER_HOUR, logs = 0;
	struct str bytes;
	int rc = reader_blob(r, entry->data, FRAME_LOG_INDEX, a, &bytes, e);

	if (!rc)
		rc = log_index_get(out, bytes, hour, a, e);
	for (uint32_t i = 0; !rc && i < out->page_n; i++)
		logs += out->pages[i].logs;
	if (!rc && (out->page_n != entry->pages || logs != entry->logs))
		rc = err_set(e, -EUCLEAN, "the index of a block of log records does not fit it");
	return rc;
}

int logs_read_page(struct reader *r, const struct log_block_entry *entry, uint32_t page,
		   struct log_page *out, struct arena *a, struct err *e)
{
	struct str bytes;
	int rc = reader_blob(r, entry->data + 1 + page, FRAME_LOG_PAGE, a, &bytes, e);

	return rc ? rc : log_page_open(out, bytes, &r->connection->unpacker, a, e);
}

static void put_field(struct buf *out, uint32_t field, struct str text)
{
	uint64_t n = text.n;

	buf_put_char(out, (char)PROTO_TAG(field, PROTO_BYTES));
	for (; n >= 0x80; n >>= 7)
		buf_put_char(out, (char)(n | 0x80));
	buf_put_char(out, (char)n);
	buf_put_str(out, text);
}

int log_page_message(struct log_page *p, struct log_details *d, uint32_t i, struct buf *body,
		     struct buf *out)
{
	struct buf text = {.budget = body->budget};
	struct log_record record;
	int rc = log_details_record(d, i, &record);

	buf_clear(body);
	if (p->body_kinds[i] == LOG_BODY_STRING) { /* an AnyValue with a string */
		put_field(body, 1, log_page_text(p, i, &text));
		record.body = buf_str(body);
	} else if (p->body_kinds[i] == LOG_BODY_OTHER) {
		record.body = log_page_other_body(p, i);
	}
	log_record_put(out, &record);
	if (!rc)
		rc = buf_error(&text) || buf_error(body) ? -ENOMEM : buf_error(out);
	buf_fini(&text);
	return rc;
}

/* Append the records of a page to the rows. */
static int read_page_rows(struct reader *r, const struct log_block_entry *entry, uint32_t page,
			  const struct log_page_entry *expected, struct log_rows *out,
			  struct arena *a, struct err *e)
{
	struct buf body = {.budget = a->budget}, message = {.budget = a->budget};
	struct log_details d = {0};
	struct arena scratch;
	struct log_page p;
	int rc;

	arena_init(&scratch, a->budget);
	rc = logs_read_page(r, entry, page, &p, &scratch, e);
	for (unsigned i = 0; !rc && i < LOG_PIECE_DETAILS; i++)
		rc = log_page_read(&p, (enum log_piece)i, e);
	if (!rc)
		rc = log_details_init(&d, &p, e);
	if (!rc && p.n != expected->logs)
		rc = err_set(e, -EUCLEAN, "a page of log records does not fit its index");
	for (uint32_t s = 0, row = 0; !rc && s < p.segment_n; s++) {
		uint32_t stream = p.segments[s].stream;

		if (stream >= out->streams.n)
			rc = err_set(e, -EUCLEAN, "a page of log records does not fit its index");
		for (uint32_t k = 0; !rc && k < p.segments[s].n; k++, row++) {
			struct kept_log log = {.time = p.times[row], .stream = stream};

			buf_clear(&message);
			rc = log_page_message(&p, &d, row, &body, &message);
			if (!rc)
				rc = arena_copy_str(a, buf_str(&message), &log.message);
			out->bytes += message.n;
			if (!rc)
				rc = vec_push(a, &out->logs, log);
		}
	}
	log_details_fini(&d);
	buf_fini(&body);
	buf_fini(&message);
	arena_fini(&scratch);
	return rc ? err_errno(e, rc, "read log records") : 0;
}

int logs_read(struct reader *r, const struct log_block_entry *entry, struct arena *a,
	      struct log_rows *out, struct err *e)
{
	struct log_index index;
	int rc;

	if (!entry->generation)
		return logs_read_rows(r, entry, a, out, e);
	*out = (struct log_rows){0};
	rc = logs_read_index(r, entry, &index, a, e);
	if (!rc) {
		out->streams.at = index.streams;
		out->streams.n = out->streams.cap = index.stream_n;
	}
	for (uint32_t i = 0; !rc && i < index.page_n; i++)
		rc = read_page_rows(r, entry, i, &index.pages[i], out, a, e);
	return rc;
}
