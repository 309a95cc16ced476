/* SPDX-License-Identifier: Apache-2.0 */
/* multipart/form-data. Delimiters are searched blockwise, so that the compiler can vectorize. */
#include "net/http/multipart.h"

#include <errno.h>

#include "net/http/header.h"
#include "net/http/uri.h"

enum { BLOCK = 256 };

int multipart_open(struct multipart *m, struct str body, struct str boundary, struct err *e)
{
	if (!boundary.n || boundary.n > MULTIPART_BOUNDARY_MAX)
		return err_set(e, -EBADMSG, "multipart: expected a boundary of 1 to %d characters",
			       MULTIPART_BOUNDARY_MAX);
	*m = (struct multipart){.body = body, .boundary = boundary};
	return 0;
}

int multipart_begin(struct multipart *m, struct str content_type, struct str body, struct err *e)
{
	struct str rest = content_type, type = str_trim(str_cut(&rest, ';'));

	if (!str_eq_ignoring_case(type, STR("multipart/form-data")))
		return err_set(e, -EINVAL, "multipart: expected content type multipart/form-data");
	return multipart_open(m, body, http_header_param(content_type, STR("boundary")), e);
}

/* Return whether "--boundary" is at `at`. */
static bool is_delimiter(const struct multipart *m, size_t at)
{
	struct str rest = str_from_at(m->body, at);

	return str_starts(rest, STR("--")) && str_starts(str_from_at(rest, 2), m->boundary);
}

/* Return whether "\r\n--" begins in the block at `p`. Branchless, so that it is vectorized. */
static bool block_has_delimiter(const char *p)
{
	unsigned char found = 0;

	for (int i = 0; i < BLOCK; i++)
		found |=
			(p[i] == '\r') & (p[i + 1] == '\n') & (p[i + 2] == '-') & (p[i + 3] == '-');
	return found;
}

/*
 * Return where "\r\n--boundary" begins at or after `at`, or body.n. memmem() on the whole body,
 * byte by byte, took an eighth of the time of a request: most of a body is one profile of 100 KB.
 */
static size_t find_delimiter(const struct multipart *m, size_t at)
{
	while (at < m->body.n) {
		if (m->body.n - at >= BLOCK + 3 && !block_has_delimiter(m->body.p + at)) {
			at += BLOCK;
			continue;
		}

		size_t n = min_size(m->body.n - at, BLOCK + 3);
		const char *found = memmem(m->body.p + at, n, "\r\n--", 4);

		if (!found) { /* in the last bytes */
			at += n;
			continue;
		}
		at = (size_t)(found - m->body.p);
		if (is_delimiter(m, at + 2))
			return at;
		at += 2;
	}
	return m->body.n;
}

/* Parse what follows a delimiter. Return 1 for a line end: a part begins; 0 for "--": the end. */
static int end_delimiter(struct multipart *m, struct err *e)
{
	struct str rest = str_from_at(m->body, m->at);

	if (str_starts(rest, STR("--"))) {
		m->done = true;
		return 0;
	}
	while (rest.n && (rest.p[0] == ' ' || rest.p[0] == '\t'))
		rest = str_from_at(rest, 1);
	if (!str_starts(rest, STR("\r\n")))
		return err_set(e, -EBADMSG,
			       "multipart: at byte %zu: expected a line end after the boundary",
			       m->at);
	m->at = m->body.n - rest.n + 2;
	return 1;
}

/* Find the first delimiter, at the beginning or after a preamble, which is ignored. */
static int find_first(struct multipart *m, struct err *e)
{
	size_t at = 0;

	if (!is_delimiter(m, 0)) {
		at = find_delimiter(m, 0);
		if (at == m->body.n)
			return err_set(e, -EBADMSG,
				       "multipart: at byte 0: expected the boundary, found none");
		at += 2;
	}
	m->at = at + 2 + m->boundary.n;
	return end_delimiter(m, e);
}

static void read_part_header(struct multipart_part *part, struct str line)
{
	struct str value = line, name = str_trim(str_cut(&value, ':'));

	value = str_trim(value);
	if (str_eq_ignoring_case(name, STR("content-disposition"))) {
		part->name = http_header_param(value, STR("name"));
		part->filename = http_header_param(value, STR("filename"));
	} else if (str_eq_ignoring_case(name, STR("content-type"))) {
		part->content_type = value;
	}
}

/* Read the headers of a part and the empty line. */
static int read_part_headers(struct multipart *m, struct multipart_part *part, struct err *e)
{
	size_t start = m->at;

	for (;;) {
		struct str rest =
			str_head(str_from_at(m->body, m->at), start + MULTIPART_HEADER_MAX - m->at);
		size_t n = str_find_str(rest, STR("\r\n"));

		if (n == rest.n && m->body.n - start > MULTIPART_HEADER_MAX)
			return err_set(
				e, -EFBIG,
				"multipart: at byte %zu: headers of a part are over %d bytes",
				start, MULTIPART_HEADER_MAX);
		if (n == rest.n)
			return err_set(e, -EBADMSG,
				       "multipart: at byte %zu: expected an empty line after the "
				       "headers, found the end",
				       m->at);
		m->at += n + 2;
		if (!n)
			return 0;
		read_part_header(part, str_head(rest, n));
	}
}

int multipart_next(struct multipart *m, struct multipart_part *part, struct err *e)
{
	size_t end;
	int rc = 1;

	*part = (struct multipart_part){0};
	if (!m->at)
		rc = find_first(m, e);
	if (rc <= 0 || m->done)
		return rc < 0 ? rc : 0;
	if (m->parts++ == MULTIPART_PARTS_MAX)
		return err_set(e, -EFBIG, "multipart: more than %d parts", MULTIPART_PARTS_MAX);
	rc = read_part_headers(m, part, e);
	if (rc)
		return rc;
	/* In an empty part, the line end of the empty line also belongs to the delimiter. */
	end = find_delimiter(m, m->at - 2);
	if (end == m->body.n)
		return err_set(e, -EBADMSG,
			       "multipart: at byte %zu: expected the boundary, found the end",
			       m->body.n);
	part->bytes = str_of(m->body.p + m->at, end > m->at ? end - m->at : 0);
	m->at = end + 4 + m->boundary.n;
	rc = end_delimiter(m, e);
	return rc < 0 ? rc : 1;
}

int multipart_find(struct str content_type, struct str body, struct str name,
		   struct multipart_part *part, struct err *e)
{
	struct multipart m;
	int rc = multipart_begin(&m, content_type, body, e);

	if (rc)
		return rc;
	while ((rc = multipart_next(&m, part, e)) == 1)
		if (part->name.p && str_eq(part->name, name))
			return 0;
	return rc ? rc : -ENOENT;
}
