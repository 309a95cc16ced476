/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First the strings: tables of functions, mappings, attributes and profiles mark the places at which
 * a string is used; each marked string is examined, and a changed one gets a new row. Then the
 * tables that refer to changed strings, and the values of attributes, are copied and changed. Rules
 * that remove something mark rows of attributes; the lists of the samples are rebuilt without them.
 */
#include "signal/sanitize/sanitize_profile.h"

#include <errno.h>

#include "signal/sanitize/profile_removal.h"
#include "signal/sanitize/sanitize_otlp.h"

/* The places at which rows of the dictionary use strings. */
enum { USE_KEY, USE_FUNCTION, USE_FILE, USE_OTHER, STRING_USES };

static const enum sanitize_place places_of_use[STRING_USES] = {SANITIZE_KEYS, SANITIZE_FUNCTIONS,
							       SANITIZE_FILES, SANITIZE_OTHER};

struct profile_walk {
	struct sanitize_run *run;
	const struct profile_batch *from;
	struct sanitized_profile *out;
	uint8_t *uses; /* by string: bits of STRING_USES */
	/* By use and string: the row of the changed string, or 0; NULL: none has changed. */
	uint32_t *renamed[STRING_USES];
	struct profile_removal removal;
	bool changed;
};

/* ---- strings ---- */

static void mark_uses(struct profile_walk *w)
{
	const struct profile_batch *b = w->from;

	for (uint32_t i = 1; i < b->functions.n; i++) {
		const struct function *f = &b->functions.at[i];

		w->uses[f->name] |= 1 << USE_FUNCTION;
		if (f->system_name != f->name)
			w->uses[f->system_name] |= 1 << USE_FUNCTION;
		w->uses[f->filename] |= 1 << USE_FILE;
	}
	for (uint32_t i = 1; i < b->mappings.n; i++)
		w->uses[b->mappings.at[i].filename] |= 1 << USE_FILE;
	for (uint32_t i = 1; i < b->attributes.n; i++) {
		w->uses[b->attributes.at[i].key] |= 1 << USE_KEY;
		w->uses[b->attributes.at[i].unit] |= 1 << USE_OTHER;
	}
	for (uint32_t i = 0; i < b->profiles.n; i++) {
		const struct profile *p = &b->profiles.at[i];

		w->uses[p->sample_type.type] |= 1 << USE_OTHER;
		w->uses[p->sample_type.unit] |= 1 << USE_OTHER;
		w->uses[p->period_type.type] |= 1 << USE_OTHER;
		w->uses[p->period_type.unit] |= 1 << USE_OTHER;
	}
}

/* Append a string to the result. */
static int add_string(struct profile_walk *w, struct str s, uint32_t *id)
{
	struct profile_batch *to = &w->out->batch;

	if (to->strings.at == w->from->strings.at) {
		to->strings.at = arena_alloc(w->run->arena, to->strings.n + 64, sizeof(s));
		to->strings.cap = to->strings.n + 64;
		if (!to->strings.at)
			return -ENOMEM;
		memcpy(to->strings.at, w->from->strings.at, to->strings.n * sizeof(s));
	}
	to->string_keys = NULL;
	*id = to->strings.n;
	return vec_push(w->run->arena, &to->strings, s);
}

static int rename_string(struct profile_walk *w, unsigned use, uint32_t string, struct str text)
{
	uint32_t **renamed = &w->renamed[use];
	uint32_t id;
	int rc = add_string(w, text, &id);

	if (!rc && !*renamed) {
		*renamed = arena_zalloc(w->run->arena, w->from->strings.n, sizeof(**renamed));
		rc = *renamed ? 0 : -ENOMEM;
	}
	if (!rc)
		(*renamed)[string] = id;
	return rc;
}

/* Apply the verdict on a string at a use. */
static int change_use(struct profile_walk *w, unsigned use, uint32_t string, int verdict,
		      struct str changed)
{
	if (verdict <= 0)
		return verdict;
	w->changed = true;
	if (verdict == SANITIZE_REMOVE_ITEM || (verdict == SANITIZE_REMOVE && use == USE_KEY))
		return removal_mark_string(&w->removal, use == USE_KEY, string, verdict);
	return rename_string(w, use, string,
			     verdict == SANITIZE_REMOVE ? (struct str){0} : changed);
}

static unsigned use_of_place(enum sanitize_place place)
{
	unsigned use = 0;

	while (places_of_use[use] != place)
		use++;
	return use;
}

