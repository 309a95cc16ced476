/* SPDX-License-Identifier: Apache-2.0 */
/* Appends to the audit log, continues its chain after a restart, and checks it. */
#include "api/access/audit.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <openssl/sha.h>

#include "api/access/audit_file.h"
#include "base/clock.h"
#include "wire/json.h"
#include "wire/json_write.h"
#include "wire/text.h"

#define HASH_KEY ",\"hash\":\""

struct audit {
	pthread_mutex_t mu; /* guards everything below */
	char *path;
	struct audit_file file;
	struct key_ring *keys;
	uint64_t max_bytes;
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

/* Make the line of an entry in `out`, without newline, and the chain after it. */
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
	if (entry->record.n) {
		json_put_key(&w, STR("record"));
		json_put_raw(&w, entry->record);
	}
	put_audit_field(&w, "previous", str_from(chain->hash));
	hash_text(buf_str(out), chain->hash);
	buf_printf(out, HASH_KEY "%s\"}", chain->hash);
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

/* Find the file that was renamed last: its number, or 0. */
static uint64_t find_previous(const struct audit *a)
{
	struct str path = str_from(a->path), name = path;
	size_t slash = str_find_last(path, '/');
	struct buf folder = {0};
	uint64_t number, most = 0;
	const struct dirent *at;
	DIR *d = NULL;

	if (slash < path.n) {
		name = str_from_at(path, slash + 1);
		buf_put_str(&folder, str_head(path, slash + 1));
	} else {
		buf_put_char(&folder, '.');
	}
	buf_put_char(&folder, 0);
	if (!buf_error(&folder))
		d = opendir(folder.p);
	while (d && (at = readdir(d))) {
		struct str found = str_from(at->d_name);

		if (str_starts(found, name) && found.n > name.n + 1 && found.p[name.n] == '.' &&
		    !str_to_u64(str_from_at(found, name.n + 1), 10, &number) && number > most)
			most = number;
	}
	if (d)
		closedir(d);
	buf_fini(&folder);
	return most;
}

/* Open the file before the current one; f->fd is negative if there is none. */
static int open_previous(const struct audit *a, struct audit_file *f, struct err *e)
{
	uint64_t number = find_previous(a);
	struct buf name = {0};
	int rc = 0;

	*f = (struct audit_file){.fd = -1};
	if (!number)
		return 0;
	buf_printf(&name, "%s.%llu", a->path, (unsigned long long)number);
	buf_put_char(&name, 0);
	rc = buf_error(&name);
	rc = rc ? rc : audit_file_open_old(f, name.p, a->keys, e);
	if (rc && rc != -ENOMEM)
		err_prefix(e, "%s", name.p);
	buf_fini(&name);
	return rc;
}

static int read_file_tail(const struct audit_file *f, size_t bytes,
			  void (*each)(void *arg, struct str line), void *arg)
{
	struct audit_reader r = {0};
	struct buf text = {0};
	struct str line;
	int rc = audit_file_tail(f, bytes, &text, &r);

	while (!rc && (rc = audit_reader_next(&r, &line, NULL)) == 1) {
		each(arg, line);
		rc = 0;
	}
	audit_reader_fini(&r);
	buf_fini(&text);
	return rc;
}

int audit_read_tail(struct audit *a, size_t bytes, void (*each)(void *arg, struct str line),
		    void *arg)
{
	struct audit_file previous = {.fd = -1};
	int rc;

	pthread_mutex_lock(&a->mu);
	/* what cannot be read is not listed */
	if (a->file.size <= bytes && !open_previous(a, &previous, NULL) && previous.fd >= 0)
		(void)!read_file_tail(&previous, bytes, each, arg);
	rc = read_file_tail(&a->file, bytes, each, arg);
	pthread_mutex_unlock(&a->mu);
	audit_file_close(&previous);
	return rc;
}

/* Check the last line of a file, and continue its chain. */
static int continue_chain_of(struct audit *a, const struct audit_file *f, struct err *e)
{
	struct buf tail = {0}, last = {0};
	struct audit_reader r = {0};
	struct str line;
	int rc = audit_file_tail(f, 2 * AUDIT_LINE_MAX, &tail, &r);

	while (!rc && (rc = audit_reader_next(&r, &line, e)) == 1) {
		buf_clear(&last);
		buf_put_str(&last, line);
		rc = buf_error(&last);
	}
	if (!rc && last.n)
		rc = audit_check_line(&a->chain, buf_str(&last), e);
	audit_reader_fini(&r);
	buf_fini(&last);
	buf_fini(&tail);
	return rc;
}

/* Continue the chain of the file, or if it is empty, of the one before it. */
static int continue_chain(struct audit *a, struct err *e)
{
	struct audit_file previous = {.fd = -1};
	int rc;

	if (!audit_file_is_empty(&a->file))
		return continue_chain_of(a, &a->file, e);
	rc = open_previous(a, &previous, e);
	if (!rc && previous.fd >= 0)
		rc = continue_chain_of(a, &previous, e);
	audit_file_close(&previous);
	return rc;
}

/* Begin a new file. If that fails, return -errno, and the old one grows on. Requires the mutex. */
static int rotate(struct audit *a, struct err *e)
{
	struct audit_file next = {.fd = -1};
	struct buf name = {0};
	int rc;

	buf_printf(&name, "%s.%llu", a->path, (unsigned long long)a->chain.number);
	buf_put_char(&name, 0);
	rc = buf_error(&name);
	if (!rc && (link(a->path, name.p) || unlink(a->path)))
		rc = -errno;
	if (!rc)
		rc = audit_file_open(&next, a->path, a->keys, e);
	if (rc) {
		audit_file_close(&next);
		a->failures++;
	} else {
		audit_file_close(&a->file);
		a->file = next;
	}
	buf_fini(&name);
	return rc;
}

/* Remove a line that a crash cut off, and log that. */
static int repair(struct audit *a, struct err *e)
{
	struct audit_entry repaired = {.action = STR("audit.repaired"), .result = STR("done")};
	uint64_t torn = a->file.torn;
	char detail[80];
	int rc = torn ? audit_file_repair(&a->file) : 0;

	if (rc || !torn)
		return rc;
	snprintf(detail, sizeof(detail), "removed %llu bytes of an incomplete line",
		 (unsigned long long)torn);
	repaired.detail = str_from(detail);
	return audit_write(a, &repaired, e);
}

int audit_open(struct audit **out, const char *path, uint64_t max_bytes, struct key_ring *keys,
	       struct err *e)
{
	struct audit *a = calloc(1, sizeof(*a));
	int rc = a ? 0 : -ENOMEM;

