/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of Prometheus' API: labels, values, series, metadata. */
#include <errno.h>

#include "api/prometheus/prometheus_profiles.h"
#include "api/prometheus/prometheus_request.h"

/* ---- labels ---- */

struct text_output {
	struct json_writer w;
	struct profile_texts profiles; /* merged with those of the store */
	uint32_t next_profile;
	uint64_t n, limit;
	bool cut;
};

static int put_one_text(struct text_output *o, struct str text)
{
	if (o->limit && o->n == o->limit) {
		o->cut = true;
		return -ECANCELED;
	}
	json_put_string(&o->w, text);
	o->n++;
	return 0;
}

/* Put the texts of profiles before `text`; NULL: all. */
static int put_profile_texts(struct text_output *o, const struct str *text)
{
	int rc = 0;

	while (o->next_profile < o->profiles.list.n && !rc) {
		struct str next = o->profiles.list.at[o->next_profile];

		if (text && str_cmp(next, *text) > 0)
			break;
		if (!text || !str_eq(next, *text))
			rc = put_one_text(o, next);
		o->next_profile++;
	}
	return rc;
}

static int put_text_value(void *ctx, struct str text)
{
	struct text_output *o = ctx;
	int rc = put_profile_texts(o, &text);

	return rc ? rc : put_one_text(o, text);
}

static int list_texts(struct request *r, struct reply *out, struct str name, struct err *e)
{
	const struct store_metric_ops *ops = prometheus_store(r, e);
	struct prometheus_selection s = {0};
	struct text_output o = {0};
	int rc = ops ? prometheus_selection_read(&s, r, e) : -EOPNOTSUPP;

	if (!rc)
		rc = prometheus_profile_texts(&o.profiles, r, &s, name, e);
	if (!rc) {
		o.w = prometheus_open(out);
		o.limit = s.limit;
		json_open_array(&o.w);
		rc = ops->texts(r->store, &s.select, name, put_text_value, &o, e);
		if (!rc)
			rc = put_profile_texts(&o, NULL);
		if (o.cut)
			rc = 0;
		json_close_array(&o.w);
	}
	if (!rc)
		rc = prometheus_close(&o.w, r, o.cut);
	prometheus_selection_fini(&s);
	return rc;
}

