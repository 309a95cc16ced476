/* SPDX-License-Identifier: Apache-2.0 */
/* Appends to the audit log, continues its chain after a restart, and checks it. */
#include "api/access/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/sha.h>

#include "base/buf.h"
#include "base/clock.h"
#include "wire/json.h"
#include "wire/json_write.h"
#include "wire/text.h"

#define HASH_KEY ",\"hash\":\""

struct audit {
	pthread_mutex_t mu; /* guards everything below */
	char *path;
	int fd;
	uint64_t size, max_bytes;
	struct audit_chain chain;
	struct buf line;
	uint64_t failures;
};

/* ---- lines ---- */

static void hash_text(struct str text, char out[AUDIT_HASH_TEXT])
{
	uint8_t digest[SHA256_DIGEST_LENGTH];

	SHA256((const unsigned char *)text.p, text.n, digest);
	hex_digits(out, str_of((const char *)digest, sizeof(digest)));
	out[AUDIT_HASH_TEXT - 1] = 0;
}

static void put_audit_field(struct json_writer *w, const char *key, struct str value)
{
	json_put_key(w, str_from(key));
	json_put_string(w, str_head(value, AUDIT_FIELD_MAX));
}

/* Make the line of an entry in `out`, with its newline, and the chain after it. */
static void make_line(struct buf *out, const struct audit_entry *entry, struct audit_chain *chain)
{
	struct json_writer w = json_writer_to(out, 0);
	char time[CLOCK_TEXT_SIZE];

	buf_clear(out);
	json_open_object(&w);
	json_put_key(&w, STR("number"));
	json_put_u64(&w, ++chain->number);
	put_audit_field(&w, "time", str_from(clock_format(clock_realtime_ns(), time)));
	put_audit_field(&w, "actor", entry->actor);
	put_audit_field(&w, "address", entry->address);
	put_audit_field(&w, "action", entry->action);
	put_audit_field(&w, "object", entry->object);
	put_audit_field(&w, "tenant", entry->tenant);
	put_audit_field(&w, "result", entry->result);
	put_audit_field(&w, "detail", entry->detail);
	put_audit_field(&w, "previous", str_from(chain->hash));
	hash_text(buf_str(out), chain->hash);
	buf_printf(out, HASH_KEY "%s\"}\n", chain->hash);
}

/* Find where the hash of a line begins. Return false if the line does not end with one. */
static bool cut_hash(struct str line, struct str *body, struct str *hash)
{
	enum { TAIL = sizeof(HASH_KEY) - 1 + AUDIT_HASH_TEXT - 1 + 2 };
	struct str tail = str_from_at(line, line.n < TAIL ? line.n : line.n - TAIL);

	if (line.n < TAIL || !str_starts(tail, STR(HASH_KEY)) || !str_ends(tail, STR("\"}")))
		return false;
	*body = str_head(line, line.n - TAIL);
	*hash = str_of(tail.p + sizeof(HASH_KEY) - 1, AUDIT_HASH_TEXT - 1);
	return true;
}

int audit_check_line(struct audit_chain *c, struct str line, struct err *e)
{
	struct str body, hash, previous;
	char computed[AUDIT_HASH_TEXT];
	struct arena arena;
	struct json doc;
	uint64_t number = 0;
	int rc;

	if (line.n > AUDIT_LINE_MAX || !cut_hash(line, &body, &hash))
		return err_set(e, -EBADMSG, "no hash at the end: the line is incomplete");
	hash_text(body, computed);
	if (!str_eq(hash, str_from(computed)))
		return err_set(e, -EBADMSG, "its hash is wrong: the line was changed");
	arena_init(&arena, NULL);
	json_init(&doc, &arena);
	rc = json_parse(&doc, line, e);
	previous = json_str(json_get(json_root(&doc), STR("previous")));
	if (!rc && json_u64(json_get(json_root(&doc), STR("number")), &number))
		rc = err_set(e, -EBADMSG, "it has no number");
	if (!rc && c->lines && (number != c->number + 1 || !str_eq(previous, str_from(c->hash))))
		rc = err_set(e, -EBADMSG,
			     "it does not follow line number %llu: a line was removed or inserted",
			     (unsigned long long)c->number);
	arena_fini(&arena);
	if (rc)
		return rc;
	memcpy(c->hash, computed, sizeof(computed));
	c->number = number;
	c->lines++;
	return 0;
}

/* ---- the file ---- */

/* Read the last `n` bytes of a file, at most all of it, into `out`. */
static int read_tail(int fd, uint64_t size, size_t n, struct buf *out)
{
	uint64_t at = size > n ? size - n : 0;

	while (at < size) {
		size_t want = (size_t)min_size(size - at, 65536);
		char *p = buf_reserve(out, want);
		ssize_t got = p ? pread(fd, p, want, (off_t)at) : -1;

		if (got <= 0)
			return !p ? -ENOMEM : got < 0 ? -errno : -EIO;
		out->n += (size_t)got;
		at += (uint64_t)got;
	}
	return 0;
}

