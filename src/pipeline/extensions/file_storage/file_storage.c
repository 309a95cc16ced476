/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector's file_storage keeps a database file; ours is only the directory, because the
 * components that use it have file formats of their own. Options that tune the database are
 * accepted and have no effect: writes are synced before they are acknowledged in any case, and
 * files are deleted as soon as nothing in them is needed.
 */
#include "pipeline/extensions/file_storage/file_storage.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "seal/key_ring.h"

struct compaction_settings {
	struct str directory;
	bool on_start, on_rebound, cleanup_on_start;
	int64_t needed_mib, trigger_mib, transaction_size;
	uint64_t check_interval_ns;
};

struct storage_settings {
	struct str directory, permissions, key_file;
	uint64_t timeout_ns, max_size;
	bool fsync, create, recreate, has_compaction;
	struct compaction_settings compaction;
};

struct file_storage {
	char *directory;
	struct key_ring *keys; /* NULL: files are not encrypted */
};

enum { PERMISSIONS_MAX = 07777 };

/* Parse octal permissions. Return 0 or -EINVAL. */
static int parse_permissions(struct str text, mode_t *out)
{
	mode_t mode = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '7' || mode > PERMISSIONS_MAX)
			return -EINVAL;
		mode = mode * 8 + (mode_t)(text.p[i] - '0');
	}
	*out = mode;
	return text.n && mode <= PERMISSIONS_MAX ? 0 : -EINVAL;
}

static int storage_check(const void *settings, struct err *e)
{
	const struct storage_settings *s = settings;
	mode_t mode;

	if (!s->directory.n)
		return err_set(e, -EINVAL, "\"directory\" must not be empty");
	if (parse_permissions(s->permissions, &mode))
		return err_set(e, -EINVAL,
			       "\"directory_permissions\" has to be octal, such as \"0750\", found "
			       "\"%.*s\"",
			       STR_ARG(str_head(s->permissions, 32)));
	return 0;
}

/* Create the directory and those above it, like mkdir -p. Return 0 or -errno. */
static int make_directories(char *path, mode_t mode)
{
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = 0;
		if (mkdir(path, mode) && errno != EEXIST) {
			*at = '/';
			return -errno;
		}
		*at = '/';
	}
	return mkdir(path, mode) && errno != EEXIST ? -errno : 0;
}

static int check_directory(const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st))
		return err_set(e, -ENOENT,
			       "directory must exist: %s; create it, or set create_directory: true",
			       path);
	if (!S_ISDIR(st.st_mode))
		return err_set(e, -ENOTDIR, "%s is not a directory", path);
	if (access(path, W_OK | X_OK))
		return err_set(e, -errno, "directory %s is not writable: %s", path,
			       strerror(errno));
	return 0;
}

static void storage_destroy(void *instance)
{
	struct file_storage *x = instance;

	key_ring_unref(x->keys);
	free(x->directory);
	free(x);
}

static int storage_create(void **instance, const struct component_env *env, const void *settings,
			  struct err *e)
{
	const struct storage_settings *s = settings;
	struct file_storage *x = calloc(1, sizeof(*x));
	mode_t mode = 0;
	int rc = -ENOMEM;

	if (!x)
		return err_errno(e, rc, "file_storage");
	x->directory = strndup(s->directory.p, s->directory.n);
	if (x->directory)
		rc = parse_permissions(s->permissions, &mode);
	if (!rc && s->create) {
		rc = make_directories(x->directory, mode);
		if (rc)
			err_set(e, rc, "create directory %s: %s", x->directory, strerror(-rc));
	}
	if (!rc)
		rc = check_directory(x->directory, e);
	if (!rc && s->key_file.n) {
		rc = key_ring_open(&x->keys, s->key_file.p, env->log, e);
		if (rc)
			err_prefix(e, "\"encrypt_key_file\"");
	}
	if (rc) {
		storage_destroy(x);
		return rc;
	}
	*instance = x;
	return 0;
}

static const char *storage_directory(const void *instance)
{
	return ((const struct file_storage *)instance)->directory;
}

static struct key_ring *storage_keys(const void *instance)
{
	return ((const struct file_storage *)instance)->keys;
}

static const struct setting compaction_settings[] = {
	SET_BOOL(struct compaction_settings, on_start, "on_start", "false", "No effect."),
	SET_BOOL(struct compaction_settings, on_rebound, "on_rebound", "false", "No effect."),
	SET_STRING(struct compaction_settings, directory, "directory", "", "No effect."),
	SET_INT(struct compaction_settings, needed_mib, "rebound_needed_threshold_mib", "100", 0,
		INT64_MAX, "MiB", "No effect."),
	SET_INT(struct compaction_settings, trigger_mib, "rebound_trigger_threshold_mib", "10", 0,
		INT64_MAX, "MiB", "No effect."),
	SET_INT(struct compaction_settings, transaction_size, "max_transaction_size", "65536", 0,
		INT64_MAX, "items", "No effect."),
	SET_DURATION(struct compaction_settings, check_interval_ns, "check_interval", "5s",
		     "No effect."),
	SET_BOOL(struct compaction_settings, cleanup_on_start, "cleanup_on_start", "false",
		 "No effect."),
	SET_END,
};

static const struct setting settings[] = {
	SET_STRING(struct storage_settings, directory, "directory", "/var/lib/otelcol/file_storage",
		   "Directory of the files; it has to exist unless create_directory is set."),
	SET_BOOL(struct storage_settings, create, "create_directory", "false",
		 "Create the directory if it does not exist."),
	SET_STRING(struct storage_settings, permissions, "directory_permissions", "0750",
		   "Permissions of a created directory, in octal."),
	SET_STRING(struct storage_settings, key_file, "encrypt_key_file", "",
		   "File or directory of master keys: what is written from now on is encrypted; "
		   "empty: nothing is."),
	SET_DURATION(struct storage_settings, timeout_ns, "timeout", "1s",
		     "No effect: there is no lock to wait for."),
	SET_BOOL(struct storage_settings, fsync, "fsync", "false",
		 "No effect: writes are always synced before they are acknowledged."),
	SET_BOOL(struct storage_settings, recreate, "recreate", "false",
		 "No effect: damaged records are skipped, the others are kept."),
	SET_BYTES(struct storage_settings, max_size, "max_size", "0", "No effect."),
	SET_GROUP(struct storage_settings, compaction, "compaction", compaction_settings,
		  has_compaction, "No effect: files are deleted when they are not needed."),
	SET_END,
};

const struct component file_storage_extension = {
	.name = "file_storage",
	.kind = COMPONENT_EXTENSION,
	.help = "A directory in which queues and offsets survive a restart.",
	.settings = settings,
	.settings_size = sizeof(struct storage_settings),
	.check = storage_check,
	.create = storage_create,
	.directory = storage_directory,
	.keys = storage_keys,
	.destroy = storage_destroy,
};
