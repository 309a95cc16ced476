/* SPDX-License-Identifier: Apache-2.0 */
/* Log records as rows: what a commit writes. It is rewritten within seconds, so it is simple. */
#include "store/sqlite/logs/log_rows.h"

#include "base/container/hash.h"
#include "store/sqlite/block/columns.h"

/* ---- streams ---- */

static void put_origin(struct buf *out, const struct span_origin *o)
{
	column_put_varint(out, o->message.p != NULL);
	column_put_str(out, o->message);
	column_put_str(out, o->schema_url);
}

void log_stream_put(struct buf *out, const struct log_stream *s)
{
	column_put_str(out, s->tenant);
	column_put_str(out, s->service);
	put_origin(out, &s->resource);
	put_origin(out, &s->scope);
}

static void get_origin(struct column_cursor *c, struct span_origin *out)
{
	bool any = column_varint(c);

	out->message = column_str(c);
	if (!any)
		out->message = (struct str){0};
	else if (!out->message.p)
		out->message = STR("");
	out->schema_url = column_str(c);
}

bool log_stream_get(struct str encoded, struct log_stream *out)
{
	struct column_cursor c = column_cursor(encoded);

	out->tenant = column_str(&c);
	out->service = column_str(&c);
	get_origin(&c, &out->resource);
	get_origin(&c, &out->scope);
	return !c.bad && !column_left(&c);
}

int log_rows_stream(struct log_rows *r, struct arena *a, struct str encoded, uint32_t *number)
{
	uint32_t hash = hash32(encoded), id;
	struct idset_cursor c;
	struct str copy;
	int rc = r->index.slots ? 0 : idset_init(&r->index, a, 16);

	if (rc)
		return rc;
	c = idset_seek(&r->index, hash);
	while (idset_next(&r->index, &c, &id))
		if (str_eq(r->streams.at[id], encoded)) {
			*number = id;
			return 0;
		}
	rc = arena_copy_str(a, encoded, &copy);
	if (!rc)
		rc = vec_reserve(a, &r->streams, 1);
	if (!rc)
		rc = idset_add(&r->index, hash, r->streams.n);
	if (rc)
		return -ENOMEM;
	*number = r->streams.n;
	r->streams.at[r->streams.n++] = copy;
	return 0;
}

/* ---- blocks ---- */

uint32_t log_rows_cut(const struct log_rows *r, uint32_t first)
{
	uint32_t n = 0;
	size_t bytes = 0;

	while (first + n < r->logs.n && n < LOGS_IN_BLOCK) {
		bytes += r->logs.at[first + n].message.n;
		if (n && bytes > LOG_BLOCK_BYTES)
			break;
		n++;
	}
	return n;
}

int log_rows_put(struct buf *out, const struct log_rows *r, uint32_t first, uint32_t n,
		 struct arena *scratch)
{
	const struct kept_log *logs = r->logs.at + first;
	uint64_t *times = arena_alloc(scratch, n + 1, sizeof(*times));
	uint32_t *numbers = arena_alloc(scratch, n + 1, sizeof(*numbers));

	if (!times || !numbers)
		return -ENOMEM;
	column_put_varint(out, r->streams.n);
	for (uint32_t i = 0; i < r->streams.n; i++)
		column_put_str(out, r->streams.at[i]);
	column_put_varint(out, n);
	for (uint32_t i = 0; i < n; i++)
		times[i] = zigzag((int64_t)(logs[i].time - (i ? logs[i - 1].time : 0)));
	column_put_u64(out, times, n);
	for (uint32_t i = 0; i < n; i++)
		numbers[i] = logs[i].stream;
	column_put_u32(out, numbers, n);
	for (uint32_t i = 0; i < n; i++)
		numbers[i] = (uint32_t)logs[i].message.n;
	column_put_u32(out, numbers, n);
	for (uint32_t i = 0; i < n; i++)
		buf_put_str(out, logs[i].message);
	return buf_error(out);
}

static int get_records(struct log_rows *out, struct column_cursor *c, uint32_t n, struct arena *a)
{
	int rc = 0;
	uint64_t *times = column_new_u64(c, a, n, &rc), time = 0;
	uint32_t *streams = column_new_u32(c, a, n, &rc);
	uint32_t *lengths = column_new_u32(c, a, n, &rc);

	if (!rc)
		rc = vec_reserve(a, &out->logs, n);
	if (rc || !times || !streams || !lengths)
		return rc;
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *p = column_bytes(c, lengths[i]);

		time += (uint64_t)unzigzag(times[i]);
		if (streams[i] >= out->streams.n)
			c->bad = true;
		out->logs.at[i] = (struct kept_log){
			time, streams[i], str_of(p ? (const char *)p : "", p ? lengths[i] : 0)};
		out->bytes += lengths[i];
	}
	out->logs.n = n;
	return 0;
}

int log_rows_get(struct log_rows *out, struct str bytes, struct arena *a, struct err *e)
{
	struct column_cursor c = column_cursor(bytes);
	uint32_t streams, n = 0;
	int rc;

	*out = (struct log_rows){0};
	streams = column_count(&c);
	rc = streams <= LOG_STREAMS_MAX ? vec_reserve(a, &out->streams, streams) : 0;
	if (streams > LOG_STREAMS_MAX)
		c.bad = true;
	for (uint32_t i = 0; !rc && !c.bad && i < streams; i++)
		out->streams.at[out->streams.n++] = column_str(&c);
	if (!rc)
		n = column_count(&c);
	if (!rc && n > LOGS_IN_BLOCK)
		c.bad = true;
	if (!rc && !c.bad)
		rc = get_records(out, &c, n, a);
	if (!rc && (c.bad || column_left(&c)))
		return err_set(e, -EUCLEAN, "a block of log records is damaged");
	return rc ? err_errno(e, rc, "read log records") : 0;
}