int prometheus_labels(struct request *r, struct reply *out, struct err *e)
{
	return list_texts(r, out, STR(""), e);
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Append a character as UTF-8. */
static void put_utf8(struct buf *out, uint32_t c)
{
	if (c < 0x80) {
		buf_put_char(out, (char)c);
		return;
	}
	if (c >= 0x10000)
		buf_put_char(out, (char)(0xf0 | c >> 18));
	if (c >= 0x800)
		buf_put_char(out, (char)(c >= 0x10000 ? 0x80 | (c >> 12 & 0x3f) : 0xe0 | c >> 12));
	buf_put_char(out, (char)(c >= 0x800 ? 0x80 | (c >> 6 & 0x3f) : 0xc0 | c >> 6));
	buf_put_char(out, (char)(0x80 | (c & 0x3f)));
}

/* Decode a name that is escaped as "U__a_2e_b": "__" is an underscore, "_2e_" a character. */
static int unescape_name(struct str *name, struct arena *a)
{
	struct buf out = {0};
	size_t i = 3;
	int rc;

	if (!str_starts(*name, STR("U__")))
		return 0;
	while (i < name->n) {
		uint32_t c = 0;

		if (name->p[i] != '_') {
			buf_put_char(&out, name->p[i++]);
			continue;
		}
		if (++i < name->n && name->p[i] == '_') {
			buf_put_char(&out, '_');
			i++;
			continue;
		}
		for (; i < name->n && hex_value(name->p[i]) >= 0 && c < 0x110000; i++)
			c = c * 16 + (uint32_t)hex_value(name->p[i]);
		if (i == name->n || name->p[i++] != '_' || !c || c >= 0x110000) {
			buf_fini(&out);
			return 0; /* not escaped: there is no such label */
		}
		put_utf8(&out, c);
	}
	rc = buf_error(&out);
	if (!rc)
		rc = arena_copy_str(a, buf_str(&out), name);
	buf_fini(&out);
	return rc;
}

/* /api/v1/label/NAME/values: the path is decoded already. */
int prometheus_label_values(struct request *r, struct reply *out, struct err *e)
{
	static const struct str before = STR_INIT("/label/"), after = STR_INIT("/values");
	struct str path = r->sender ? r->sender->path : STR("");
	struct str name = str_from_at(path, str_find_str(path, before) + before.n);
	int rc;

	if (!str_ends(name, after) || name.n == after.n)
		return err_set(e, -ENOENT, "expected the path " PROMETHEUS_API "label/NAME/values");
	name = str_head(name, name.n - after.n);
	rc = unescape_name(&name, r->arena);
	return rc ? rc : list_texts(r, out, name, e);
}

/* ---- series ---- */

static int put_series(struct json_writer *w, const struct store_metric_ops *ops,
		      struct store_metric_cursor *c, uint64_t limit, uint64_t *n, bool *cut,
		      struct err *e)
{
	struct store_metric_series s;
	int rc;

	while ((rc = ops->next(c, &s, e)) > 0) {
		if (limit && *n == limit) {
			*cut = true;
			return 0;
		}
		(*n)++;
		json_open_object(w);
		for (uint32_t i = 0; i < s.label_count; i++) {
			json_put_key(w, s.labels[i].name);
			json_put_string(w, s.labels[i].value);
		}
		json_close_object(w);
	}
	return rc;
}

int prometheus_series(struct request *r, struct reply *out, struct err *e)
{
	const struct store_metric_ops *ops = prometheus_store(r, e);
	struct store_metric_cursor *c = NULL;
	struct prometheus_selection s = {0};
	struct json_writer w;
	uint64_t n = 0;
	bool cut = false;
	int rc = ops ? prometheus_selection_read(&s, r, e) : -EOPNOTSUPP;

	if (!rc && !s.selector_count)
		rc = err_set(e, -EINVAL, "no match[] parameter provided");
	if (!rc)
		rc = ops->open(r->store, &s.select, &c, e);
	if (!rc) {
		w = prometheus_open(out);
		json_open_array(&w);
		rc = put_series(&w, ops, c, s.limit, &n, &cut, e);
		if (!rc && !cut)
			rc = prometheus_put_profile_series(&w, r, &s, &n, &cut, e);
		json_close_array(&w);
		if (!rc)
			rc = prometheus_close(&w, r, cut);
	}
	if (c)
		ops->close(c);
	prometheus_selection_fini(&s);
	return rc;
}

/* ---- metadata ---- */

struct family_output {
	struct json_writer w;
	struct str only; /* the name of the only metric; empty: all */
	uint64_t n, limit;
};

static int put_family(void *ctx, const struct metric_metadata *m)
{
	struct family_output *o = ctx;

	if ((o->only.n && !str_eq(o->only, m->name)) || (o->limit && o->n == o->limit))
		return 0;
	o->n++;
	json_put_key(&o->w, m->name);
	json_open_array(&o->w);
	json_open_object(&o->w);
	json_put_key(&o->w, STR("type"));
	json_put_string(&o->w, str_from(metric_type_names[m->type]));
	json_put_key(&o->w, STR("help"));
	json_put_string(&o->w, m->help);
	json_put_key(&o->w, STR("unit"));
	json_put_string(&o->w, m->unit);
	json_close_object(&o->w);
	json_close_array(&o->w);
	return 0;
}

int prometheus_metadata(struct request *r, struct reply *out, struct err *e)
{
	enum { DAY_MS = 86400000 };
	const struct store_metric_ops *ops = prometheus_store(r, e);
	struct store_metric_select select = {.tenant = r->tenant, .limits = r->limits};
	struct family_output o = {0};
	uint64_t per_metric;
	int rc = ops ? 0 : -EOPNOTSUPP;

	select.to = (int64_t)(r->now_ns / 1000000);
	select.from = select.to - DAY_MS;
	if (!rc)
		rc = prometheus_read_form(r);
	if (!rc)
		rc = request_param(r, "metric", &o.only, e);
	if (!rc)
		rc = request_u64(r, "limit", 0, &o.limit, e);
	if (!rc) /* the store has one description of each metric */
		rc = request_u64(r, "limit_per_metric", 0, &per_metric, e);
	if (rc)
		return rc;
	o.w = prometheus_open(out);
	json_open_object(&o.w);
	rc = ops->families(r->store, &select, put_family, &o, e);
	if (!rc)
		rc = prometheus_profile_families(r, select.from, select.to, put_family, &o, e);
	json_close_object(&o.w);
	return rc ? rc : prometheus_close(&o.w, r, false);
}
