/* SPDX-License-Identifier: Apache-2.0 */
/* Slow paths and errors of the reader, growth of the writer. */
#include "wire/proto.h"

#include <errno.h>
#include <stdlib.h>

#include "wire/varints.h"

enum { MAX_GROUP_DEPTH = 32, FIRST_WRITE = 4096 };

void proto_set_error(struct proto_reader *r, enum proto_error error)
{
	if (!r->error) {
		r->error = error;
		r->error_at = r->at;
	}
	r->at = r->end;
}

uint64_t proto_varint_slow(struct proto_reader *r)
{
	uint64_t value;
	const uint8_t *next = varint_read_bounded(r->at, r->end, &value);
	bool truncated = r->end - r->at < VARINT_BYTES_MAX;

	if (likely(next != NULL)) {
		r->at = next;
		return value;
	}
	r->at = truncated ? r->end : r->at + VARINT_BYTES_MAX;
	proto_set_error(r, truncated ? PROTO_TRUNCATED : PROTO_BAD_VARINT);
	return 0;
}

static void skip_fixed(struct proto_reader *r, size_t n)
{
	if ((size_t)(r->end - r->at) < n)
		proto_set_error(r, PROTO_TRUNCATED);
	else
		r->at += n;
}

static void skip_group(struct proto_reader *r)
{
	uint32_t open[MAX_GROUP_DEPTH] = {proto_field(r)};
	size_t depth = 1;

	while (depth) {
		if (!proto_next(r)) {
			proto_set_error(r, PROTO_TRUNCATED);
			return;
		}
		switch (r->tag & 7) {
		case PROTO_GROUP:
			if (depth == MAX_GROUP_DEPTH) {
				proto_set_error(r, PROTO_BAD_TAG);
				return;
			}
			open[depth++] = proto_field(r);
			break;
		case PROTO_GROUP_END:
			if (open[--depth] != proto_field(r)) {
				proto_set_error(r, PROTO_BAD_TAG);
				return;
			}
			break;
		default:
			proto_skip(r);
		}
	}
}

/* NOLINTNEXTLINE(misc-no-recursion): groups are walked, not recursed into */
void proto_skip(struct proto_reader *r)
{
	switch (r->tag & 7) {
	case PROTO_VARINT:
		proto_varint(r);
		break;
	case PROTO_FIXED64:
		skip_fixed(r, 8);
		break;
	case PROTO_BYTES:
		proto_bytes(r);
		break;
	case PROTO_GROUP:
		skip_group(r);
		break;
	case PROTO_FIXED32:
		skip_fixed(r, 4);
		break;
	default:
		proto_set_error(r, PROTO_BAD_TAG);
	}
}

int proto_fail(const struct proto_reader *r, struct str whole, struct err *e)
{
	static const char *const words[] = {
		[PROTO_TRUNCATED] = "expected more bytes: the message ends inside a field",
		[PROTO_BAD_VARINT] = "expected a varint of at most ten bytes",
		[PROTO_BAD_TAG] = "expected a field tag, found no valid field number or wire type",
	};
	size_t at = (size_t)((const char *)r->error_at - whole.p);

	return err_set(e, -EBADMSG, "at byte %zu: %s", at, words[r->error]);
}

void proto_writer_init(struct proto_writer *w, struct budget *budget)
{
	*w = (struct proto_writer){.budget = budget};
}

void proto_writer_fini(struct proto_writer *w)
{
	budget_give(w->budget, w->cap);
	free(w->p);
	*w = (struct proto_writer){0};
}

void proto_writer_clear(struct proto_writer *w)
{
	w->start = w->cap;
	w->failed = false;
}

/* Copy the message to the end of a new block; realloc() would keep the wrong end of the buffer. */
bool proto_writer_grow(struct proto_writer *w, size_t n)
{
	size_t used = w->cap - w->start, cap = max_size(FIRST_WRITE, used);
	uint8_t *p;

	if (w->failed)
		return false;
	w->failed = true;
	if (n > SIZE_MAX / 4 - used || cap > SIZE_MAX / 4)
		return false;
	cap = max_size(2 * cap, used + n);
	if (!budget_take(w->budget, cap))
		return false;
	p = malloc(cap);
	if (!p) {
		budget_give(w->budget, cap);
		return false;
	}
	if (used)
		memcpy(p + cap - used, w->p + w->start, used);
	budget_give(w->budget, w->cap);
	free(w->p);
	w->p = p;
	w->start = cap - used;
	w->cap = cap;
	w->failed = false;
	return true;
}

int proto_writer_error(const struct proto_writer *w)
{
	return w->failed ? -ENOMEM : 0;
}
