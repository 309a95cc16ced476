/* SPDX-License-Identifier: Apache-2.0 */
/* The table of kinds, and the part of the settings that chooses among them. */
#include "pipeline/receivers/pprof/profile_kinds.h"

#include <errno.h>

#define S STR_INIT
/* clang-format off */
const struct profile_kind profile_kinds[PROFILE_KINDS] = {
	{S("memory"),		  S("memory"),	    S("/debug/pprof/allocs"),	   true,  false, true},
	{S("block"),		  S("block"),	    S("/debug/pprof/block"),	   true,  false, true},
	{S("goroutine"),	  S("goroutine"),   S("/debug/pprof/goroutine"),   true,  false, false},
	{S("mutex"),		  S("mutex"),	    S("/debug/pprof/mutex"),	   true,  false, true},
	{S("process_cpu"),	  S("process_cpu"), S("/debug/pprof/profile"),	   true,  true,	 false},
	{S("fgprof"),		  S("fgprof"),	    S("/debug/fgprof"),		   false, true,	 false},
	{S("godeltaprof_memory"), S("memory"),	    S("/debug/pprof/delta_heap"),  false, false, false},
	{S("godeltaprof_mutex"),  S("mutex"),	    S("/debug/pprof/delta_mutex"), false, false, false},
	{S("godeltaprof_block"),  S("block"),	    S("/debug/pprof/delta_block"), false, false, false},
};
/* clang-format on */

/* Other pages of net/http/pprof. */
static const struct {
	struct str page;
	unsigned kind;
} other_pages[] = {{S("heap"), 0}};
#undef S

const struct profile_kind *profile_kind_of_url(struct str url)
{
	struct str path = str_head(url, min_size(str_find(url, '?'), str_find(url, '#'))), page;

	while (path.n && path.p[path.n - 1] == '/')
		path.n--;
	page = str_from_at(path, str_find_last(path, '/'));
	for (unsigned i = 0; i < PROFILE_KINDS; i++)
		if (page.n && str_ends(profile_kinds[i].path, page))
			return &profile_kinds[i];
	for (size_t i = 0; i < countof(other_pages); i++)
		if (page.n && str_eq(str_from_at(page, 1), other_pages[i].page))
			return &profile_kinds[other_pages[i].kind];
	return NULL;
}

/* ---- settings ---- */

static const struct setting choice_table[] = {
	SET_BOOL(struct profile_choice, enabled, "enabled", "false", "Scrape this profile."),
	SET_STRING(struct profile_choice, path, "path", NULL, "The path of its URL."),
	SET_BOOL(struct profile_choice, delta, "delta", "false",
		 "Let the server record for delta_profiling_duration."),
	SET_END,
};

/* Read {enabled, path, delta}; what is not given stays as it is. */
static int read_choice(struct profile_choice *c, const struct config_node *n, const char *what,
		       struct arena *arena, struct err *e)
{
	struct profile_choice given = {0};
	int rc = settings_read(choice_table, n, what, &given, arena, e);

	if (rc)
		return rc;
	if (config_get(n, STR("enabled")))
		c->enabled = given.enabled;
	if (config_get(n, STR("delta")))
		c->delta = given.delta;
	if (given.path.n)
		c->path = given.path;
	c->set = true;
	if (c->path.p && c->path.p[0] != '/')
		return config_fail(n, e, "%s: \"path\" of %.*s has to begin with /", what,
				   STR_ARG(n->key));
	return 0;
}

static struct profile_choice choice_of(const struct profile_kind *kind)
{
	return (struct profile_choice){.name = kind->name,
				       .path = kind->path,
				       .enabled = kind->enabled,
				       .delta = kind->delta,
				       .cumulative = kind->cumulative};
}

/* The kind is that of the key: "memory" or "profile.memory". */
static int kind_read(const struct config_node *n, const char *what, void *to, struct arena *arena,
		     struct err *e)
{
	struct str prefix = STR("profile."), key = n->key;

