/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP/2 frames for one call at a time. The limits below bound memory whatever the server sends. */
#include "sdk/grpc/h2.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

enum {
	FRAME_HEAD = 9,
	FRAME_MAX = 16384,    /* accepted: the default size, which servers do not exceed */
	BLOCK_MAX = 64 << 10, /* of one header block */
	OUT_MAX = 256 << 10,  /* of pending output: a server that sends but does not read */
	FILL_MAX = 64 << 10,  /* of the body in `out` */
	LAST_ID = 1 << 30,    /* then a new connection is needed */
	DEFAULT_WINDOW = 65535,
};
#define WINDOW_MAX 0x7fffffff

enum frame_type {
	FRAME_DATA,
	FRAME_HEADERS,
	FRAME_PRIORITY,
	FRAME_RST_STREAM,
	FRAME_SETTINGS,
	FRAME_PUSH_PROMISE,
	FRAME_PING,
	FRAME_GOAWAY,
	FRAME_WINDOW_UPDATE,
	FRAME_CONTINUATION,
};

enum frame_flag {
	FLAG_END_STREAM = 1,
	FLAG_ACK = 1,
	FLAG_END_HEADERS = 4,
	FLAG_PADDED = 8,
	FLAG_PRIORITY = 32,
};

enum settings { SETTINGS_ENABLE_PUSH = 2, SETTINGS_INITIAL_WINDOW = 4, SETTINGS_MAX_FRAME = 5 };

struct h2_frame {
	unsigned type, flags;
	uint32_t stream;
	struct str payload;
};

static uint32_t read_u32(const char *p)
{
	uint32_t n;

	memcpy(&n, p, sizeof(n));
	return __builtin_bswap32(n);
}

static void put_u32(struct buf *out, uint32_t n)
{
	n = __builtin_bswap32(n);
	buf_put(out, &n, sizeof(n));
}

static void put_frame_head(struct buf *out, size_t n, unsigned type, unsigned flags,
			   uint32_t stream)
{
	put_u32(out, (uint32_t)n << 8 | type);
	buf_put_char(out, (char)flags);
	put_u32(out, stream);
}

