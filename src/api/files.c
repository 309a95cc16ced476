/* SPDX-License-Identifier: Apache-2.0 */
/* Opened files: an LRU list of original bytes, decoded on demand. */
#include "api/files.h"

#include <openssl/sha.h>
#include <stdlib.h>

#include "signal/sample_type.h"
#include "wire/text.h"

void files_init(struct files *f, struct budget *budget, size_t limit)
{
	*f = (struct files){.budget = budget, .limit = limit};
	pthread_mutex_init(&f->mu, NULL);
}

/* ---- one file ---- */

static void forget_decoded(struct file *file)
{
	if (!file->decoded)
		return;
	batch_store_fini(&file->store);
	profile_batch_fini(&file->batch);
	file->map = (struct series_map){0};
	file->decoded = false;
}

static void file_free(struct files *f, struct file *file)
{
	if (!file)
		return;
	forget_decoded(file);
	if (file->bytes.p)
		budget_give(f->budget, file->bytes.n);
	free((char *)file->bytes.p);
	arena_fini(&file->text);
	pthread_mutex_destroy(&file->mu);
	free(file);
}

/* Create a file from the request's body: not decoded, not listed, with one user. */
static int new_file(struct file **out, struct files *f, const struct request *r, struct str name)
{
	struct file *file = calloc(1, sizeof(*file));
	uint8_t digest[SHA256_DIGEST_LENGTH];
	char *bytes = NULL;
	int rc = file ? 0 : -ENOMEM;

	if (!rc) {
		pthread_mutex_init(&file->mu, NULL);
		arena_init(&file->text, f->budget);
		file->users = 1;
		file->received = r->now_ns;
		rc = arena_copy_str(&file->text, r->tenant, &file->tenant);
	}
	if (!rc)
		rc = arena_copy_str(&file->text, name, &file->name);
	if (!rc && !budget_take(f->budget, r->body.n))
		rc = -ENOMEM;
	if (!rc && !(bytes = malloc(r->body.n))) {
		budget_give(f->budget, r->body.n);
		rc = -ENOMEM;
	}
	if (!rc) {
		memcpy(bytes, r->body.p, r->body.n);
		file->bytes = str_of(bytes, r->body.n);
		SHA256((const unsigned char *)bytes, r->body.n, digest);
		memcpy(file->id, digest, sizeof(file->id));
		*out = take_ptr(&file);
	}
	file_free(f, file);
	return rc;
}

static int decode_opened(struct files *f, struct file *file, struct err *e)
{
	int rc = profile_batch_init(&file->batch, f->budget);

	file->store = (struct batch_store){0};
	file->decoded = true; /* also if decoding fails: forget_decoded() frees a partial batch */
	if (!rc)
		rc = format_decode(&file->batch, file->bytes, file->format, file->name,
				   &(struct decode_options){0}, &file->format, e);
	if (!rc)
		rc = series_map_init(&file->map, &file->batch, &series_limits_default,
				     &file->batch.arena);
	if (!rc && file->map.refused.n && !file->map.series.n)
		rc = err_set(e, -EINVAL, "%.*s", STR_ARG(file->map.refused.at[0].reason));
	if (!rc)
		rc = batch_store_init(&file->store, &file->batch, &file->map, file->received,
				      f->budget);
	if (rc)
		forget_decoded(file);
	return rc;
}

static int ensure_decoded(struct files *f, struct file *file, struct err *e)
{
	int rc = 0;

	pthread_mutex_lock(&file->mu);
	if (!file->decoded)
		rc = decode_opened(f, file, e);
	pthread_mutex_unlock(&file->mu);
	return rc;
}

struct str file_default_type(const struct file *file)
{
	struct sample_type type;

	if (sample_type_pick(&type, &file->batch, (struct str){0}, false, NULL))
		return (struct str){0};
	for (uint32_t i = 0; i < file->map.series.n; i++) {
		const struct series *s = &file->map.series.at[i];

		if (sample_type_is(&file->batch, &file->batch.profiles.at[s->profile], type))
			return label_set_get(s->labels, STR("__profile_type__"));
	}
	return (struct str){0};
}

