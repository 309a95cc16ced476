/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses an HTTP/1.1 answer from untrusted bytes. It is parsed from the start each time more bytes
 * have arrived: answers have a few hundred bytes, and there is no state to go wrong. A body beyond
 * POST_ANSWER_MAX is truncated and the connection is closed.
 */
#include "sdk/export/http_answer.h"
#include <ctype.h>
#include <errno.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "wire/proto.h"
#include "wire/text.h"

enum { HEAD_MAX = 16 << 10, LINES_MAX = 128 };

/* What delimits the body. */
struct framing {
	bool chunked, has_length, close;
	uint64_t length;
};

static bool same_word(struct str a, const char *b)
{
	return a.n == strlen(b) && !strncasecmp(a.p, b, a.n);
}

/* Parse the status line, "HTTP/1.1 200 OK". */
static int read_status_line(struct str line, struct post_answer *a, struct framing *f)
{
	if (line.n < 12 || !str_starts(line, STR("HTTP/1.")) || line.p[8] != ' ')
		return -EPROTO;
	if (!isdigit((unsigned char)line.p[7]))
		return -EPROTO;
	f->close = line.p[7] == '0';
	a->status = 0;
	for (size_t i = 9; i < 12; i++) {
		if (!isdigit((unsigned char)line.p[i]))
			return -EPROTO;
		a->status = a->status * 10 + (unsigned)(line.p[i] - '0');
	}
	if (line.n > 12 && line.p[12] != ' ')
		return -EPROTO;
	return a->status < 100 ? -EPROTO : 0;
}

static uint64_t date_to_ms(struct str text)
{
	char copy[64];
	struct tm when = {0};
	const char *end;
	time_t then, now = (time_t)(clock_realtime_ns() / NS_PER_SECOND);

	if (text.n >= sizeof(copy))
		return 0;
	memcpy(copy, text.p, text.n);
	copy[text.n] = 0;
	end = strptime(copy, "%a, %d %b %Y %H:%M:%S GMT", &when);
	if (!end || *end)
		return 0;
	then = timegm(&when);
	return then > now ? (uint64_t)(then - now) * 1000 : 0;
}

uint64_t post_retry_after(struct str text)
{
	enum { LONGEST_S = 3600 };
	uint64_t seconds;

	text = str_trim(text);
	if (!text.n)
		return 0;
	if (str_to_u64(text, 10, &seconds))
		seconds = (date_to_ms(text) + 999) / 1000;
	return (seconds > LONGEST_S ? LONGEST_S : seconds) * 1000;
}

static int read_answer_header(struct str line, struct post_answer *a, struct framing *f)
{
	struct str value = line, name = str_cut(&value, ':');
	uint64_t length;

	if (!value.p || !name.n || name.p[name.n - 1] == ' ' || name.p[0] == ' ' ||
	    name.p[0] == '\t')
		return -EPROTO;
	value = str_trim(value);
	if (same_word(name, "content-length")) {
		if (str_to_u64(value, 10, &length) || (f->has_length && f->length != length))
			return -EPROTO;
		f->has_length = true;
		f->length = length;
	} else if (same_word(name, "transfer-encoding")) {
		if (!same_word(value, "chunked"))
			return -EPROTO;
		f->chunked = true;
	} else if (same_word(name, "connection")) {
		f->close |= same_word(value, "close");
	} else if (same_word(name, "retry-after")) {
		a->retry_after_ms = post_retry_after(value);
	}
	return 0;
}

/* Parse the head up to the empty line. Return 1, 0 when it is incomplete, -EPROTO or -EFBIG. */
static int read_answer_head(struct post_answer *a, struct str *rest, struct framing *f)
{
	struct str line, whole = *rest;
	int rc;

	*f = (struct framing){0};
	for (unsigned lines = 0; lines < LINES_MAX; lines++) {
		size_t end = str_find(*rest, '\n');

		if (end == rest->n)
			return whole.n > HEAD_MAX ? -EFBIG : 0;
		line = str_head(*rest, end);
		*rest = str_from_at(*rest, end + 1);
		if ((size_t)(line.p - whole.p) > HEAD_MAX)
			return -EFBIG;
		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		if (memchr(line.p, 0, line.n))
			return -EPROTO;
		if (!line.n)
			return lines ? 1 : -EPROTO;
		rc = lines ? read_answer_header(line, a, f) : read_status_line(line, a, f);
		if (rc)
			return rc;
	}
	return -EFBIG;
}

static void keep_body(struct post_answer *a, struct str part)
{
	if (a->body.n < POST_ANSWER_MAX)
		buf_put_str(&a->body, str_head(part, POST_ANSWER_MAX - a->body.n));
}

/* Take a line: a chunk's length or a trailer. Return 1 with *line, 0 when incomplete, -EPROTO. */
static int take_chunk_line(struct str *rest, struct str *line)
{
	enum { LINE_MAX_ = 4096 };
	size_t end = str_find(*rest, '\n');

	if (end == rest->n)
		return rest->n > LINE_MAX_ ? -EPROTO : 0;
	*line = str_head(*rest, end);
	*rest = str_of(rest->p + end + 1, rest->n - end - 1);
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	return 1;
}

