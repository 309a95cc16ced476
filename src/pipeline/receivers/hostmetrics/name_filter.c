/* SPDX-License-Identifier: Apache-2.0 */
/* Decides by lists of names or regular expressions; reads include and exclude of a scraper. */
#include "pipeline/receivers/hostmetrics/name_filter.h"

#include <errno.h>
#include <stdlib.h>

/* ---- settings ---- */

static int read_names(struct name_list *out, const struct config_node *n, const char *what,
		      struct arena *arena, struct err *e)
{
	struct str *at;
	uint32_t count = 0;

	if (n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: \"%.*s\" has to be a list", what, STR_ARG(n->key));
	for (const struct config_node *c = n->first; c; c = c->next)
		count++;
	at = arena_alloc(arena, count + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	count = 0;
	for (const struct config_node *c = n->first; c; c = c->next) {
		if (c->kind != CONFIG_SCALAR)
			return config_fail(c, e, "%s: expected a list of names", what);
		at[count++] = c->text;
	}
	out->names = (struct setting_list){at, count};
	return 0;
}

static int read_match_type(struct name_list *out, const struct config_node *n, const char *what,
			   struct err *e)
{
	out->regexp = str_eq(n->text, STR("regexp"));
	if (out->regexp || str_eq(n->text, STR("strict")))
		return 0;
	return config_fail(n, e, "%s: \"match_type\" has to be strict or regexp, found \"%.*s\"",
			   what, STR_ARG(str_head(n->text, 32)));
}

int name_list_read(struct name_list *out, const struct config_node *n, const char *names,
		   const char *what, struct arena *arena, struct err *e)
{
	bool typed = false;
	int rc = 0;

	if (n->kind != CONFIG_MAP)
		return config_fail(n, e, "%s: expected {%s: [...], match_type: ...}", what, names);
	for (const struct config_node *c = n->first; c && !rc; c = c->next) {
		if (str_eq(c->key, STR("match_type"))) {
			typed = true;
			rc = read_match_type(out, c, what, e);
		} else if (str_eq(c->key, str_from(names))) {
			rc = read_names(out, c, what, arena, e);
		} else {
			rc = config_fail(c, e,
					 "%s: unknown key \"%.*s\"; expected %s or match_type",
					 what, STR_ARG(str_head(c->key, 64)), names);
		}
	}
	if (!rc && out->names.n && !typed)
		return config_fail(n, e, "%s: \"match_type\" is missing: strict or regexp", what);
	return rc;
}

/* ---- matching ---- */

static void matcher_fini(struct name_matcher *m)
{
	for (uint32_t i = 0; i < m->count; i++)
		regex_free(m->patterns[i]);
	free(m->patterns);
	*m = (struct name_matcher){0};
}

static int matcher_init(struct name_matcher *m, const struct name_list *list, struct err *e)
{
	int rc = 0;

	*m = (struct name_matcher){.list = list};
	if (!list->regexp)
		return 0;
	m->patterns = calloc(list->names.n + 1, sizeof(struct regex *));
	if (!m->patterns)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->names.n && !rc; i++) {
		rc = regex_new(&m->patterns[i], list->names.at[i], 0, e);
		m->count += !rc;
	}
	return rc;
}

static bool matcher_has(const struct name_matcher *m, struct str name)
{
	struct err e;

	for (uint32_t i = 0; i < m->list->names.n; i++)
		if (m->list->regexp ? regex_match(m->patterns[i], name, &e) == 1
				    : str_eq(m->list->names.at[i], name))
			return true;
	return false;
}

int name_filter_init(struct name_filter *f, const struct name_filter_settings *s, struct err *e)
{
	int rc = matcher_init(&f->include, &s->include, e);

	f->exclude = (struct name_matcher){.list = &s->exclude};
	return rc ? rc : matcher_init(&f->exclude, &s->exclude, e);
}

void name_filter_fini(struct name_filter *f)
{
	matcher_fini(&f->include);
	matcher_fini(&f->exclude);
}

bool name_filter_passes(const struct name_filter *f, struct str name)
{
	if (f->include.list->names.n && !matcher_has(&f->include, name))
		return false;
	return !matcher_has(&f->exclude, name);
}
