/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads key files. The keys are in pages of their own, which are locked in memory and left out of
 * core dumps as far as the limits of the process allow it.
 */
#include "seal/key_ring.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/text.h"

enum { KEY_FILE_MOST = 16 * 1024, KEY_FILES_MOST = 64, FORBIDDEN_MODE = 0027 };

struct master_key {
	struct key_id id;
	uint8_t key[SEAL_KEY];
};

/* What a file or directory was when it was read: another value means that it has changed. */
struct key_stamp {
	uint64_t inode, size, seconds, nanoseconds;
};

struct key_table {
	uint32_t n;
	uint32_t current;
	struct master_key at[KEY_RING_MOST];
};

struct key_ring {
	_Atomic uint32_t refs;
	char *path; /* NULL: no file */
	const struct log *log;
	pthread_mutex_t mu; /* guards what follows */
	struct key_stamp stamp;
	struct key_table *keys; /* a mapping of its own */
};

const char *key_id_text(struct key_id id, char out[KEY_ID_TEXT])
{
	hex_digits(out, str_of((const char *)id.bytes, KEY_ID));
	out[KEY_ID_TEXT - 1] = 0;
	return out;
}

static bool same_key_id(struct key_id a, struct key_id b)
{
	return memcmp(a.bytes, b.bytes, KEY_ID) == 0;
}

/* ---- memory ---- */

static struct key_table *key_table_new(void)
{
	struct key_table *t =
		mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (t == MAP_FAILED)
		return NULL;
	(void)mlock(t, sizeof(*t)); /* a limit of locked memory may forbid it */
	(void)madvise(t, sizeof(*t), MADV_DONTDUMP);
	return t;
}

static void key_table_free(struct key_table *t)
{
	if (!t)
		return;
	explicit_bzero(t, sizeof(*t));
	munmap(t, sizeof(*t));
}

/* ---- parsing ---- */

static bool is_key_text(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x7f ||
		    ((unsigned char)s.p[i] < ' ' && !(s.p[i] && strchr("\t\r\n", s.p[i]))))
			return false;
	return true;
}

int key_parse(uint8_t key[SEAL_KEY], struct str text)
{
	uint8_t decoded[SEAL_KEY + 2];
	size_t n = 0;
	int rc = -EINVAL;

	if (text.n == SEAL_KEY && !is_key_text(text)) {
		memcpy(key, text.p, SEAL_KEY);
		return 0;
	}
	text = str_trim(text);
	if (text.n == 2 * (size_t)SEAL_KEY)
		return hex_decode(text, key, SEAL_KEY, &n);
	if ((text.n == 43 || text.n == 44) && !base64_decode(text, decoded, sizeof(decoded), &n) &&
	    n == SEAL_KEY) {
		memcpy(key, decoded, SEAL_KEY);
		rc = 0;
	}
	explicit_bzero(decoded, sizeof(decoded));
	return rc;
}

static int id_of_key(struct key_id *id, const uint8_t key[SEAL_KEY])
{
	static const char purpose[16] = "varve master key";
	uint8_t digest[SEAL_DIGEST];
	char bytes[sizeof(purpose) + SEAL_KEY];
	int rc;

	memcpy(bytes, purpose, sizeof(purpose));
	memcpy(bytes + sizeof(purpose), key, SEAL_KEY);
	rc = seal_digest(digest, str_of(bytes, sizeof(bytes)));
	memcpy(id->bytes, digest, KEY_ID);
	explicit_bzero(bytes, sizeof(bytes));
	return rc;
}

/* Append a key unless the table has it. */
static int add_master_key(struct key_table *t, const uint8_t key[SEAL_KEY], uint32_t *at,
			  struct err *e)
{
	struct key_id id;
	int rc = id_of_key(&id, key);

	if (rc)
		return err_set(e, rc, "encryption needs OpenSSL (libcrypto.so.3)");
	for (*at = 0; *at < t->n; ++*at)
		if (same_key_id(t->at[*at].id, id))
			return 0;
	if (t->n == KEY_RING_MOST)
		return err_set(e, -E2BIG, "more than %d keys", KEY_RING_MOST);
	t->at[t->n].id = id;
	memcpy(t->at[t->n++].key, key, SEAL_KEY);
	return 0;
}