	if (rc)
		return err_set(e, rc, "out of memory for the audit log");
	*a = (struct audit){.file = {.fd = -1},
			    .max_bytes = max_bytes,
			    .keys = key_ring_ref(keys),
			    .path = strdup(path)};
	pthread_mutex_init(&a->mu, NULL);
	rc = a->path ? audit_file_open(&a->file, path, keys, e) : -ENOMEM;
	if (!rc)
		rc = continue_chain(a, e);
	if (!rc)
		rc = repair(a, e);
	/* what is in clear stays so, and what follows is encrypted */
	if (!rc && keys && !a->file.sealed && !audit_file_is_empty(&a->file))
		rc = rotate(a, e);
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
	audit_file_close(&a->file);
	key_ring_unref(a->keys);
	buf_fini(&a->line);
	pthread_mutex_destroy(&a->mu);
	free(a->path);
	free(a);
}

static int append_entry(struct audit *a, const struct audit_entry *entry, bool sync)
{
	struct audit_chain next;
	int rc;

	pthread_mutex_lock(&a->mu);
	next = a->chain;
	make_line(&a->line, entry, &next);
	if (!audit_file_is_empty(&a->file) && a->file.size + a->line.n > a->max_bytes)
		(void)!rotate(a, NULL); /* counted */
	rc = buf_error(&a->line);
	rc = rc ? rc : audit_file_append(&a->file, buf_str(&a->line), sync);
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
