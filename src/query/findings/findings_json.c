/* SPDX-License-Identifier: Apache-2.0 */
#include "query/findings/findings_json.h"

static void put_string_member(struct json_writer *w, const char *key, struct str value)
{
	json_put_key(w, str_from(key));
	json_put_string(w, value);
}

static void put_integer(struct json_writer *w, const char *key, int64_t value)
{
	json_put_key(w, str_from(key));
	json_put_i64(w, value);
}

static void put_function(struct json_writer *w, const struct frame_name *name)
{
	put_string_member(w, "name", name->text);
	put_string_member(w, "file", name->file);
	put_string_member(w, "module", name->module);
	put_integer(w, "line", name->line);
}

static void put_functions(struct json_writer *w, const struct finding *f, const struct tree *t)
{
	json_put_key(w, STR("functions"));
	json_open_array(w);
	for (uint32_t i = 0; i < f->function_n; i++) {
		json_open_object(w);
		put_function(w, &t->names.rows.at[f->functions[i]]);
		json_close_object(w);
	}
	json_close_array(w);
}

static void put_evidence(struct json_writer *w, const struct finding *f, const struct tree *t)
{
	put_string_member(w, "evidence_title", str_from(f->rule->evidence));
	json_put_key(w, STR("evidence"));
	json_open_array(w);
	for (uint32_t i = 0; i < f->evidence_n; i++) {
		json_open_object(w);
		put_function(w, &t->names.rows.at[f->evidence[i].name]);
		put_integer(w, "value", f->evidence[i].value);
		json_close_object(w);
	}
	json_close_array(w);
}

/* Put the parameters by which flame graphs show the frames. */
static int put_frames(struct json_writer *w, const struct finding *f, const struct tree *t,
		      struct str *path)
{
	uint32_t n = finding_path(t, f, path);
	struct buf focus = {0};
	int rc;

	put_integer(w, "frames", f->frames);
	json_put_key(w, STR("path"));
	json_open_array(w);
	for (uint32_t i = 0; i < n; i++)
		json_put_string(w, path[i]);
	json_close_array(w);
	put_integer(w, "path_value", f->node_value);
	finding_focus(&focus, t, f);
	rc = buf_error(&focus);
	put_string_member(w, "focus", buf_str(&focus));
	buf_fini(&focus);
	return rc;
}

static int put_finding(struct json_writer *w, const struct finding *f, const struct findings *all,
		       const struct tree *t, struct str *path)
{
	int rc;

	json_open_object(w);
	put_string_member(w, "rule", str_from(f->rule->name));
	put_string_member(w, "title", str_from(f->rule->title));
	put_string_member(w, "meaning", str_from(f->rule->meaning));
	put_string_member(w, "advice", str_from(f->rule->advice));
	put_string_member(w, "hint", str_from(f->hint ? f->hint : ""));
	put_integer(w, "value", f->value);
	json_put_key(w, STR("share"));
	json_put_double(w, (double)f->value / (double)all->total);
	json_put_key(w, STR("saves"));
	json_put_bool(w, f->rule->saves);
	put_functions(w, f, t);
	put_evidence(w, f, t);
	rc = put_frames(w, f, t, path);
	json_close_object(w);
	return rc;
}

int findings_put_json(struct json_writer *w, const struct findings *f, struct tree *t)
{
	struct str *path = arena_zalloc(&t->arena, FINDING_PATH_MAX, sizeof(*path));
	int rc = path ? 0 : -ENOMEM;

	put_integer(w, "rules", f->rules);
	json_put_key(w, STR("samples"));
	json_put_double(w, f->samples);
	json_put_key(w, STR("findings"));
	json_open_array(w);
	for (uint32_t i = 0; i < f->rows.n && !rc; i++)
		rc = put_finding(w, &f->rows.at[i], f, t, path);
	json_close_array(w);
	return rc;
}
