/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /api/v1/files: open a profile of any format without storing it (POST), or describe an opened file
 * (GET, id=ID). Other endpoints accept the id as `file`.
 */
#include "api/files.h"

#include "api/varve/json_fields.h"
#include "api/varve/lists.h"
#include "api/varve/varve.h"

static int open_body(struct request *r, struct file **out, struct err *e)
{
	const struct format *wanted = NULL;
	struct str format, name = {0};
	int rc = request_param(r, "format", &format, e);

	if (!rc)
		rc = request_param(r, "name", &name, e);
	if (!rc && format.n && !(wanted = format_by_name(format)))
		rc = err_set(e, -EINVAL, "format: unknown format \"%.*s\"",
			     STR_ARG(str_head(format, 40)));
	if (!rc && !r->body.n)
		rc = err_set(e, -EINVAL, "expected a profile, found an empty body");
	return rc ? rc : files_put(r->files, r, name, wanted, out, e);
}

static int put_file(struct reply *out, const struct file *file, struct request *r, struct err *e)
{
	struct store *store = (struct store *)&file->store.store;
	struct store_select all = {.to = UINT64_MAX, .limits = r->limits};
	struct store_stats stats;
	struct label_list types = {0};
	struct json_writer w;
	int rc = label_values_of(&types, store, &all, STR("__profile_type__"), r->arena, e);

	if (!rc)
		rc = store->ops->stats(store, (struct str){0}, &stats, e);
	if (rc)
		return rc;
	w = answer_open(out, NULL);
	put_hex(&w, "id", file->id, sizeof(file->id));
	put_text(&w, "name", file->name);
	put_text(&w, "format", str_from(file->format->name));
	put_u64(&w, "bytes", file->bytes.n);
	put_ms(&w, "from", file->store.first);
	put_ms(&w, "to", file->store.end);
	put_u64(&w, "profiles", file->batch.profiles.n);
	put_u64(&w, "samples", stats.samples);
	put_text(&w, "type", file_default_type(file));
	put_types(&w, &types);
	return view_close(&w);
}

int varve_files(struct request *r, struct reply *out, struct err *e)
{
	struct file *file = NULL;
	struct str id;
	int rc = request_param(r, "id", &id, e);

	if (!rc && !r->files)
		rc = err_set(e, -EOPNOTSUPP, "files are not supported by this server");
	if (!rc)
		rc = id.n ? files_open(r->files, r, id, &file, e) : open_body(r, &file, e);
	if (!rc)
		rc = put_file(out, file, r, e);
	files_release(r->files, file);
	return rc;
}
