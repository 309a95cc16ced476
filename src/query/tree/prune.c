/* SPDX-License-Identifier: Apache-2.0 */
/* pprof's drop_frames and keep_frames. The result per function name is cached in prune.known. */
#include "query/tree/prune.h"

#include "format/pprof/schema.h"

/* Compile "^(pattern)$". *out stays NULL if the pattern is empty or invalid. 0 or -ENOMEM. */
static int compile_pattern(struct regex **out, struct str pattern, struct arena *arena)
{
	struct str whole;
	struct err ignored = {0};
	int rc;

	if (!pattern.n)
		return 0;
	rc = arena_printf(arena, &whole, "^(%.*s)\\z", STR_ARG(pattern));
	if (!rc)
		rc = regex_new(out, whole, 0, &ignored);
	return rc == -ENOMEM ? rc : 0;
}

static struct str text_attribute(const struct profile_batch *b, const struct profile *p,
				 struct str key)
{
	const struct attribute *a = profile_find_attribute(
		b, b->attribute_refs.at + p->attributes.at, p->attributes.n, key);

	return a && a->value.kind == VALUE_STRING ? a->value.s : (struct str){0};
}

/* Return the patterns of all profiles of the type; *drop is empty if they differ. */
static void find_patterns(const struct profile_batch *b, struct sample_type type, struct str *drop,
			  struct str *keep)
{
	bool found = false;

	*drop = *keep = (struct str){0};
	for (uint32_t i = 0; i < b->profiles.n; i++) {
		const struct profile *p = &b->profiles.at[i];

		if (!sample_type_is(b, p, type))
			continue;

		struct str own_drop = text_attribute(b, p, PPROF_ATTR_DROP_FRAMES);
		struct str own_keep = text_attribute(b, p, PPROF_ATTR_KEEP_FRAMES);

		if (found && (!str_eq(own_drop, *drop) || !str_eq(own_keep, *keep))) {
			*drop = (struct str){0};
			return;
		}
		*drop = own_drop;
		*keep = own_keep;
		found = true;
	}
}

int prune_init(struct prune *p, const struct profile_batch *batch, struct sample_type type,
	       struct arena *arena)
{
	struct str drop, keep;

	*p = (struct prune){.batch = batch};
	find_patterns(batch, type, &drop, &keep);

	int rc = compile_pattern(&p->drop, drop, arena);

	if (rc || !p->drop)
		return rc;
	rc = compile_pattern(&p->keep, keep, arena);
	if (!rc && keep.n && !p->keep) { /* without keep_frames too much would be dropped */
		regex_free(take_ptr(&p->drop));
		return 0;
	}
	p->known = arena_zalloc(arena, batch->strings.n, 1);
	return rc || !p->known ? -ENOMEM : 0;
}

void prune_fini(struct prune *p)
{
	regex_free(p->drop);
	regex_free(p->keep);
}

/* Return the name without its argument list and the leading dot of the PowerPC ABI. */
static struct str simple_name(struct str name)
{
	static const struct str parts_of_names[] = {STR_INIT("(anonymous namespace)"),
						    STR_INIT("operator()")};
	size_t at = 0;

	if (str_starts(name, STR(".")))
		name = str_from_at(name, 1);
	while (at < name.n) {
		struct str rest = str_from_at(name, at);
		size_t skip = 1;

		for (size_t i = 0; i < countof(parts_of_names); i++)
			if (str_starts(rest, parts_of_names[i]))
				skip = parts_of_names[i].n;
		if (skip == 1 && rest.p[0] == '(')
			break;
		at += skip;
	}
	return str_head(name, at);
}

/* Return 1 if frames of that name are dropped, 0 if not, or -errno. */
static int is_dropped(struct prune *p, uint32_t name, struct err *e)
{
	struct str text;
	int rc;

	if (p->known[name])
		return p->known[name] == 2;
	text = simple_name(string_of(p->batch, name));
	rc = regex_match(p->drop, text, e);
	if (rc > 0 && p->keep) {
		rc = regex_match(p->keep, text, e);
		rc = rc < 0 ? rc : !rc;
	}
	if (rc < 0) {
		err_prefix(e, "the profile's own drop_frames (--all-frames ignores it)");
		return rc;
	}
	p->known[name] = rc ? 2 : 1;
	return rc;
}

int prune_lines(struct prune *p, const struct location *location, struct err *e)
{
	const struct line *lines = p->batch->lines.at + location->lines.at;

	if (!p->drop)
		return 0;
	for (uint32_t n = location->lines.n; n > 0; n--) {
		uint32_t name = p->batch->functions.at[lines[n - 1].function].name;
		int rc = string_of(p->batch, name).n ? is_dropped(p, name, e) : 0;

		if (rc)
			return rc < 0 ? rc : (int)n;
	}
	return 0;
}