int audit_read_tail(const char *path, size_t bytes, void (*each)(void *arg, struct str line),
		    void *arg)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = fd < 0 ? -errno : 0;
	struct buf text = {0};
	struct str rest, line;
	struct stat st;

	if (!rc && fstat(fd, &st))
		rc = -errno;
	if (!rc)
		rc = read_tail(fd, (uint64_t)st.st_size, bytes, &text);
	rest = buf_str(&text);
	if (!rc && (uint64_t)st.st_size > text.n)
		str_cut(&rest, '\n'); /* the first line is not complete */
	while (!rc && str_next_line(&rest, &line))
		each(arg, line);
	buf_fini(&text);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Continue the chain of an existing file. Remove an incomplete last line; *removed is its size. */
static int continue_chain(struct audit *a, size_t *removed, struct err *e)
{
	struct buf tail = {0};
	struct str last;
	size_t end;
	int rc = read_tail(a->fd, a->size, 2 * AUDIT_LINE_MAX, &tail);

	if (rc)
		goto out;
	end = str_find_last(buf_str(&tail), '\n');
	*removed = tail.n - (end == tail.n ? 0 : end + 1);
	if (*removed && ftruncate(a->fd, (off_t)(a->size - *removed))) {
		rc = -errno;
		goto out;
	}
	a->size -= *removed;
	last = str_head(buf_str(&tail), end == tail.n ? 0 : end);
	end = str_find_last(last, '\n');
	if (end < last.n)
		last = str_from_at(last, end + 1);
	if (last.n)
		rc = audit_check_line(&a->chain, last, e);
out:
	buf_fini(&tail);
	return rc;
}

static int open_file(struct audit *a)
{
	struct stat st;

	a->fd = open(a->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (a->fd < 0 || fstat(a->fd, &st))
		return -errno;
	a->size = (uint64_t)st.st_size;
	return S_ISREG(st.st_mode) ? 0 : -EINVAL;
}

int audit_open(struct audit **out, const char *path, uint64_t max_bytes, struct err *e)
{
	struct audit *a = calloc(1, sizeof(*a));
	struct audit_entry repaired = {.action = STR("audit.repaired"), .result = STR("done")};
	char detail[80];
	size_t removed = 0;
	int rc = a ? 0 : -ENOMEM;

	if (rc)
		return err_set(e, rc, "out of memory for the audit log");
	*a = (struct audit){.fd = -1, .max_bytes = max_bytes, .path = strdup(path)};
	pthread_mutex_init(&a->mu, NULL);
	rc = a->path ? open_file(a) : -ENOMEM;
	if (!rc && a->size)
		rc = continue_chain(a, &removed, e);
	if (!rc && removed) {
		snprintf(detail, sizeof(detail), "removed %zu bytes of an incomplete line",
			 removed);
		repaired.detail = str_from(detail);
		rc = audit_write(a, &repaired, e);
	}
	if (rc && e->text[0])
		err_prefix(e, "audit log %s", path);
	else if (rc)
		err_set(e, rc, "audit log %s: %s", path, strerror(-rc));
	if (rc)
		audit_close(a);
	else
		*out = a;
	return rc;
}

void audit_close(struct audit *a)
{
	if (!a)
		return;
	if (a->fd >= 0)
		close(a->fd);
	buf_fini(&a->line);
	pthread_mutex_destroy(&a->mu);
	free(a->path);
	free(a);
}

/* Begin a new file. If that fails, the old one grows on. Requires the mutex. */
static void rotate(struct audit *a)
{
	struct buf name = {0};
	int old = a->fd;

	buf_printf(&name, "%s.%llu", a->path, (unsigned long long)a->chain.number);
	buf_put_char(&name, 0);
	if (!buf_error(&name) && !link(a->path, name.p)) {
		if (!unlink(a->path) && !open_file(a)) {
			close(old);
		} else {
			a->fd = old;
			a->failures++;
		}
	}
	buf_fini(&name);
}

/* Append a->line. On an error remove what was written of it. Requires the mutex. */
static int append_line(struct audit *a, bool sync)
{
	ssize_t n = write(a->fd, a->line.p, a->line.n);
	int rc = n < 0 ? -errno : (size_t)n == a->line.n ? 0 : -ENOSPC;

	if (!rc && sync && fdatasync(a->fd))
		rc = -errno;
	if (rc && ftruncate(a->fd, (off_t)a->size))
		rc = -errno; /* the next start repairs it */
	if (!rc)
		a->size += a->line.n;
	return rc;
}

static int append_entry(struct audit *a, const struct audit_entry *entry, bool sync)
{
	struct audit_chain next;
	int rc;

	pthread_mutex_lock(&a->mu);
	next = a->chain;
	make_line(&a->line, entry, &next);
	if (a->size && a->size + a->line.n > a->max_bytes)
		rotate(a);
	rc = buf_error(&a->line);
	rc = rc ? rc : append_line(a, sync);
	if (!rc)
		a->chain = next;
	else
		a->failures++;
	pthread_mutex_unlock(&a->mu);
	return rc;
}

int audit_write(struct audit *a, const struct audit_entry *entry, struct err *e)
{
	int rc = a ? append_entry(a, entry, true) : 0;

	return rc ? err_set(e, -EAGAIN, "the audit log cannot be written: %s", strerror(-rc)) : 0;
}

void audit_note(struct audit *a, const struct audit_entry *entry)
{
	if (a)
		(void)append_entry(a, entry, false); /* it counts failures itself */
}

uint64_t audit_failures(struct audit *a)
{
	uint64_t n;

	if (!a)
		return 0;
	pthread_mutex_lock(&a->mu);
	n = a->failures;
	pthread_mutex_unlock(&a->mu);
	return n;
}