static int read_chunked_body(struct post_answer *a, struct str *rest)
{
	struct str line;
	uint64_t size;
	int rc;

	for (;;) {
		rc = take_chunk_line(rest, &line);
		if (rc <= 0)
			return rc;
		line = str_trim(str_cut(&line, ';')); /* extensions are ignored */
		if (!line.n || line.n > 8 || line.p[0] == '+' || str_to_u64(line, 16, &size))
			return -EPROTO;
		if (!size)
			break;
		if (rest->n < size + 2) {
			keep_body(a, str_head(*rest, size));
			return a->body.n >= POST_ANSWER_MAX ? -EFBIG : 0;
		}
		keep_body(a, str_head(*rest, size));
		if (rest->p[size] != '\r' || rest->p[size + 1] != '\n')
			return -EPROTO;
		*rest = str_of(rest->p + size + 2, rest->n - size - 2);
		if (a->body.n >= POST_ANSWER_MAX)
			return -EFBIG;
	}
	do { /* trailers */
		rc = take_chunk_line(rest, &line);
	} while (rc > 0 && line.n);
	return rc;
}

/* Read the body. Return 1 when complete, 0 when not, -EFBIG when it was truncated. */
static int read_answer_body(struct post_answer *a, struct str *rest, const struct framing *f,
			    bool at_end)
{
	size_t n;

	if (a->status == 204 || a->status == 304)
		return 1;
	if (f->chunked)
		return read_chunked_body(a, rest);
	n = f->has_length && f->length < rest->n ? (size_t)f->length : rest->n;
	keep_body(a, str_head(*rest, n));
	if (f->has_length ? n == f->length : at_end) {
		*rest = str_from_at(*rest, n);
		return 1;
	}
	return a->body.n >= POST_ANSWER_MAX ? -EFBIG : 0;
}

int post_answer_parse(struct post_answer *a, struct str in, bool at_end, struct post_parsed *out)
{
	struct str rest = in;
	struct framing f;
	int rc;

	*out = (struct post_parsed){0};
	do { /* interim answers such as 100 Continue precede the final one */
		buf_clear(&a->body);
		a->retry_after_ms = 0;
		rc = read_answer_head(a, &rest, &f);
	} while (rc == 1 && a->status < 200 && a->status != 101);
	if (rc == 1)
		rc = a->status == 101 ? -EPROTO : read_answer_body(a, &rest, &f, at_end);
	if (rc == -EFBIG && a->body.n) {
		out->used = in.n; /* truncated: the rest is discarded with the connection */
		return buf_error(&a->body) ? -ENOMEM : 1;
	}
	if (rc == 1 && buf_error(&a->body))
		return -ENOMEM;
	if (!rc && at_end)
		return -EPROTO;
	out->used = in.n - rest.n;
	out->keep = rc == 1 && !f.close && (f.chunked || f.has_length || a->status == 204);
	return rc;
}

void post_answer_fini(struct post_answer *a)
{
	buf_fini(&a->body);
}

/* Read Duration { seconds = 1, nanos = 2 } as milliseconds, at most a day. */
static uint64_t read_duration(struct proto_reader *r)
{
	const uint64_t most = 86400000;
	uint64_t seconds = 0, nanos = 0;

	while (proto_next(r)) {
		if (r->tag == PROTO_TAG(1, PROTO_VARINT))
			seconds = proto_varint(r);
		else if (r->tag == PROTO_TAG(2, PROTO_VARINT))
			nanos = proto_varint(r);
		else
			proto_skip(r);
	}
	return seconds >= most / 1000 ? most : seconds * 1000 + nanos % NS_PER_SECOND / NS_PER_MS;
}

/* Read Any { type_url = 1, value = 2 }. Return whether it is a RetryInfo { retry_delay = 1 }. */
static bool read_retry_info(struct proto_reader any, uint64_t *ms)
{
	struct str type = {0}, value = {0};
	struct proto_reader info, delay;

	while (proto_next(&any)) {
		if (any.tag == PROTO_TAG(1, PROTO_BYTES))
			type = proto_bytes(&any);
		else if (any.tag == PROTO_TAG(2, PROTO_BYTES))
			value = proto_bytes(&any);
		else
			proto_skip(&any);
	}
	if (any.error || !str_ends(type, STR("google.rpc.RetryInfo")))
		return false;
	*ms = 0;
	info = proto_reader_of(value);
	while (proto_next(&info)) {
		if (info.tag != PROTO_TAG(1, PROTO_BYTES)) {
			proto_skip(&info);
			continue;
		}
		delay = proto_message(&info);
		*ms = read_duration(&delay);
	}
	return true;
}

bool post_retry_info(struct str text, uint64_t *ms)
{
	char bytes[4096];
	struct proto_reader r;
	bool found = false;
	size_t n;

	if (base64_decode(text, bytes, sizeof(bytes), &n))
		return false;
	r = proto_reader_of(str_of(bytes, n));
	while (proto_next(&r)) { /* Status { details = 3 } */
		if (r.tag == PROTO_TAG(3, PROTO_BYTES))
			found |= read_retry_info(proto_message(&r), ms);
		else
			proto_skip(&r);
	}
	return found;
}
