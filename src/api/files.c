/* SPDX-License-Identifier: Apache-2.0 */
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

/* With its bytes, not decoded, not listed, in use once. */
static int file_new(struct file **out, struct files *f, const struct request *r, struct str name)
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

static int decode(struct files *f, struct file *file, struct err *e)
{
	int rc = profile_batch_init(&file->batch, f->budget);

	file->store = (struct batch_store){0};
	file->decoded = true; /* as far as it comes: there is something to forget */
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

static int make_decoded(struct files *f, struct file *file, struct err *e)
{
	int rc = 0;

	pthread_mutex_lock(&file->mu);
	if (!file->decoded)
		rc = decode(f, file, e);
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

/* ---- all of them; files.mu is held ---- */

static struct file *take_out(struct files *f, struct file **link)
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

/* It goes now, or when its last user does. */
static void unlist(struct files *f, struct file **link)
{
	struct file *file = take_out(f, link);

	if (!file->users)
		file_free(f, file);
}

static void list_first(struct files *f, struct file *file)
{
	file->next = f->list;
	file->listed = true;
	f->list = file;
	f->used += file->bytes.n;
	f->count++;
}

/* Where it hangs in the list, or NULL. */
static struct file **find(struct files *f, struct str tenant, const uint8_t id[FILE_ID_SIZE])
{
	for (struct file **at = &f->list; *at; at = &(*at)->next)
		if (memcmp((*at)->id, id, FILE_ID_SIZE) == 0 && str_eq((*at)->tenant, tenant))
			return at;
	return NULL;
}

static void let_go(struct files *f)
{
	while (f->list && f->list->next && (f->used > f->limit || f->count > FILES_MAX)) {
		struct file **last = &f->list->next; /* never the first */

		while ((*last)->next)
			last = &(*last)->next;
		unlist(f, last);
	}
}

/* ---- for users ---- */

int files_put(struct files *f, const struct request *r, struct str name,
	      const struct format *wanted, struct file **out, struct err *e)
{
	struct file *file = NULL, **same;
	int rc = file_new(&file, f, r, name);

	if (!rc) {
		file->format = wanted;
		rc = decode(f, file, e);
	}
	if (rc) {
		file_free(f, file);
		return rc;
	}
	pthread_mutex_lock(&f->mu);
	same = find(f, file->tenant, file->id);
	if (same) /* it may have another name now */
		unlist(f, same);
	list_first(f, file);
	let_go(f);
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
	at = find(f, r->tenant, id);
	if (at) {
		file = take_out(f, at); /* to the front */
		file->users++;
		list_first(f, file);
	}
	pthread_mutex_unlock(&f->mu);
	if (!file)
		return err_set(e, -ENOENT,
			       "the file is no longer in the server's memory: open it again");
	rc = make_decoded(f, file, e);
	if (rc)
		files_release(f, file);
	else
		*out = file;
	return rc;
}

/* The last user leaves: it stays decoded, instead of the one that did before, unless it is large. */
static void cool_down(struct files *f, struct file *file)
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
			cool_down(f, file);
		else
			file_free(f, file);
	}
	pthread_mutex_unlock(&f->mu);
}

void files_fini(struct files *f)
{
	while (f->list)
		unlist(f, &f->list);
	pthread_mutex_destroy(&f->mu);
}
