/* SPDX-License-Identifier: Apache-2.0 */
/* Sample types of a batch: comparison, default type, list. */
#include "signal/sample_type.h"

static struct sample_type type_of_profile(const struct profile_batch *b, const struct profile *p)
{
	return (struct sample_type){string_of(b, p->sample_type.type),
				    string_of(b, p->sample_type.unit)};
}

static bool type_eq(struct sample_type a, struct sample_type b)
{
	return str_eq(a.type, b.type) && str_eq(a.unit, b.unit);
}

bool sample_type_is(const struct profile_batch *b, const struct profile *p, struct sample_type t)
{
	return type_eq(type_of_profile(b, p), t);
}

/* Match "cpu" or "cpu/nanoseconds"; the type itself may contain a slash. */
static bool type_named(struct sample_type t, struct str name)
{
	return str_eq(t.type, name) ||
	       (name.n == t.type.n + 1 + t.unit.n && str_starts(name, t.type) &&
		name.p[t.type.n] == '/' && str_ends(name, t.unit));
}

/*
 * Return whether none of the LOOK_BACK profiles before `p` has its type. Batches have few types, so
 * this finds nearly all duplicates.
 */
static bool is_first_of_type(const struct profile_batch *b, uint32_t p)
{
	enum { LOOK_BACK = 64 };
	struct sample_type t = type_of_profile(b, &b->profiles.at[p]);

	for (uint32_t i = p > LOOK_BACK ? p - LOOK_BACK : 0; i < p; i++)
		if (sample_type_is(b, &b->profiles.at[i], t))
			return false;
	return true;
}

void sample_type_list(struct buf *out, const struct profile_batch *b)
{
	enum { MOST = 20 };
	unsigned n = 0;

	for (uint32_t i = 0; i < b->profiles.n; i++) {
		struct sample_type t = type_of_profile(b, &b->profiles.at[i]);

		if (!is_first_of_type(b, i))
			continue;
		if (n++ == MOST) {
			buf_put_str(out, STR(", ..."));
			return;
		}
		buf_printf(out, "%s%.*s/%.*s", n > 1 ? ", " : "", STR_ARG(t.type), STR_ARG(t.unit));
	}
}

static int unknown_sample_type(const struct profile_batch *b, struct str wanted, struct err *e)
{
	struct buf list = {0};

	sample_type_list(&list, b);
	err_set(e, -ENOENT, "no sample type '%.*s'; existing types: %.*s",
		STR_ARG(str_head(wanted, 100)), STR_ARG(str_head(buf_str(&list), 300)));
	buf_fini(&list);
	return -ENOENT;
}

/* Return an attribute of the scope of the first profile, or NULL. */
static const struct value *scope_value(const struct profile_batch *b, struct str key)
{
	return profile_find_keyvalue(b, b->scopes.at[b->profiles.at[0].scope].attributes, key);
}

/*
 * If the first profiles were columns of one pprof file (same scope, same number of samples), return
 * the last one that is not a count of events, which is the type their writer meant to show. Else
 * return NULL.
 */
static const struct profile *last_sibling(const struct profile_batch *b)
{
	const struct profile *first = &b->profiles.at[0], *best = NULL;
	uint32_t n = 0;

	for (; n < b->profiles.n && b->profiles.at[n].scope == first->scope; n++) {
		const struct profile *p = &b->profiles.at[n];

		if (p->sample_count != first->sample_count || !p->sample_count)
			return NULL;
		if (!best || !str_eq(string_of(b, p->sample_type.unit), STR("count")))
			best = p;
	}
	return n > 1 ? best : NULL;
}

static const struct profile *default_profile(const struct profile_batch *b, bool last)
{
	const struct value *name = scope_value(b, STR("pprof.scope.default_sample_type"));
	const struct profile *sibling = last_sibling(b);

	for (uint32_t i = 0; name && name->kind == VALUE_STRING && i < b->profiles.n; i++)
		if (str_eq(type_of_profile(b, &b->profiles.at[i]).type, name->s))
			return &b->profiles.at[i];
	if (last)
		return &b->profiles.at[b->profiles.n - 1];
	/* With a sample_type_order attribute profiles were reordered; the default is first. */
	if (sibling && !scope_value(b, STR("pprof.scope.sample_type_order")))
		return sibling;
	for (uint32_t i = 0; i < b->profiles.n; i++)
		if (b->profiles.at[i].sample_count)
			return &b->profiles.at[i];
	return &b->profiles.at[0];
}

int sample_type_pick(struct sample_type *out, const struct profile_batch *b, struct str wanted,
		     bool last, struct err *e)
{
	if (!b->profiles.n)
		return err_set(e, -ENOENT, "no profile in the input");
	if (!wanted.n) {
		*out = type_of_profile(b, default_profile(b, last));
		return 0;
	}
	for (uint32_t i = 0; i < b->profiles.n; i++) {
		*out = type_of_profile(b, &b->profiles.at[i]);
		if (type_named(*out, wanted))
			return 0;
	}
	return unknown_sample_type(b, wanted, e);
}
