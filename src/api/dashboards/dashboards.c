/* SPDX-License-Identifier: Apache-2.0 */
/* Files of dashboards: names, etags, atomic replacement, lists. */
#include "api/dashboards/dashboards.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

enum { DIRECTORY_MODE = 0700, FILE_MODE = 0600 };

static const struct str suffix = STR_INIT(".json");

int dashboards_init(struct dashboards *d, const char *directory)
{
	*d = (struct dashboards){0};
	pthread_mutex_init(&d->mu, NULL);
	if (!directory)
		return 0;
	d->directory = strdup(directory);
	return d->directory ? 0 : -ENOMEM;
}

void dashboards_fini(struct dashboards *d)
{
	free(d->directory);
	d->directory = NULL;
}

/* ---- names and paths ---- */

static bool is_alphanumeric(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_name(struct str name)
{
	if (!name.n || name.n > DASHBOARD_NAME_MAX || !is_alphanumeric(name.p[0]))
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (!is_alphanumeric(name.p[i]) && name.p[i] != '.' && name.p[i] != '_' &&
		    name.p[i] != '-')
			return false;
	return true;
}

int dashboard_name_check(struct str name, struct err *e)
{
	if (is_name(name))
		return 0;
	return err_set(e, -EINVAL,
		       "the name of a dashboard has to begin with a letter or digit and may have "
		       "%d of A-Z a-z 0-9 . _ -, got \"%.*s\"",
		       DASHBOARD_NAME_MAX, STR_ARG(str_head(name, 80)));
}

struct path {
	char text[PATH_MAX];
};

/* Set the directory of a tenant, whose name admission has checked. */
static int directory_of(const struct dashboards *d, struct str tenant, struct path *out,
			struct err *e)
{
	int n;

	if (!d->directory)
		return err_set(e, -EOPNOTSUPP,
			       "this server has no data directory and therefore no dashboards");
	if (memchr(tenant.n ? tenant.p : "", '/', tenant.n))
		return err_set(e, -EINVAL, "the tenant has a slash");
	n = snprintf(out->text, sizeof(out->text), "%s%s%.*s", d->directory, tenant.n ? "/@" : "",
		     STR_ARG(tenant));
	return n > 0 && (size_t)n < sizeof(out->text) ? 0 : -ENAMETOOLONG;
}

static int path_of(const struct dashboards *d, const struct dashboard_key *key, struct path *out,
		   struct err *e)
{
	struct path directory;
	int rc = dashboard_name_check(key->name, e), n;

	if (!rc)
		rc = directory_of(d, key->tenant, &directory, e);
	if (rc)
		return rc;
	n = snprintf(out->text, sizeof(out->text), "%s/%.*s.json", directory.text,
		     STR_ARG(key->name));
	return n > 0 && (size_t)n < sizeof(out->text) ? 0 : -ENAMETOOLONG;
}

static int fail(int rc, const char *doing, const struct dashboard_key *key, struct err *e)
{
	return err_set(e, rc, "cannot %s the dashboard \"%.*s\": %s", doing, STR_ARG(key->name),
		       strerror(-rc));
}

/* ---- reading ---- */

static void make_etag(struct str bytes, char etag[DASHBOARD_ETAG_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char digest[SHA256_DIGEST_LENGTH];

	SHA256((const unsigned char *)(bytes.n ? bytes.p : ""), bytes.n, digest);
	etag[0] = '"';
	for (size_t i = 0; i < 8; i++) {
		etag[1 + 2 * i] = digits[digest[i] >> 4];
		etag[2 + 2 * i] = digits[digest[i] & 15];
	}
	etag[17] = '"';
	etag[18] = 0;
}

static int read_whole(int fd, struct buf *out)
{
	size_t begin = out->n;

	for (;;) {
		size_t room = DASHBOARD_BYTES_MAX + 1 - (out->n - begin);
		char *to = buf_reserve(out, room);
		ssize_t n = to ? read(fd, to, room) : -1;

		if (!to)
			return -ENOMEM;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		out->n += (size_t)n;
		if (out->n - begin > DASHBOARD_BYTES_MAX)
			return -EFBIG;
		if (!n)
			return 0;
	}
}

int dashboards_read(struct dashboards *d, const struct dashboard_key *key, struct buf *out,
		    char etag[DASHBOARD_ETAG_SIZE], uint64_t *changed_ns, struct err *e)
{
	size_t begin = out->n;
	struct path path;
	struct stat st;
	int rc = path_of(d, key, &path, e), fd;

	if (rc)
		return rc;
	fd = open(path.text, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? err_set(e, -ENOENT, "there is no dashboard \"%.*s\"",
						 STR_ARG(key->name))
				       : fail(-errno, "open", key, e);
	rc = fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	if (!rc)
		rc = read_whole(fd, out);
	close(fd);
	if (rc)
		return rc == -ENOMEM ? rc : fail(rc, "read", key, e);
	make_etag(str_of(out->p + begin, out->n - begin), etag);
	*changed_ns = (uint64_t)st.st_mtim.tv_sec * NS_PER_SECOND + (uint64_t)st.st_mtim.tv_nsec;
	return 0;
}

/* ---- lists ---- */

struct name_list {
	char at[DASHBOARDS_MAX][DASHBOARD_NAME_MAX + 1];
	size_t n;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Collect the names of files that could be dashboards. Return 0 or -errno. */
static int collect(const char *directory, struct name_list *list)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;

	list->n = 0;
	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while (list->n < DASHBOARDS_MAX && (entry = readdir(dir))) {
		struct str name = str_from(entry->d_name);

		if (!str_ends(name, suffix))
			continue;
		name = str_head(name, name.n - suffix.n);
		if (!is_name(name))
			continue;
		memcpy(list->at[list->n], name.p, name.n);
		list->at[list->n++][name.n] = 0;
	}
	closedir(dir);
	qsort(list->at, list->n, sizeof(list->at[0]), compare_names);
	return 0;
}

int dashboards_list(struct dashboards *d, struct str tenant,
		    int (*each)(void *arg, struct str name), void *arg, struct err *e)
{
	struct name_list *list;
	struct path directory;
	int rc = directory_of(d, tenant, &directory, e);

	if (rc)
		return rc;
	list = malloc(sizeof(*list));
	if (!list)
		return -ENOMEM;
	rc = collect(directory.text, list);
	if (rc)
		err_errno(e, rc, "list the dashboards");
	for (size_t i = 0; i < list->n && !rc; i++)
		rc = each(arg, str_from(list->at[i]));
	free(list);
	return rc;
}

/* ---- changes, with the mutex held ---- */

/* Return whether an entity tag is among those of If-Match. */
static bool etag_matches(struct str condition, const char *etag)
{
	while (condition.n) {
		struct str one = str_trim(str_cut(&condition, ','));

		if (str_starts(one, STR("W/")))
			one = str_from_at(one, 2);
		if (str_eq(one, STR("*")) || str_eq(one, str_from(etag)))
			return true;
	}
	return false;
}

/* Check the conditions of a change; *exists: whether the dashboard does. */
static int check_conditions(struct dashboards *d, const struct dashboard_change *c, bool *exists,
			    struct err *e)
{
	char etag[DASHBOARD_ETAG_SIZE];
	struct buf old = {0};
	struct err why = {0};
	uint64_t changed;
	int rc = dashboards_read(d, &c->key, &old, etag, &changed, &why);

	buf_fini(&old);
	*exists = rc != -ENOENT;
	if (rc == -EFBIG) /* written by hand: it can be replaced, but matches no etag */
		etag[0] = 0;
	else if (rc && rc != -ENOENT)
		return err_set(e, rc, "%s", why.text);
	if (c->if_match.n && (!*exists || !etag_matches(c->if_match, etag)))
		return err_set(e, -ESTALE,
			       *exists ? "the dashboard \"%.*s\" was changed meanwhile by someone "
					 "else: load it again"
				       : "the dashboard \"%.*s\" was deleted meanwhile",
			       STR_ARG(c->key.name));
	if (c->if_none_match.n && *exists && etag_matches(c->if_none_match, etag))
		return err_set(e, -ESTALE, "there is a dashboard \"%.*s\" already",
			       STR_ARG(c->key.name));
	return 0;
}

static int sync_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	rc = fsync(fd) ? -errno : 0;
	close(fd);
	return rc;
}

static int make_directory(const char *path)
{
	struct path above;
	char *slash;

	if (mkdir(path, DIRECTORY_MODE))
		return errno == EEXIST ? 0 : -errno;
	snprintf(above.text, sizeof(above.text), "%s", path);
	slash = strrchr(above.text, '/');
	if (!slash || slash == above.text)
		return 0;
	*slash = 0;
	return sync_directory(above.text);
}

static int write_whole(int fd, struct str text)
{
	while (text.n) {
		ssize_t n = write(fd, text.p, text.n);

		if (n < 0 && errno != EINTR)
			return -errno;
		text = str_from_at(text, n > 0 ? (size_t)n : 0);
	}
	return fsync(fd) ? -errno : 0;
}

/* Write a temporary file and rename it. Its name is not that of a dashboard. */
static int replace_file(const char *directory, const char *path, struct str text)
{
	struct path temporary;
	int n = snprintf(temporary.text, sizeof(temporary.text), "%s/.new", directory), fd, rc;

	if (n < 0 || (size_t)n >= sizeof(temporary.text))
		return -ENAMETOOLONG;
	fd = open(temporary.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
	if (fd < 0)
		return -errno;
	rc = write_whole(fd, text);
	if (close(fd) && !rc)
		rc = -errno;
	if (!rc && rename(temporary.text, path))
		rc = -errno;
	if (rc)
		unlink(temporary.text);
	return rc ? rc : sync_directory(directory);
}

/* Fail if there is no room for another dashboard. */
static int check_count(const char *directory, struct err *e)
{
	struct name_list *list = malloc(sizeof(*list));
	int rc = list ? collect(directory, list) : -ENOMEM;

	if (!rc && list->n >= DASHBOARDS_MAX)
		rc = err_set(e, -EINVAL, "there are %d dashboards, which is the limit: delete some",
			     DASHBOARDS_MAX);
	free(list);
	return rc;
}

static int put_locked(struct dashboards *d, const struct dashboard_change *c, struct str document,
		      bool *created, struct err *e)
{
	struct path directory, path;
	bool exists;
	int rc = directory_of(d, c->key.tenant, &directory, e);

	if (!rc)
		rc = path_of(d, &c->key, &path, e);
	if (!rc)
		rc = check_conditions(d, c, &exists, e);
	if (!rc && !exists)
		rc = check_count(directory.text, e);
	if (!rc && c->log)
		rc = c->log(c->arg, e);
	if (rc)
		return rc;
	*created = !exists;
	rc = make_directory(d->directory);
	if (!rc && c->key.tenant.n)
		rc = make_directory(directory.text);
	if (!rc)
		rc = replace_file(directory.text, path.text, document);
	return rc ? fail(rc, "write", &c->key, e) : 0;
}

int dashboards_put(struct dashboards *d, const struct dashboard_change *c, struct str document,
		   char etag[DASHBOARD_ETAG_SIZE], bool *created, struct err *e)
{
	int rc;

	if (document.n > DASHBOARD_BYTES_MAX)
		return err_set(e, -EINVAL, "the dashboard has %zu bytes, more than %d", document.n,
			       DASHBOARD_BYTES_MAX);
	pthread_mutex_lock(&d->mu);
	rc = put_locked(d, c, document, created, e);
	pthread_mutex_unlock(&d->mu);
	make_etag(document, etag);
	return rc;
}

static int delete_locked(struct dashboards *d, const struct dashboard_change *c, struct err *e)
{
	struct path directory, path;
	bool exists;
	int rc = directory_of(d, c->key.tenant, &directory, e);

	if (!rc)
		rc = path_of(d, &c->key, &path, e);
	if (!rc)
		rc = check_conditions(d, c, &exists, e);
	if (!rc && !exists)
		rc = err_set(e, -ENOENT, "there is no dashboard \"%.*s\"", STR_ARG(c->key.name));
	if (!rc && c->log)
		rc = c->log(c->arg, e);
	if (rc)
		return rc;
	rc = unlink(path.text) ? -errno : sync_directory(directory.text);
	return rc ? fail(rc, "delete", &c->key, e) : 0;
}

int dashboards_delete(struct dashboards *d, const struct dashboard_change *c, struct err *e)
{
	int rc;

	pthread_mutex_lock(&d->mu);
	rc = delete_locked(d, c, e);
	pthread_mutex_unlock(&d->mu);
	return rc;
}