/* Examine the strings that are not known to be harmless. */
static int examine_window(struct profile_walk *w, struct sanitize_lookup *at, uint32_t n)
{
	int rc = 0;

	n = sanitize_look_up(w->run->z, at, n);
	for (uint32_t i = 0; i < n && !rc; i++) {
		struct str out;
		int verdict =
			sanitize_looked_up(w->run, &at[i], string_of(w->from, at[i].id), &out);

		rc = change_use(w, use_of_place(at[i].place), at[i].id, verdict, out);
	}
	return rc;
}

static uint64_t string_hash(const struct profile_batch *b, uint32_t string)
{
	struct str s = string_of(b, string);

	return b->string_keys ? b->string_keys[string].hash : key_of_bytes(s.p, s.n).hash;
}

/*
 * Examine a run of strings. Senders repeat themselves: a run that is known as a whole costs one
 * lookup.
 */
static int examine_run(struct profile_walk *w, struct sanitize_lookup *at, uint32_t n)
{
	struct key_maker all = key_begin(n);
	uint32_t changed = w->out->batch.strings.n;
	bool any = w->changed;
	uint64_t hash;
	int rc;

	for (uint32_t i = 0; i < n; i++)
		all = key_mix(all, at[i].hash, at[i].place);
	hash = key_finish(all).hash;
	if (sanitize_knows_run(w->run->z, hash))
		return 0;
	w->changed = false;
	rc = examine_window(w, at, n);
	if (!rc && !w->changed && w->out->batch.strings.n == changed)
		sanitize_learn_run(w->run->z, hash);
	w->changed |= any;
	return rc;
}

static int examine_strings(struct profile_walk *w)
{
	enum { RUN = 128 };
	struct sanitize_lookup run[RUN + STRING_USES];
	uint32_t n = 0;
	int rc = 0;

	for (uint32_t i = 1; i < w->from->strings.n && !rc; i++) {
		for (unsigned use = 0; w->uses[i] >> use; use++)
			if (w->uses[i] >> use & 1)
				run[n++] = (struct sanitize_lookup){string_hash(w->from, i),
								    places_of_use[use], i};
		if (n < RUN)
			continue;
		rc = examine_run(w, run, n);
		n = 0;
	}
	return rc ? rc : examine_run(w, run, n);
}

static void rename_ref(const struct profile_walk *w, unsigned use, uint32_t *ref)
{
	if (w->renamed[use] && w->renamed[use][*ref])
		*ref = w->renamed[use][*ref];
}

/* Copy a table of the batch into the arena of the run, to change it. */
#define COPY_TABLE(w, table)                                                                       \
	copy_table((w), (void **)&(w)->out->batch.table.at, (w)->from->table.n,                    \
		   sizeof(*(w)->from->table.at))

static int copy_table(struct profile_walk *w, void **at, uint32_t n, size_t size)
{
	void *copy = arena_alloc(w->run->arena, n + 1, size);

	if (!copy)
		return -ENOMEM;
	if (n)
		memcpy(copy, *at, n * size);
	*at = copy;
	return 0;
}

static int rename_code(struct profile_walk *w)
{
	struct profile_batch *to = &w->out->batch;
	int rc = 0;

	if (!w->renamed[USE_FUNCTION] && !w->renamed[USE_FILE])
		return 0;
	rc = COPY_TABLE(w, functions);
	if (!rc)
		rc = COPY_TABLE(w, mappings);
	if (rc)
		return rc;
	for (uint32_t i = 1; i < to->functions.n; i++) {
		rename_ref(w, USE_FUNCTION, &to->functions.at[i].name);
		rename_ref(w, USE_FUNCTION, &to->functions.at[i].system_name);
		rename_ref(w, USE_FILE, &to->functions.at[i].filename);
	}
	for (uint32_t i = 1; i < to->mappings.n; i++)
		rename_ref(w, USE_FILE, &to->mappings.at[i].filename);
	return 0;
}

/* Empty the strings that nothing refers to any more: all of their uses have been renamed. */
static void blank_renamed(struct profile_walk *w)
{
	struct profile_batch *to = &w->out->batch;

	if (to->strings.at == w->from->strings.at)
		return;
	for (uint32_t i = 1; i < w->from->strings.n; i++) {
		unsigned renamed = 0;

		for (unsigned use = 0; use < STRING_USES; use++)
			if (w->renamed[use] && w->renamed[use][i])
				renamed |= 1u << use;
		if (renamed && renamed == w->uses[i])
			to->strings.at[i] = (struct str){0};
	}
}

static bool carries_payload(const struct profile_batch *b)
{
	for (uint32_t i = 0; i < b->profiles.n; i++)
		if (b->profiles.at[i].payload.n)
			return true;
	return false;
}

