/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/receivers/pyroscope/multipart.h"

#include <errno.h>
#include <strings.h>

#include "net/http.h"

enum { BOUNDARY_MAX = 200 };

/*
 * The next boundary line from `from` on: where its line break begins (the part ends there), and
 * where the line ends. false: there is none.
 */
static bool find_boundary(const struct multipart *m, size_t from, size_t *begin, size_t *end)
{
	while (from < m->body.n) {
		const char *p =
			memmem(m->body.p + from, m->body.n - from, m->boundary.p, m->boundary.n);
		size_t at;

		if (!p)
			return false;
		at = (size_t)(p - m->body.p);
		from = at + 1;
		if (at < 2 || memcmp(p - 2, "--", 2) != 0)
			continue;
		at -= 2;
		if (at && m->body.p[at - 1] != '\n')
			continue;
		*begin = at;
		if (at >= 1)
			*begin = at >= 2 && m->body.p[at - 2] == '\r' ? at - 2 : at - 1;
		*end = at + 2 + m->boundary.n;
		return true;
	}
	return false;
}

/* What stands behind a boundary: "--" at the end, or a line break before the next part. */
static int pass_boundary(struct multipart *m, size_t end, struct err *e)
{
	struct str rest = str_from_at(m->body, end);
	size_t line;

	if (str_starts(rest, STR("--"))) {
		m->ended = true;
		return 0;
	}
	line = str_find(rest, '\n');
	if (line == rest.n || str_trim(str_head(rest, line)).n)
		return err_set(e, -EBADMSG,
			       "multipart: at byte %zu: expected a line break behind "
			       "the boundary",
			       end);
	m->at = end + line + 1;
	return 0;
}

int multipart_open(struct multipart *m, struct str body, struct str boundary, struct err *e)
{
	size_t begin, end;

	*m = (struct multipart){.body = body, .boundary = boundary};
	if (!boundary.n || boundary.n > BOUNDARY_MAX)
		return err_set(e, -EBADMSG, "multipart: expected a boundary in the content type");
	if (!find_boundary(m, 0, &begin, &end))
		return err_set(e, -EBADMSG, "multipart: at byte 0: expected the boundary --%.*s",
			       STR_ARG(boundary));
	return pass_boundary(m, end, e);
}

/* "form-data; name="profile"; filename="profile.pprof"". */
static void read_header(struct multipart_part *part, struct str line)
{
	struct str value = line, name = str_trim(str_cut(&value, ':'));

	if (name.n != sizeof("content-disposition") - 1 ||
	    strncasecmp(name.p, "content-disposition", name.n) != 0)
		return;
	part->name = http_header_param(value, STR("name"));
	part->filename = http_header_param(value, STR("filename"));
}

int multipart_next(struct multipart *m, struct multipart_part *part, struct err *e)
{
	struct str rest = str_from_at(m->body, m->at), line;
	size_t begin, end, from;

	*part = (struct multipart_part){0};
	if (m->ended)
		return 0;
	if (++m->parts > MULTIPART_PARTS_MAX)
		return err_set(e, -EBADMSG, "multipart: more than %d parts", MULTIPART_PARTS_MAX);
	do {
		if (!str_next_line(&rest, &line) ||
		    m->body.n - m->at - rest.n > MULTIPART_HEADERS_MAX)
			return err_set(e, -EBADMSG,
				       "multipart: at byte %zu: expected the headers of a part",
				       m->at);
		read_header(part, line);
	} while (line.n);
	from = m->body.n - rest.n;
	if (!rest.n || !find_boundary(m, from, &begin, &end))
		return err_set(e, -EBADMSG,
			       "multipart: at byte %zu: expected a boundary at the end of the part",
			       m->body.n);
	/* an empty part: the line break before the boundary is the one behind the headers */
	part->bytes = str_of(m->body.p + from, begin > from ? begin - from : 0);
	from = m->at;
	return pass_boundary(m, end, e) ? -EBADMSG : 1;
}