static int parse_key_lines(struct key_table *t, struct str text, bool *any, struct err *e)
{
	uint8_t key[SEAL_KEY];
	unsigned number = 0;
	struct str line;
	int rc = 0;

	while (!rc && str_next_line(&text, &line)) {
		uint32_t at;

		number++;
		line = str_trim(line);
		if (!line.n || line.p[0] == '#')
			continue;
		rc = key_parse(key, line);
		if (rc)
			rc = err_set(e, rc,
				     "line %u: expected a key of 32 bytes: 64 hexadecimal digits, "
				     "or base64 (openssl rand -hex 32 makes one)",
				     number);
		else
			rc = add_master_key(t, key, &at, e);
		if (!rc && !*any)
			t->current = at;
		*any |= !rc;
	}
	explicit_bzero(key, sizeof(key));
	return rc;
}

static int parse_key_file(struct key_table *t, struct str text, struct err *e)
{
	bool any = false;
	uint8_t key[SEAL_KEY];
	int rc;

	if (text.n == SEAL_KEY && !is_key_text(text)) {
		memcpy(key, text.p, SEAL_KEY);
		rc = add_master_key(t, key, &t->current, e);
		explicit_bzero(key, sizeof(key));
		return rc;
	}
	if (!is_key_text(text))
		return err_set(e, -EINVAL, "a binary key has to have 32 bytes; this file has %zu",
			       text.n);
	rc = parse_key_lines(t, text, &any, e);
	if (!rc && !any)
		rc = err_set(e, -EINVAL,
			     "has no key; expected 32 bytes, 64 hexadecimal digits or base64 "
			     "(openssl rand -hex 32 makes one)");
	return rc;
}

/* ---- files ---- */

static int check_key_file(int fd, const struct stat *st, struct err *e)
{
	if (fd < 0)
		return err_set(e, -errno, "%s", strerror(errno));
	if (!S_ISREG(st->st_mode) || st->st_size > KEY_FILE_MOST)
		return err_set(e, -EINVAL, "not a file of at most %d bytes", KEY_FILE_MOST);
	if (st->st_mode & FORBIDDEN_MODE)
		return err_set(e, -EPERM,
			       "other users can read or change the key (mode %03o); run: chmod 600",
			       (unsigned)st->st_mode & 0777);
	return 0;
}