static int change_profiles(struct profile_walk *w)
{
	struct profile_batch *to = &w->out->batch;
	bool payload = carries_payload(w->from);
	int rc;

	if (!payload && !w->renamed[USE_OTHER])
		return 0;
	w->changed = true;
	rc = COPY_TABLE(w, profiles);
	for (uint32_t i = 0; i < to->profiles.n && !rc; i++) {
		struct profile *p = &to->profiles.at[i];

		rename_ref(w, USE_OTHER, &p->sample_type.type);
		rename_ref(w, USE_OTHER, &p->sample_type.unit);
		rename_ref(w, USE_OTHER, &p->period_type.type);
		rename_ref(w, USE_OTHER, &p->period_type.unit);
		p->payload = p->payload_format = (struct str){0};
	}
	return rc;
}

/* ---- attributes ---- */

/* Examine a value. Return a verdict or -errno; *v is changed with SANITIZE_CHANGED. */
static int examine_value(struct profile_walk *w, struct str key, struct value *v)
{
	struct str out;
	int verdict;

	switch (v->kind) {
	case VALUE_STRING:
	case VALUE_BYTES:
		verdict = sanitize_text(w->run, SANITIZE_VALUES, key, v->s, &out);
		break;
	case VALUE_LIST:
	case VALUE_MAP:
		verdict = sanitize_otlp_value(w->run, SANITIZE_VALUES, key, v->s, &out);
		break;
	default:
		return SANITIZE_KEEP;
	}
	if (verdict == SANITIZE_CHANGED)
		v->s = out;
	return verdict;
}

/* Return whether a renamed key is that of another attribute of the dictionary. */
static bool key_is_taken(const struct profile_walk *w, uint32_t row)
{
	const struct profile_batch *b = &w->out->batch;
	struct str key = string_of(b, b->attributes.at[row].key);

	for (uint32_t i = 1; i < b->attributes.n; i++)
		if (w->from->attributes.at[i].key != w->from->attributes.at[row].key &&
		    str_eq(string_of(b, b->attributes.at[i].key), key))
			return true;
	return false;
}

static int set_attribute(struct profile_walk *w, uint32_t row, const struct attribute *a)
{
	if (w->out->batch.attributes.at == w->from->attributes.at && COPY_TABLE(w, attributes))
		return -ENOMEM;
	w->out->batch.attributes.at[row] = *a;
	return 0;
}

static int examine_attribute(struct profile_walk *w, uint32_t row)
{
	struct attribute a = w->from->attributes.at[row];
	struct str key = string_of(w->from, a.key);
	int verdict = removal_of_key(&w->removal, a.key);

	if (!verdict)
		verdict = examine_value(w, key, &a.value);
	if (verdict < 0)
		return verdict;
	if (verdict >= SANITIZE_REMOVE) {
		w->changed = true;
		verdict = removal_mark_attribute(&w->removal, row, verdict);
		a.value = (struct value){0}; /* the row stays, unused */
		return verdict ? verdict : set_attribute(w, row, &a);
	}
	if (verdict == SANITIZE_KEEP && !w->renamed[USE_KEY] && !w->renamed[USE_OTHER])
		return 0;
	w->changed |= verdict == SANITIZE_CHANGED;
	rename_ref(w, USE_OTHER, &a.unit);
	rename_ref(w, USE_KEY, &a.key);
	if (set_attribute(w, row, &a))
		return -ENOMEM;
	/* Two keys in one list must differ. */
	if (a.key != w->from->attributes.at[row].key && key_is_taken(w, row))
		return removal_mark_attribute(&w->removal, row, SANITIZE_REMOVE);
	return 0;
}

static int examine_attributes(struct profile_walk *w)
{
	int rc = 0;

	for (uint32_t i = 1; i < w->from->attributes.n && !rc; i++)
		rc = examine_attribute(w, i);
	return rc;
}

/* ---- resources and scopes ---- */

static bool has_key(const struct keyvalue *at, uint32_t n, struct str key)
{
	for (uint32_t i = 0; i < n; i++)
		if (str_eq(at[i].key, key))
			return true;
	return false;
}

static int examine_keyvalue(struct profile_walk *w, struct keyvalue *kv)
{
	struct str key = kv->key;
	int of_value = examine_value(w, key, &kv->value);
	int of_key = sanitize_text(w->run, SANITIZE_KEYS, (struct str){0}, key, &kv->key);

	if (of_value < 0 || of_key < 0)
		return of_value < 0 ? of_value : of_key;
	return of_value > of_key ? of_value : of_key;
}

/*
 * Examine the attributes of a resource or scope; the list of the result is a part of a new pool.
 * Return a verdict: SANITIZE_REMOVE_ITEM for all samples below it.
 */
