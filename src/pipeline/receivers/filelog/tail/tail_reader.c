/* SPDX-License-Identifier: Apache-2.0 */
/* The buffer, and what entries are made of its bytes. */
#include "pipeline/receivers/filelog/tail/tail_reader.h"

#include <errno.h>
#include <stdlib.h>

#define READER_ROOM_MIN (4 * KIB)
#define READER_SLACK (64 * KIB) /* room for reads beyond the longest entry */

int tail_reader_init(struct tail_reader *r, const struct filelog_settings *settings,
		     struct budget *budget, struct err *e)
{
	*r = (struct tail_reader){.settings = settings, .budget = budget};
	return line_splitter_init(&r->splitter, settings, e);
}

void tail_reader_fini(struct tail_reader *r)
{
	line_splitter_fini(&r->splitter);
	budget_give(r->budget, r->room);
	buf_fini(&r->decoded);
	free(r->bytes);
	r->bytes = NULL;
	r->room = 0;
}

void tail_reader_forget(struct tail_reader *r, const struct tail_file *f)
{
	if (r->owner == f->origin.id)
		r->owner = 0;
}

/* Grow the buffer: it starts with the configured size, and ends above the longest entry. */
static int grow_reader(struct tail_reader *r)
{
	size_t most = (size_t)r->settings->max_log_size + READER_SLACK;
	size_t first = max_size((size_t)r->settings->initial_buffer_size, READER_ROOM_MIN);
	size_t room = min_size(r->room ? 2 * r->room : first, most);
	char *bytes;

	if (room <= r->room)
		return -E2BIG;
	if (!budget_take(r->budget, room - r->room))
		return -ENOMEM;
	bytes = realloc(r->bytes, room);
	if (!bytes) {
		budget_give(r->budget, room - r->room);
		return -ENOMEM;
	}
	r->bytes = bytes;
	r->room = room;
	return 0;
}

static struct str trim_entry(const struct filelog_settings *s, struct str text)
{
	while (!s->preserve_leading && text.n && strchr(" \t\r\n", text.p[0]) && text.p[0])
		text = str_from_at(text, 1);
	while (!s->preserve_trailing && text.n && strchr(" \t\r\n", text.p[text.n - 1]) &&
	       text.p[text.n - 1])
		text.n--;
	return text;
}

/* Give an entry to the sink. Return false to stop. */
static bool give_entry(struct tail_reader *r, struct tail_file *f, struct str raw, uint64_t offset,
		       const struct tail_sink *sink)
{
	struct str text = text_decode(r->splitter.encoding, raw, &r->decoded);

	if (r->splitter.encoding != TEXT_NOP)
		text = trim_entry(r->settings, text);
	return !text.n || sink->entry(sink->owner, f, text, offset);
}

/* Cut what is in the buffer into entries. Return 0, -ENOMEM or TAIL_STOPPED. */
static int give_entries(struct tail_reader *r, struct tail_file *f, bool final,
			const struct tail_sink *sink)
{
	size_t used = 0;
	bool go_on = true;

	while (go_on) {
		struct str data = str_of(r->bytes + used, r->n - used);
		uint64_t offset = r->at + used;
		struct line_token token;

		if (!line_split(&r->splitter, data, final, &f->skipping, &token))
			break;
		used += token.advance;
		f->offset = r->at + used;
		if (token.is_entry)
			go_on = give_entry(r, f, token.text, offset, sink);
	}
	r->n -= used;
	r->at += used;
	memmove(r->bytes, r->bytes + used, r->n);
	if (buf_error(&r->decoded)) {
		buf_fini(&r->decoded);
		return -ENOMEM;
	}
	return go_on ? 0 : TAIL_STOPPED;
}

/* Read more bytes behind those in the buffer. Return their number, 0 at the end, or -errno. */
static ssize_t fill_reader(struct tail_reader *r, struct tail_file *f)
{
	ssize_t got;

	if (r->n == r->room) {
		int rc = grow_reader(r);

		if (rc)
			return rc;
	}
	got = tail_file_read(f, r->bytes + r->n, r->room - r->n, r->at + r->n);
	if (got > 0)
		r->n += (size_t)got;
	return got;
}

int tail_reader_run(struct tail_reader *r, struct tail_file *f, bool flush, uint64_t limit,
		    const struct tail_sink *sink)
{
	uint64_t done = 0;

	if (r->owner != f->origin.id || r->at != f->offset) {
		r->owner = f->origin.id;
		r->at = f->offset;
		r->n = 0;
	}
	for (;;) {
		ssize_t got = fill_reader(r, f);
		bool at_end = got == 0;
		int rc;

		if (got < 0)
			return (int)got;
		rc = give_entries(r, f, at_end && flush, sink);
		if (rc)
			return rc;
		if (at_end)
			return TAIL_AT_END;
		done += (uint64_t)got;
		if (done >= limit)
			return TAIL_MORE;
	}
}