/* ---- the list; files.mu is held ---- */

static struct file *detach_file(struct files *f, struct file **link)
{
	struct file *file = *link;

	*link = file->next;
	file->listed = false;
	f->used -= file->bytes.n;
	f->count--;
	if (f->warm == file)
		f->warm = NULL;
	return file;
}

/* Remove a file from the list. It is freed now, or by its last user. */
static void drop_file(struct files *f, struct file **link)
{
	struct file *file = detach_file(f, link);

	if (!file->users)
		file_free(f, file);
}

static void list_file(struct files *f, struct file *file)
{
	file->next = f->list;
	file->listed = true;
	f->list = file;
	f->used += file->bytes.n;
	f->count++;
}

/* Return the link to the file in the list, or NULL. */
static struct file **find_file_link(struct files *f, struct str tenant,
				    const uint8_t id[FILE_ID_SIZE])
{
	for (struct file **at = &f->list; *at; at = &(*at)->next)
		if (memcmp((*at)->id, id, FILE_ID_SIZE) == 0 && str_eq((*at)->tenant, tenant))
			return at;
	return NULL;
}

/* Evict files beyond the limits, least recently used first. */
static void evict_files(struct files *f)
{
	while (f->list && f->list->next && (f->used > f->limit || f->count > FILES_MAX)) {
		struct file **last = &f->list->next; /* never the first */

		while ((*last)->next)
			last = &(*last)->next;
		drop_file(f, last);
	}
}

/* ---- for users ---- */

int files_put(struct files *f, const struct request *r, struct str name,
	      const struct format *wanted, struct file **out, struct err *e)
{
	struct file *file = NULL, **same;
	int rc = new_file(&file, f, r, name);

	if (!rc) {
		file->format = wanted;
		rc = decode_opened(f, file, e);
	}
	if (rc) {
		file_free(f, file);
		return rc;
	}
	pthread_mutex_lock(&f->mu);
	same = find_file_link(f, file->tenant, file->id);
	if (same) /* replace it: the name may differ */
		drop_file(f, same);
	list_file(f, file);
	evict_files(f);
	pthread_mutex_unlock(&f->mu);
	*out = file;
	return 0;
}

int files_open(struct files *f, const struct request *r, struct str text, struct file **out,
	       struct err *e)
{
	uint8_t id[FILE_ID_SIZE];
	struct file *file = NULL, **at;
	size_t n;
	int rc;

	if (hex_decode(text, id, sizeof(id), &n) || n != sizeof(id))
		return err_set(e, -EINVAL, "file: expected %d hex digits, found \"%.*s\"",
			       2 * FILE_ID_SIZE, STR_ARG(str_head(text, 60)));
	pthread_mutex_lock(&f->mu);
	at = find_file_link(f, r->tenant, id);
	if (at) {
		file = detach_file(f, at); /* move to the front */
		file->users++;
		list_file(f, file);
	}
	pthread_mutex_unlock(&f->mu);
	if (!file)
		return err_set(e, -ENOENT,
			       "the file is no longer in the server's memory: open it again");
	rc = ensure_decoded(f, file, e);
	if (rc)
		files_release(f, file);
	else
		*out = file;
	return rc;
}

/* After its last use, keep a file decoded in place of the previous one, unless it is large. */
static void keep_warm(struct files *f, struct file *file)
{
	if (f->warm)
		forget_decoded(f->warm);
	f->warm = NULL;
	if (file->decoded && arena_bytes(&file->batch.arena) <= f->limit)
		f->warm = file;
	else
		forget_decoded(file);
}

void files_release(struct files *f, struct file *file)
{
	if (!file)
		return;
	pthread_mutex_lock(&f->mu);
	if (!--file->users) {
		if (file->listed)
			keep_warm(f, file);
		else
			file_free(f, file);
	}
	pthread_mutex_unlock(&f->mu);
}

void files_fini(struct files *f)
{
	while (f->list)
		drop_file(f, &f->list);
	pthread_mutex_destroy(&f->mu);
}