static int examine_list(struct profile_walk *w, struct list *list)
{
	struct keyvalue *at = w->out->batch.keyvalues.at + list->at;
	uint32_t kept = 0;
	int worst = SANITIZE_KEEP;

	for (uint32_t i = 0; i < list->n; i++) {
		struct keyvalue kv = at[i];
		int verdict = examine_keyvalue(w, &kv);

		if (verdict < 0)
			return verdict;
		if (verdict == SANITIZE_REMOVE_ITEM)
			worst = verdict;
		else if (verdict && worst != SANITIZE_REMOVE_ITEM)
			worst = SANITIZE_CHANGED;
		if (verdict < SANITIZE_REMOVE && !(verdict && has_key(at, kept, kv.key)))
			at[kept++] = kv;
	}
	list->n = kept;
	return worst;
}

static int examine_other(struct profile_walk *w, struct str *text)
{
	struct str out;
	int verdict = sanitize_text(w->run, SANITIZE_OTHER, (struct str){0}, *text, &out);

	if (verdict == SANITIZE_REMOVE)
		out = (struct str){0};
	if (verdict > 0)
		*text = out;
	w->changed |= verdict > 0;
	return verdict == SANITIZE_REMOVE ? SANITIZE_CHANGED : verdict;
}

static int examine_resource(struct profile_walk *w, uint32_t row)
{
	struct resource *res = &w->out->batch.resources.at[row];
	int verdict = examine_list(w, &res->attributes);
	int of_url = verdict < 0 ? verdict : examine_other(w, &res->schema_url);
	struct str out;
	int of_refs = of_url < 0 ? of_url : sanitize_otlp_resource(w->run, res->entity_refs, &out);

	if (of_refs < 0)
		return of_refs;
	if (of_refs)
		res->entity_refs = of_refs == SANITIZE_CHANGED ? out : (struct str){0};
	w->changed |= verdict || of_refs;
	if (verdict != SANITIZE_REMOVE_ITEM && of_url != SANITIZE_REMOVE_ITEM)
		return 0;
	return removal_mark_resource(&w->removal, row);
}

static int examine_scope(struct profile_walk *w, uint32_t row)
{
	struct scope *s = &w->out->batch.scopes.at[row];
	struct str *texts[] = {&s->name, &s->version, &s->schema_url};
	int verdict = examine_list(w, &s->attributes);
	bool item = verdict == SANITIZE_REMOVE_ITEM;

	w->changed |= verdict > 0;
	for (size_t i = 0; i < countof(texts) && verdict >= 0; i++) {
		verdict = examine_other(w, texts[i]);
		item |= verdict == SANITIZE_REMOVE_ITEM;
	}
	if (verdict < 0)
		return verdict;
	return item ? removal_mark_scope(&w->removal, row) : 0;
}

static int examine_sources(struct profile_walk *w)
{
	int rc = COPY_TABLE(w, keyvalues);

	if (!rc)
		rc = COPY_TABLE(w, resources);
	if (!rc)
		rc = COPY_TABLE(w, scopes);
	for (uint32_t i = 0; i < w->from->resources.n && !rc; i++)
		rc = examine_resource(w, i);
	for (uint32_t i = 0; i < w->from->scopes.n && !rc; i++)
		rc = examine_scope(w, i);
	return rc;
}

/* ---- the batch ---- */

int sanitize_profile(struct sanitize_run *r, const struct profile_batch *b,
		     struct sanitized_profile *out)
{
	struct profile_walk w = {.run = r, .from = b, .out = out};
	int rc;

	*out = (struct sanitized_profile){.batch = *b};
	out->batch.arena = (struct arena){0};
	w.uses = arena_zalloc(r->arena, b->strings.n, 1);
	removal_init(&w.removal, r->arena, b);
	if (!w.uses)
		return -ENOMEM;
	mark_uses(&w);
	rc = examine_strings(&w);
	if (!rc)
		rc = examine_attributes(&w);
	if (!rc)
		rc = examine_sources(&w);
	if (!rc)
		rc = rename_code(&w);
	if (!rc)
		rc = change_profiles(&w);
	blank_renamed(&w);
	if (!rc && w.changed)
		rc = removal_apply(&w.removal, out);
	return rc ? rc : w.changed ? SANITIZE_CHANGED : SANITIZE_KEEP;
}

bool sanitized_sample_kept(const struct profile_batch *b, uint32_t profile, uint32_t sample,
			   void *arg)
{
	const struct sanitized_profile *s = arg;

	(void)b;
	(void)profile;
	return !s->dropped || !s->dropped[sample];
}
