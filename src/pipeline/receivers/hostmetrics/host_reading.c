/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads files below the root path with a limit on their size, and adds data points to a message.
 */
#include "pipeline/receivers/hostmetrics/host_reading.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { HOST_FILE_MAX = 16 * MIB, HOST_PATH_MAX = 512 };

bool host_metric(struct host_reading *r, enum host_metric_id metric)
{
	const struct host_metric *m = &host_metric_table[metric];

	if (!r->state->settings->scrapers.written[metric])
		return false;
	r->metric = metric;
	otlp_begin_metric(&r->builder,
			  &(struct otlp_metric){.name = str_from(m->name),
						.description = str_from(m->description),
						.unit = str_from(m->unit),
						.kind = m->kind,
						.temporality = OTLP_CUMULATIVE,
						.monotonic = m->monotonic});
	return true;
}

void host_point(struct host_reading *r, double value, ...)
{
	const struct host_metric *m = &host_metric_table[r->metric];
	struct attributes attributes = {0};
	struct otlp_number n = {.point = {.attributes = &attributes, .time = r->time}};
	const char *name;
	va_list args;

	va_start(args, value);
	while ((name = va_arg(args, const char *))) {
		struct value v = VALUE_OF_STR(str_from(va_arg(args, const char *)));

		r->failed |= attributes_set(&attributes, &r->arena, str_from(name), &v) != 0;
	}
	va_end(args);
	if (m->kind == OTLP_SUM)
		n.point.start = r->start ? r->start : r->state->boot;
	n.is_int = m->is_int;
	if (n.is_int)
		n.i = (int64_t)value;
	else
		n.d = value;
	otlp_add_number(&r->builder, &n);
	r->points++;
}

static int read_whole(int fd, struct arena *arena, struct str *text)
{
	size_t room = 16 * KIB, n = 0;
	char *p = arena_alloc(arena, room, 1);

	while (p) {
		ssize_t got = read(fd, p + n, room - n);
		char *more;

		if (got < 0)
			return -errno;
		n += (size_t)got;
		if (!got) {
			*text = str_of(p, n);
			return 0;
		}
		if (n < room)
			continue;
		if (room >= HOST_FILE_MAX)
			return -EFBIG;
		more = arena_resize(arena, p, room, 2 * room, 1);
		p = more;
		room *= 2;
	}
	return -ENOMEM;
}

bool host_file(struct host_reading *r, const char *path, struct str *text)
{
	char whole[HOST_PATH_MAX];
	int fd, rc;

	if (snprintf(whole, sizeof(whole), "%s%s", r->state->root, path) >= (int)sizeof(whole))
		return false;
	fd = open(whole, O_RDONLY | O_CLOEXEC);
	rc = fd < 0 ? -errno : read_whole(fd, &r->arena, text);
	if (fd >= 0)
		close(fd);
	if (rc && !r->e.code)
		err_errno(&r->e, rc, whole);
	return !rc;
}

struct str host_word(struct str *line)
{
	size_t from = 0, end;

	while (from < line->n && (line->p[from] == ' ' || line->p[from] == '\t'))
		from++;
	end = from;
	while (end < line->n && line->p[end] != ' ' && line->p[end] != '\t')
		end++;

	struct str word = str_of(line->p + from, end - from);

	*line = str_from_at(*line, end);
	return word;
}

uint64_t host_number(struct str *line)
{
	uint64_t n = 0;

	return str_to_u64(host_word(line), 10, &n) ? 0 : n;
}