static int read_key_file(struct key_table *t, int dir, const char *name, struct err *e)
{
	char text[KEY_FILE_MOST];
	struct stat st = {0};
	size_t n = 0;
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;

	if (fd >= 0 && fstat(fd, &st)) {
		close(fd);
		fd = -1;
	}
	rc = check_key_file(fd, &st, e);
	while (!rc && n < sizeof(text)) {
		ssize_t got = read(fd, text + n, sizeof(text) - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			rc = err_set(e, -errno, "%s", strerror(errno));
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	if (!rc)
		rc = parse_key_file(t, str_of(text, n), e);
	explicit_bzero(text, n);
	if (fd >= 0)
		close(fd);
	return rc;
}

static int is_visible_name(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int read_key_directory(struct key_table *t, const char *path, struct err *e)
{
	struct dirent **names = NULL;
	int n = scandir(path, &names, is_visible_name, alphasort), rc = 0;
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (n < 0 || dir < 0)
		rc = err_set(e, -errno, "%s", strerror(errno));
	else if (!n)
		rc = err_set(e, -ENOENT, "the directory has no key files");
	else if (n > KEY_FILES_MOST)
		rc = err_set(e, -E2BIG, "the directory has more than %d files", KEY_FILES_MOST);
	for (int i = 0; i < n; i++) {
		if (!rc) {
			rc = read_key_file(t, dir, names[i]->d_name, e);
			if (rc)
				err_prefix(e, "%s", names[i]->d_name);
		}
		free(names[i]);
	}
	free(names);
	if (dir >= 0)
		close(dir);
	return rc;
}

static int read_stamp(const char *path, struct key_stamp *out, bool *directory)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	*out = (struct key_stamp){(uint64_t)st.st_ino, (uint64_t)st.st_size,
				  (uint64_t)st.st_mtim.tv_sec, (uint64_t)st.st_mtim.tv_nsec};
	*directory = S_ISDIR(st.st_mode);
	return 0;
}

/* Read all keys. On success the caller owns *out. */
static int read_keys(const char *path, struct key_stamp *stamp, struct key_table **out,
		     struct err *e)
{
	struct key_table *t = key_table_new();
	bool directory = false;
	int rc = t ? read_stamp(path, stamp, &directory) : -ENOMEM;

	if (rc)
		err_set(e, rc, "%s", strerror(-rc));
	else if (directory)
		rc = read_key_directory(t, path, e);
	else
		rc = read_key_file(t, AT_FDCWD, path, e);
	if (rc) {
		err_prefix(e, "key file %s", path);
		key_table_free(t);
		return rc;
	}
	*out = t;
	return 0;
}

/* ---- the ring ---- */

static struct key_ring *key_ring_new(const struct log *log)
{
	struct key_ring *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->refs = 1;
	r->log = log;
	pthread_mutex_init(&r->mu, NULL);
	return r;
}

int key_ring_open(struct key_ring **out, const char *path, const struct log *log, struct err *e)
{
	struct key_ring *r = key_ring_new(log);
	int rc = -ENOMEM;

	if (r)
		r->path = strdup(path);
	if (r && r->path)
		rc = read_keys(path, &r->stamp, &r->keys, e);
	if (rc) {
		key_ring_unref(r);
		return err_errno(e, rc, "read the key file");
	}
	*out = r;
	return 0;
}

int key_ring_of_key(struct key_ring **out, const uint8_t key[SEAL_KEY], struct err *e)
{
	struct key_ring *r = key_ring_new(NULL);
	uint32_t at;
	int rc = -ENOMEM;

	if (r)
		r->keys = key_table_new();
	if (r && r->keys)
		rc = add_master_key(r->keys, key, &at, e);
	if (rc) {
		key_ring_unref(r);
		return err_errno(e, rc, "use a key");
	}
	*out = r;
	return 0;
}

struct key_ring *key_ring_ref(struct key_ring *r)
{
	if (r)
		atomic_fetch_add(&r->refs, 1);
	return r;
}

void key_ring_unref(struct key_ring *r)
{
	if (!r || atomic_fetch_sub(&r->refs, 1) != 1)
		return;
	key_table_free(r->keys);
	pthread_mutex_destroy(&r->mu);
	free(r->path);
	free(r);
}

const char *key_ring_path(const struct key_ring *r)
{
	return r->path ? r->path : "(one key)";
}

/* mu is held. */
static void refresh_keys(struct key_ring *r)
{
	struct key_stamp now;
	struct key_table *keys;
	struct err e = {0};
	bool directory;

	if (!r->path || read_stamp(r->path, &now, &directory) ||
	    memcmp(&now, &r->stamp, sizeof(now)) == 0)
		return;
	if (read_keys(r->path, &now, &keys, &e)) {
		log_warn(r->log, "the key file has changed and cannot be read: its old keys stay",
			 LOG_ERR(&e));
		return;
	}
	key_table_free(r->keys);
	r->keys = keys;
	r->stamp = now;
	log_info(r->log, "read the key file again", LOG_STR("file", str_from(r->path)),
		 LOG_U64("keys", keys->n));
}

void key_ring_refresh(struct key_ring *r)
{
	pthread_mutex_lock(&r->mu);
	refresh_keys(r);
	pthread_mutex_unlock(&r->mu);
}

struct key_id key_ring_current(struct key_ring *r)
{
	struct key_id id;

	pthread_mutex_lock(&r->mu);
	id = r->keys->at[r->keys->current].id;
	pthread_mutex_unlock(&r->mu);
	return id;
}

uint32_t key_ring_list(struct key_ring *r, struct key_id out[KEY_RING_MOST])
{
	uint32_t n;

	pthread_mutex_lock(&r->mu);
	n = r->keys->n;
	for (uint32_t i = 0; i < n; i++)
		out[i] = r->keys->at[i].id;
	pthread_mutex_unlock(&r->mu);
	return n;
}

static bool find_master_key(const struct key_table *t, struct key_id id, uint8_t key[SEAL_KEY])
{
	for (uint32_t i = 0; i < t->n; i++)
		if (same_key_id(t->at[i].id, id)) {
			memcpy(key, t->at[i].key, SEAL_KEY);
			return true;
		}
	return false;
}

bool key_ring_find(struct key_ring *r, struct key_id id, uint8_t key[SEAL_KEY])
{
	bool found;

	pthread_mutex_lock(&r->mu);
	found = find_master_key(r->keys, id, key);
	if (!found) {
		refresh_keys(r);
		found = find_master_key(r->keys, id, key);
	}
	pthread_mutex_unlock(&r->mu);
	return found;
}