	if (str_starts(key, prefix))
		key = str_from_at(key, prefix.n);
	for (unsigned i = 0; i < PROFILE_KINDS; i++) {
		if (!str_eq(profile_kinds[i].key, key))
			continue;
		*(struct profile_choice *)to = choice_of(&profile_kinds[i]);
		return read_choice(to, n, what, arena, e);
	}
	return config_fail(n, e, "%s: unknown profile \"%.*s\"", what, STR_ARG(key));
}

/* A map from names to {enabled, path, delta}. */
static int customs_read(const struct config_node *n, const char *what, void *to,
			struct arena *arena, struct err *e)
{
	struct profile_choice *at = arena_zalloc(arena, PROFILE_CUSTOM_MAX, sizeof(*at));
	struct profile_customs *out = to;
	uint32_t count = 0;
	int rc = 0;

	if (!at)
		return -ENOMEM;
	if (n->kind != CONFIG_MAP)
		return config_fail(n, e, "%s: \"%.*s\" has to be a map of profiles", what,
				   STR_ARG(n->key));
	for (const struct config_node *child = n->first; child && !rc; child = child->next) {
		if (count == PROFILE_CUSTOM_MAX)
			return config_fail(child, e, "%s: more than %d custom profiles", what,
					   PROFILE_CUSTOM_MAX);
		at[count].name = child->key;
		rc = read_choice(&at[count], child, what, arena, e);
		if (!rc && !at[count].path.n)
			rc = config_fail(child, e, "%s: the custom profile \"%.*s\" has no path",
					 what, STR_ARG(child->key));
		count++;
	}
	*out = (struct profile_customs){at, count};
	return rc;
}

/* A profile under both of its keys. */
#define SET_KIND(index_, key_, help_)                                                              \
	SET_CUSTOM(struct profiling_settings, kinds[index_], key_, kind_read, "profile", help_),   \
		SET_CUSTOM(struct profiling_settings, kinds[index_], "profile." key_, kind_read,   \
			   "profile", "The same.")

const struct setting profiling_table[] = {
	SET_STRING(struct profiling_settings, path_prefix, "path_prefix", NULL,
		   "Put before the path of all profiles."),
	SET_KIND(0, "memory", "Memory allocated and in use: /debug/pprof/allocs."),
	SET_KIND(1, "block", "Waiting for locks and channels: /debug/pprof/block."),
	SET_KIND(2, "goroutine", "Goroutines: /debug/pprof/goroutine."),
	SET_KIND(3, "mutex", "Holders of contended locks: /debug/pprof/mutex."),
	SET_KIND(4, "process_cpu", "CPU time: /debug/pprof/profile?seconds=14."),
	SET_KIND(5, "fgprof", "Wall-clock time by fgprof: /debug/fgprof; off."),
	SET_KIND(6, "godeltaprof_memory", "By godeltaprof: /debug/pprof/delta_heap; off."),
	SET_KIND(7, "godeltaprof_mutex", "By godeltaprof: /debug/pprof/delta_mutex; off."),
	SET_KIND(8, "godeltaprof_block", "By godeltaprof: /debug/pprof/delta_block; off."),
	SET_CUSTOM(struct profiling_settings, customs, "custom", customs_read, "map",
		   "More profiles: NAME: {enabled, path, delta}."),
	SET_CUSTOM(struct profiling_settings, customs, "profile.custom", customs_read, "map",
		   "The same."),
	SET_END,
};

uint32_t profiling_enabled(const struct profiling_settings *s, struct profile_choice *out)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < PROFILE_KINDS; i++) {
		out[n] = s->kinds[i].set ? s->kinds[i] : choice_of(&profile_kinds[i]);
		n += out[n].enabled;
	}
	for (uint32_t i = 0; i < s->customs.n; i++)
		if (s->customs.at[i].enabled)
			out[n++] = s->customs.at[i];
	return n;
}
