/* SPDX-License-Identifier: Apache-2.0 */
/* Labels that begin with __ are for relabelling only; the address, path and times are among them. */
#include "pipeline/receivers/prometheus/target_spec.h"

#include <ctype.h>
#include <errno.h>

#include "base/clock.h"
#include "config/values.h"

static const struct str param_prefix = STR_INIT("__param_");

int target_label_default(struct prom_labels *l, struct arena *arena, struct str name,
			 struct str value)
{
	return prom_labels_get(l, name).n ? 0 : prom_labels_set(l, arena, name, value);
}

static int duration_label(struct prom_labels *l, struct arena *arena, struct str name, uint64_t ns)
{
	struct str text;
	int rc = arena_printf(arena, &text, "%llums", (unsigned long long)(ns / NS_PER_MS));

	return rc ? rc : target_label_default(l, arena, name, text);
}

static int param_labels(struct prom_labels *l, const struct scrape_config *c, struct arena *arena)
{
	int rc = 0;

	for (uint32_t i = 0; i < c->params.n && !rc; i++) {
		const struct scrape_param *p = &c->params.at[i];
		struct str name;

		if (!p->values.n)
			continue;
		rc = arena_printf(arena, &name, "__param_%.*s", STR_ARG(p->name));
		if (!rc)
			rc = target_label_default(l, arena, name, p->values.at[0]);
	}
	return rc;
}

int target_labels_discover(struct prom_labels *l, const struct scrape_config *c,
			   const struct discovered_target *found, struct arena *arena)
{
	int rc = prom_labels_set(l, arena, STR("__address__"), found->address);

	for (uint32_t i = 0; i < found->labels.n && !rc; i++)
		rc = prom_labels_set(l, arena, found->labels.at[i].name, found->labels.at[i].value);
	if (!rc && found->file.n)
		rc = prom_labels_set(l, arena, STR("__meta_filepath"), found->file);
	if (!rc)
		rc = target_label_default(l, arena, STR("job"), c->job_name);
	if (!rc)
		rc = target_label_default(l, arena, STR("__metrics_path__"), c->metrics_path);
	if (!rc)
		rc = target_label_default(l, arena, STR("__scheme__"), c->scheme);
	if (!rc)
		rc = duration_label(l, arena, STR("__scrape_interval__"), c->interval_ns);
	if (!rc)
		rc = duration_label(l, arena, STR("__scrape_timeout__"), c->timeout_ns);
	return rc ? rc : param_labels(l, c, arena);
}

/* ---- URL ---- */

static void put_escaped(struct buf *out, struct str text)
{
	static const char hex[] = "0123456789ABCDEF";

	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (isalnum(c) || (c && strchr("-_.~", c))) {
			buf_put_char(out, (char)c);
			continue;
		}
		buf_put_char(out, '%');
		buf_put_char(out, hex[c >> 4]);
		buf_put_char(out, hex[c & 15]);
	}
}

static void put_param(struct buf *out, bool *first, struct str name, struct str value)
{
	buf_put_char(out, *first ? '?' : '&');
	*first = false;
	put_escaped(out, name);
	buf_put_char(out, '=');
	put_escaped(out, value);
}

/* The parameters: those of labels, and further values of configured ones. */
static void put_params(struct buf *out, const struct scrape_config *c, const struct prom_labels *l)
{
	bool first = true;

	for (uint32_t i = 0; i < l->list.n; i++) {
		struct str name = l->list.at[i].name;

		if (!str_starts(name, param_prefix))
			continue;
		name = str_from_at(name, param_prefix.n);
		put_param(out, &first, name, l->list.at[i].value);
		for (uint32_t k = 0; k < c->params.n; k++)
			for (uint32_t v = 1; v < c->params.at[k].values.n; v++)
				if (str_eq(c->params.at[k].name, name))
					put_param(out, &first, name, c->params.at[k].values.at[v]);
	}
}

int target_url_make(struct target_spec *out, const struct scrape_config *c,
		    const struct prom_labels *l, struct str path, struct arena *arena,
		    struct err *e)
{
	struct str address = prom_labels_get(l, STR("__address__"));
	struct buf url = {0};
	int rc;

	out->scheme = prom_labels_get(l, STR("__scheme__"));
	if (!address.n)
		return err_set(e, -EINVAL, "a target has no address");
	if (str_find(address, '/') < address.n || str_find(address, '@') < address.n)
		return err_set(e, -EINVAL, "\"%.*s\" is not a valid address: write host:port",
			       STR_ARG(str_head(address, 100)));
	for (size_t i = 0; i < address.n + path.n; i++)
		if ((unsigned char)(i < address.n ? address.p[i] : path.p[i - address.n]) <= ' ')
			return err_set(e, -EINVAL, "address or path with a blank: \"%.*s\"",
				       STR_ARG(str_head(address, 100)));
	if (!str_eq(out->scheme, STR("http")) && !str_eq(out->scheme, STR("https")))
		return err_set(e, -EINVAL, "invalid scheme \"%.*s\" of target %.*s",
			       STR_ARG(str_head(out->scheme, 20)), STR_ARG(str_head(address, 100)));
	buf_put_str(&url, out->scheme);
	buf_put_str(&url, STR("://"));
	buf_put_str(&url, address);
	if (!path.n || path.p[0] != '/')
		buf_put_char(&url, '/');
	buf_put_str(&url, path);
	put_params(&url, c, l);
	rc = buf_error(&url);
	if (!rc)
		rc = arena_copy_str(arena, buf_str(&url), &out->url);
	buf_fini(&url);
	return rc;
}