void h2_init(struct h2 *h)
{
	*h = (struct h2){.window = DEFAULT_WINDOW,
			 .initial_window = DEFAULT_WINDOW,
			 .max_frame = FRAME_MAX,
			 .next_id = 1};
	hpack_init(&h->hpack);
	buf_put_str(&h->out, STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
	put_frame_head(&h->out, 6, FRAME_SETTINGS, 0, 0);
	buf_put_char(&h->out, 0);
	buf_put_char(&h->out, SETTINGS_ENABLE_PUSH);
	put_u32(&h->out, 0);
}

void h2_fini(struct h2 *h)
{
	buf_fini(&h->out);
	buf_fini(&h->in);
	buf_fini(&h->block);
}

/* -- a request --------------------------------------------------------------------------------- */

/* Append "Name: value" with the name in lower case; headers that HTTP/2 forbids are left out. */
static void put_header_line(struct buf *out, struct str line)
{
	static const char *const none[] = {"connection",	"host",	  "keep-alive", "te",
					   "transfer-encoding", "upgrade"};
	struct str name = str_cut(&line, ':');
	char lower[256];

	if (!name.n || name.n > sizeof(lower))
		return;
	for (size_t i = 0; i < name.n; i++)
		lower[i] = (char)tolower((unsigned char)name.p[i]);
	name = str_of(lower, name.n);
	for (size_t i = 0; i < countof(none); i++)
		if (str_eq(name, str_from(none[i])))
			return;
	hpack_put(out, name, str_trim(line));
}

static void make_header_block(struct buf *out, const struct h2_request *r)
{
	const struct post_url *url = &r->client->url;
	const struct post_request *q = r->request;
	struct str rest = buf_str(&r->client->headers), line;
	bool v6 = strchr(url->host, ':') != NULL;
	char text[POST_HOST_MAX + 2 * POST_PATH_MAX];

	hpack_put(out, STR(":method"), STR("POST"));
	hpack_put(out, STR(":scheme"), url->tls ? STR("https") : STR("http"));
	snprintf(text, sizeof(text), "%s%s", url->path, q->path);
	hpack_put(out, STR(":path"), str_from(text));
	snprintf(text, sizeof(text), "%s%s%s:%s", v6 ? "[" : "", url->host, v6 ? "]" : "",
		 url->port);
	hpack_put(out, STR(":authority"), str_from(text));
	hpack_put(out, STR("te"), STR("trailers"));
	hpack_put(out, STR("content-type"), STR("application/grpc"));
	hpack_put(out, STR("user-agent"), STR("varve/" VARVE_VERSION));
	/* the protocol allows at most eight digits */
	snprintf(text, sizeof(text), "%um", (unsigned)min_size(q->timeout_ms, 99999999));
	hpack_put(out, STR("grpc-timeout"), str_from(text));
	if (q->gzip)
		hpack_put(out, STR("grpc-encoding"), STR("gzip"));
	if (q->header)
		put_header_line(out, str_from(q->header));
	while (str_next_line(&rest, &line))
		put_header_line(out, line);
}

int h2_begin(struct h2 *h, const struct h2_request *r, struct post_answer *answer)
{
	struct buf block = {0};
	struct str rest;
	unsigned type = FRAME_HEADERS;
	int rc;

	make_header_block(&block, r);
	rc = buf_error(&block) ? -ENOMEM : block.n > BLOCK_MAX ? -E2BIG : 0;
	h->call = (struct h2_call){.id = h->next_id,
				   .body = r->request->body,
				   .window = h->initial_window,
				   .answer = answer};
	h->next_id += 2;
	h->last |= h->next_id > LAST_ID;
	rest = buf_str(&block);
	while (!rc && (rest.n || type == FRAME_HEADERS)) {
		struct str part = str_head(rest, FRAME_MAX);

		rest = str_from_at(rest, part.n);
		put_frame_head(&h->out, part.n, type, rest.n ? 0 : FLAG_END_HEADERS, h->call.id);
		buf_put_str(&h->out, part);
		type = FRAME_CONTINUATION;
	}
	buf_fini(&block);
	return rc ? rc : buf_error(&h->out);
}

bool h2_may_fill(const struct h2 *h)
{
	const struct h2_call *c = &h->call;

	return !c->done && c->sent < c->body.n && c->window > 0 && h->window > 0;
}

void h2_fill(struct h2 *h)
{
	struct h2_call *c = &h->call;

	while (h2_may_fill(h) && h->out.n < FILL_MAX) {
		int64_t room = c->window < h->window ? c->window : h->window;
		struct str rest = str_from_at(c->body, c->sent);
		size_t n = min_size(rest.n, h->max_frame);

		n = min_size(n, (size_t)room);
		c->sent += n;
		c->window -= (int64_t)n;
		h->window -= (int64_t)n;
		put_frame_head(&h->out, n, FRAME_DATA, c->sent == c->body.n ? FLAG_END_STREAM : 0,
			       c->id);
		buf_put_str(&h->out, str_head(rest, n));
	}
}

/* -- an answer --------------------------------------------------------------------------------- */

static void read_call_header(void *arg, struct str name, struct str value)
{
	struct post_answer *a = arg;
	struct buf text = {0};
	uint64_t number;

	if (!a)
		return; /* a finished call: decoded only to update the HPACK table */
	if (str_eq(name, STR(":status"))) {
		a->status = str_to_u64(value, 10, &number) || number > 999 ? 0 : (unsigned)number;
	} else if (str_eq(name, STR("grpc-status"))) {
		a->grpc_status = !str_to_u64(value, 10, &number) && number <= 16 ? (int)number
										 : 2; /* unknown */
	} else if (str_eq(name, STR("grpc-message"))) {
		(void)!post_percent_decode(&text, str_head(value, 3 * sizeof(a->grpc_message)));
		snprintf(a->grpc_message, sizeof(a->grpc_message), "%.*s", STR_ARG(buf_str(&text)));
		buf_fini(&text);
	} else if (str_eq(name, STR("grpc-status-details-bin"))) {
		a->has_retry_info = post_retry_info(value, &a->retry_after_ms);
	} else if (str_eq(name, STR("retry-after"))) {
		a->retry_after_ms = post_retry_after(value);
	}
}

static bool is_current_call(const struct h2 *h, uint32_t stream)
{
	return stream && stream == h->call.id && !h->call.done;
}

static int decode_block(struct h2 *h)
{
	uint32_t stream = h->block_stream;
	int rc = hpack_decode(&h->hpack, buf_str(&h->block), read_call_header,
			      is_current_call(h, stream) ? h->call.answer : NULL);

	if (h->block_ends_stream && is_current_call(h, stream))
		h->call.done = true;
	h->block_stream = 0;
	buf_clear(&h->block);
	return rc;
}

static int add_to_block(struct h2 *h, const struct h2_frame *f)
{
	if (h->block.n + f->payload.n > BLOCK_MAX)
		return -EFBIG;
	buf_put_str(&h->block, f->payload);
	if (buf_error(&h->block))
		return -ENOMEM;
	return f->flags & FLAG_END_HEADERS ? decode_block(h) : 0;
}

/* Remove padding and priority. */
static int unpad(struct h2_frame *f)
{
	size_t padding = 0;

	if (f->flags & FLAG_PADDED) {
		if (!f->payload.n)
			return -EPROTO;
		padding = (unsigned char)f->payload.p[0];
		f->payload = str_from_at(f->payload, 1);
	}
	if (f->type == FRAME_HEADERS && f->flags & FLAG_PRIORITY) {
		if (f->payload.n < 5)
			return -EPROTO;
		f->payload = str_from_at(f->payload, 5);
	}
	if (padding > f->payload.n)
		return -EPROTO;
	f->payload.n -= padding;
	return 0;
}

static int on_headers(struct h2 *h, struct h2_frame *f)
{
	int rc = f->stream & 1 ? unpad(f) : -EPROTO;

	if (rc)
		return rc;
	h->block_stream = f->stream;
	h->block_ends_stream = f->flags & FLAG_END_STREAM;
	return add_to_block(h, f);
}

static void put_window_update(struct h2 *h, uint32_t stream, size_t n)
{
	put_frame_head(&h->out, 4, FRAME_WINDOW_UPDATE, 0, stream);
	put_u32(&h->out, (uint32_t)n);
}

static int on_data(struct h2 *h, struct h2_frame *f)
{
	size_t taken = f->payload.n;
	bool ours = is_current_call(h, f->stream), end = f->flags & FLAG_END_STREAM;
	struct buf *body = ours ? &h->call.answer->body : NULL;
	int rc = f->stream & 1 ? unpad(f) : -EPROTO;

	if (rc)
		return rc;
	if (taken)
		put_window_update(h, 0, taken);
	if (taken && ours && !end)
		put_window_update(h, f->stream, taken);
	if (body && body->n < POST_ANSWER_MAX)
		buf_put_str(body, str_head(f->payload, POST_ANSWER_MAX - body->n));
	if (ours && end)
		h->call.done = true;
	return body ? buf_error(body) : 0;
}

static int on_settings(struct h2 *h, const struct h2_frame *f)
{
	if (f->stream || f->payload.n % 6 || (f->flags & FLAG_ACK && f->payload.n))
		return -EPROTO;
	if (f->flags & FLAG_ACK)
		return 0;
	for (size_t i = 0; i < f->payload.n; i += 6) {
		unsigned id = (unsigned)(unsigned char)f->payload.p[i] << 8 |
			      (unsigned char)f->payload.p[i + 1];
		uint32_t value = read_u32(f->payload.p + i + 2);

		if (id == SETTINGS_INITIAL_WINDOW) {
			if (value > WINDOW_MAX)
				return -EPROTO;
			h->call.window += (int64_t)value - h->initial_window;
			h->initial_window = value;
		} else if (id == SETTINGS_MAX_FRAME) {
			if (value < FRAME_MAX || value > 0xffffff)
				return -EPROTO;
			h->max_frame = value;
		}
	}
	put_frame_head(&h->out, 0, FRAME_SETTINGS, FLAG_ACK, 0);
	return 0;
}

static int on_window_update(struct h2 *h, const struct h2_frame *f)
{
	int64_t *window = f->stream ? &h->call.window : &h->window;
	uint32_t more;

	if (f->payload.n != 4)
		return -EPROTO;
	more = read_u32(f->payload.p) & WINDOW_MAX;
	if (f->stream && !is_current_call(h, f->stream))
		return 0;
	if (!more || *window + more > WINDOW_MAX)
		return -EPROTO;
	*window += more;
	return 0;
}

static int on_goaway(struct h2 *h, const struct h2_frame *f)
{
	if (f->payload.n < 8)
		return -EPROTO;
	h->last = true;
	if (h->call.id && !h->call.done && (read_u32(f->payload.p) & WINDOW_MAX) < h->call.id)
		h->call.done = h->call.refused = true;
	return 0;
}

static int on_reset(struct h2 *h, const struct h2_frame *f)
{
	enum { REFUSED_STREAM = 7 };

	if (f->payload.n != 4)
		return -EPROTO;
	if (!is_current_call(h, f->stream))
		return 0;
	h->call.done = true;
	h->call.reset = read_u32(f->payload.p);
	h->call.refused = h->call.reset == REFUSED_STREAM;
	return 0;
}

static int on_ping(struct h2 *h, const struct h2_frame *f)
{
	if (f->payload.n != 8 || f->stream)
		return -EPROTO;
	if (f->flags & FLAG_ACK)
		return 0;
	put_frame_head(&h->out, 8, FRAME_PING, FLAG_ACK, 0);
	buf_put_str(&h->out, f->payload);
	return 0;
}

static int on_frame(struct h2 *h, struct h2_frame *f)
{
	if (h->block_stream)
		return f->type == FRAME_CONTINUATION && f->stream == h->block_stream
			       ? add_to_block(h, f)
			       : -EPROTO;
	switch (f->type) {
	case FRAME_DATA:
		return on_data(h, f);
	case FRAME_HEADERS:
		return on_headers(h, f);
	case FRAME_RST_STREAM:
		return on_reset(h, f);
	case FRAME_SETTINGS:
		return on_settings(h, f);
	case FRAME_PING:
		return on_ping(h, f);
	case FRAME_GOAWAY:
		return on_goaway(h, f);
	case FRAME_WINDOW_UPDATE:
		return on_window_update(h, f);
	case FRAME_PUSH_PROMISE: /* disabled by our settings */
	case FRAME_CONTINUATION:
		return -EPROTO;
	default:
		return 0; /* PRIORITY and unknown types are ignored */
	}
}

int h2_feed(struct h2 *h, struct str bytes)
{
	struct str rest;
	int rc = 0;

	buf_put_str(&h->in, bytes);
	if (buf_error(&h->in))
		return -ENOMEM;
	rest = buf_str(&h->in);
	while (!rc && rest.n >= FRAME_HEAD) {
		uint32_t n = read_u32(rest.p) >> 8;
		struct h2_frame f = {.type = (unsigned char)rest.p[3],
				     .flags = (unsigned char)rest.p[4],
				     .stream = read_u32(rest.p + 5) & WINDOW_MAX};

		if (n > FRAME_MAX)
			return -EPROTO;
		if (rest.n < FRAME_HEAD + n)
			break;
		f.payload = str_of(rest.p + FRAME_HEAD, n);
		rest = str_from_at(rest, FRAME_HEAD + n);
		rc = on_frame(h, &f);
		if (!rc && h->out.n > OUT_MAX)
			rc = -EPROTO;
	}
	if (rest.n && rest.p != h->in.p)
		memmove(h->in.p, rest.p, rest.n);
	h->in.n = rest.n;
	return rc ? rc : buf_error(&h->out);
}