/* ---- the rest ---- */

int target_times_read(struct target_spec *out, const struct prom_labels *l, struct err *e)
{
	struct str interval = prom_labels_get(l, STR("__scrape_interval__"));
	struct str timeout = prom_labels_get(l, STR("__scrape_timeout__"));

	if (setting_parse_duration(interval, &out->interval_ns) || out->interval_ns < NS_PER_MS)
		return err_set(e, -EINVAL, "invalid scrape interval \"%.*s\" of a target",
			       STR_ARG(str_head(interval, 40)));
	if (setting_parse_duration(timeout, &out->timeout_ns) || !out->timeout_ns)
		return err_set(e, -EINVAL, "invalid scrape timeout \"%.*s\" of a target",
			       STR_ARG(str_head(timeout, 40)));
	if (out->timeout_ns > out->interval_ns)
		return err_set(e, -EINVAL,
			       "scrape timeout \"%.*s\" of a target is greater than its interval",
			       STR_ARG(str_head(timeout, 40)));
	return 0;
}

int target_labels_keep(struct target_spec *out, const struct prom_labels *l, struct arena *arena)
{
	int rc = 0;

	for (uint32_t i = 0; i < l->list.n && !rc; i++)
		if (!str_starts(l->list.at[i].name, STR("__")))
			rc = prom_labels_set(&out->labels, arena, l->list.at[i].name,
					     l->list.at[i].value);
	if (!rc)
		rc = target_label_default(&out->labels, arena, STR("instance"),
					  prom_labels_get(l, STR("__address__")));
	prom_labels_sort(&out->labels);
	return rc;
}

int target_identity_make(struct target_spec *out, struct arena *arena)
{
	struct buf text = {0};
	int rc;

	buf_printf(&text, "%u %llu %llu ", out->variant, (unsigned long long)out->interval_ns,
		   (unsigned long long)out->timeout_ns);
	buf_put_str(&text, out->url);
	for (uint32_t i = 0; i < out->labels.list.n; i++) {
		const struct prom_label *l = &out->labels.list.at[i];

		buf_printf(&text, " %zu %.*s%zu %.*s", l->name.n, STR_ARG(l->name), l->value.n,
			   STR_ARG(l->value));
	}
	rc = buf_error(&text);
	if (!rc)
		rc = arena_copy_str(arena, buf_str(&text), &out->identity);
	buf_fini(&text);
	return rc;
}

int target_spec_make(struct target_spec *out, const struct scrape_config *c,
		     const struct discovered_target *found, struct relabel *relabel,
		     struct arena *arena, struct err *e)
{
	struct prom_labels l = {0};
	int rc = target_labels_discover(&l, c, found, arena);

	*out = (struct target_spec){0};
	if (!rc)
		rc = prom_labels_dup(&out->discovered, &l, arena);
	if (rc)
		return rc;
	prom_labels_sort(&out->discovered);
	rc = relabel_apply(relabel, &l, arena, e);
	if (rc <= 0)
		return rc;
	prom_labels_sort(&l);
	rc = target_url_make(out, c, &l, prom_labels_get(&l, STR("__metrics_path__")), arena, e);
	if (!rc)
		rc = target_times_read(out, &l, e);
	if (!rc)
		rc = target_labels_keep(out, &l, arena);
	if (!rc)
		rc = target_identity_make(out, arena);
	return rc ? rc : 1;
}

/* Copy labels with their texts. */
static int copy_labels(struct prom_labels *out, const struct prom_labels *from, struct arena *arena)
{
	int rc = 0;

	for (uint32_t i = 0; i < from->list.n && !rc; i++) {
		struct prom_label label;

		rc = arena_copy_str(arena, from->list.at[i].name, &label.name);
		if (!rc)
			rc = arena_copy_str(arena, from->list.at[i].value, &label.value);
		if (!rc)
			rc = vec_push(arena, &out->list, label);
	}
	return rc;
}

int target_spec_dup(struct target_spec *out, const struct target_spec *from, struct arena *arena)
{
	int rc;

	*out = (struct target_spec){.interval_ns = from->interval_ns,
				    .timeout_ns = from->timeout_ns,
				    .variant = from->variant};
	rc = arena_copy_str(arena, from->url, &out->url);
	if (!rc)
		rc = arena_copy_str(arena, from->scheme, &out->scheme);
	if (!rc)
		rc = arena_copy_str(arena, from->identity, &out->identity);
	if (!rc)
		rc = copy_labels(&out->labels, &from->labels, arena);
	return rc ? rc : copy_labels(&out->discovered, &from->discovered, arena);
}
