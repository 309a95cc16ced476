/* SPDX-License-Identifier: Apache-2.0 */
/* Loads rules, also while earlier ones run. All that can fail is done before anything changes. */
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "rules/rules_internal.h"

/* What a load has prepared. */
struct load {
	struct rules *r;
	struct rule_list set;
	struct slot **slots; /* new or, if they are equal, those that exist */
	uint32_t n, room;
	struct rules_config *config;
	struct label *external_labels;
	struct notifier *notifier;
	bool changes_settings; /* otherwise what exists is kept */
};

static int compare_slots(const void *a, const void *b)
{
	const struct rule_group_def *x = (*(struct slot *const *)a)->group->def;
	const struct rule_group_def *y = (*(struct slot *const *)b)->group->def;
	int order = str_cmp(x->file, y->file);

	return order ? order : str_cmp(x->name, y->name);
}

/* Return the slot of the group of that file and name, or NULL. */
static struct slot *find_slot(const struct rules *r, const struct rule_group_def *def)
{
	for (uint32_t i = 0; i < r->active; i++) {
		struct slot *s = r->slots[i];

		if (str_eq(s->group->def->name, def->name) &&
		    str_eq(s->group->def->file, def->file))
			return s;
	}
	return NULL;
}

static int prepare_group(struct load *l, struct rule_file *file, const struct rule_group_def *def)
{
	struct rules *r = l->r;
	struct slot *old = find_slot(r, def), *s;
	int rc;

	if (old && rule_groups_equal(old->group->def, def)) {
		l->slots[l->n++] = old;
		return 0;
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->owner = r;
	rc = rule_group_new(&s->group, file, def, &r->settings, r->loaded);
	if (rc)
		free(s);
	else
		l->slots[l->n++] = s;
	return rc;
}

static int prepare_groups(struct load *l)
{
	uint32_t known;
	int rc = 0;

	for (uint32_t i = 0; i < l->set.n; i++)
		l->room += l->set.files[i]->groups.n;
	pthread_mutex_lock(&l->r->mu); /* a worker removes groups that have ended */
	known = l->r->n;
	pthread_mutex_unlock(&l->r->mu);
	/* room for all that will have ended, too */
	l->slots = calloc((size_t)l->room + known + 1, sizeof(*l->slots));
	if (!l->slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->set.n; i++)
		for (uint32_t k = 0; k < l->set.files[i]->groups.n && !rc; k++)
			rc = prepare_group(l, l->set.files[i], &l->set.files[i]->groups.at[k]);
	return rc;
}

static int compare_names(const void *a, const void *b)
{
	return str_cmp(((const struct label *)a)->name, ((const struct label *)b)->name);
}

static int prepare_labels(struct load *l)
{
	const struct setting_map *map = &l->config->settings.notify.external_labels;

	l->external_labels = calloc((size_t)map->n + 1, sizeof(*l->external_labels));
	if (!l->external_labels)
		return -ENOMEM;
	for (uint32_t i = 0; i < map->n; i++)
		l->external_labels[i] = (struct label){map->at[i].name, map->at[i].value};
	qsort(l->external_labels, map->n, sizeof(*l->external_labels), compare_names);
	return 0;
}

static struct str external_url(const struct load *l)
{
	struct str url = l->config->settings.external_url;

	return url.n ? url : l->r->default_url;
}

static int prepare_notifier(struct load *l, struct err *e)
{
	const struct rules *r = l->r;

	if (r->config && str_eq(buf_str(&r->config->text), buf_str(&l->config->text)))
		return 0;
	l->changes_settings = true;
	return notifier_new(&l->notifier, &l->config->settings.notify, external_url(l), r->log, e);
}

static int prepare(struct load *l, const struct str *patterns, uint32_t n, struct err *e)
{
	struct rule_paths paths;
	int rc = rule_paths_find(&paths, patterns, n, e);

	if (!rc)
		rc = rule_list_read(&l->set, &paths, 0, NULL, e);
	rule_paths_fini(&paths);
	if (!rc)
		rc = prepare_groups(l);
	if (!rc)
		rc = prepare_labels(l);
	return rc ? rc : prepare_notifier(l, e);
}

/* Free what was prepared and is not used. */
static void discard(struct load *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		struct slot *s = l->slots[i];

		if (s && find_slot(l->r, s->group->def) != s) {
			rule_group_free(s->group);
			free(s);
		}
	}
	free(l->slots);
	free(l->external_labels);
	notifier_free(l->notifier);
}

static struct rule_settings settings_of(const struct load *l)
{
	const struct rules_settings *s = &l->config->settings;

	return (struct rule_settings){
		.external_labels = l->external_labels,
		.external_count = l->external_labels ? s->notify.external_labels.n : 0,
		.external_url = external_url(l),
		.interval_ms = (int64_t)(s->interval_ns / NS_PER_MS),
		.offset_ms = (int64_t)(s->offset_ns / NS_PER_MS),
		.outage_ms = (int64_t)(s->outage_ns / NS_PER_MS),
		.grace_ms = (int64_t)(s->grace_ns / NS_PER_MS),
		.resend_ms = (int64_t)(s->resend_ns / NS_PER_MS),
		.budget = &l->r->budget,
	};
}

static bool is_in(struct slot *const *slots, uint32_t n, const struct slot *s)
{
	for (uint32_t i = 0; i < n; i++)
		if (slots[i] == s)
			return true;
	return false;
}

/* Return the prepared slot of the same file and name that replaces `old`, or NULL. */
static struct slot *successor(const struct load *l, const struct slot *old)
{
	const struct rule_group_def *def = old->group->def;

	for (uint32_t i = 0; i < l->n; i++) {
		struct slot *s = l->slots[i];

		if (s && s != old && str_eq(s->group->def->name, def->name) &&
		    str_eq(s->group->def->file, def->file))
			return s;
	}
	return NULL;
}

/* Replace the slots; nothing runs. The caller holds mu. */
static void replace_slots(struct load *l, int64_t time_ms)
{
	struct rules *r = l->r;
	struct slot **old = r->slots;
	uint32_t n = l->n;

	for (uint32_t i = 0; i < l->n; i++) {
		struct slot *s = l->slots[i];

		if (s && !is_in(old, r->active, s))
			s->next_ms = rules_next_time(s->group, time_ms);
	}
	for (uint32_t i = 0; i < r->n; i++) {
		struct slot *s = old[i], *next = s->ended ? NULL : successor(l, s);

		if (!s->ended && is_in(l->slots, l->n, s))
			continue;
		if (next) {
			rule_group_take(next->group, s->group);
			next->runs = s->runs;
			rule_group_free(s->group);
			free(s);
			continue;
		}
		if (!s->ended) {
			s->ended = true;
			s->next_ms = time_ms + 2 * rule_group_interval(s->group->def,
								       r->settings.interval_ms);
		}
		l->slots[n++] = s;
	}
	qsort(l->slots, l->n, sizeof(struct slot *), compare_slots);
	r->slots = l->slots;
	r->n = n;
	r->active = l->n;
	free(old);
}

static void commit(struct load *l)
{
	struct rules *r = l->r;
	struct rules_config *old_config = l->config;
	struct label *old_labels = l->external_labels;
	struct notifier *old_notifier = NULL;
	int64_t time_ms = (int64_t)(clock_realtime_ns() / NS_PER_MS);

	pthread_mutex_lock(&r->mu);
	rules_pause(r);
	replace_slots(l, time_ms);
	if (l->changes_settings) {
		old_config = r->config;
		old_labels = r->external_labels;
		old_notifier = r->notifier;
		r->settings = settings_of(l);
		r->config = l->config;
		r->external_labels = l->external_labels;
		r->notifier = l->notifier;
		r->io.timeout_ns = l->config->settings.timeout_ns;
	}
	r->loaded = r->load_ok = true;
	r->loads++;
	r->loaded_ms = time_ms;
	rules_resume(r);
	pthread_mutex_unlock(&r->mu);
	notifier_replace(l->notifier, old_notifier);
	free(old_labels);
	rules_config_free(old_config);
}

int rules_load(struct rules *r, struct rules_config **config, const struct str *patterns,
	       uint32_t n, struct err *e)
{
	struct load l = {.r = r, .config = *config};
	int rc;

	if (!r->loaded)
		r->settings = settings_of(&l); /* groups keep its address and its budget */
	rc = prepare(&l, patterns, n, e);
	if (rc) {
		err_errno(e, rc, "load rules");
		discard(&l);
		rules_note_failure(r);
	} else {
		*config = NULL;
		commit(&l);
	}
	rule_list_fini(&l.set);
	return rc;
}

void rules_note_failure(struct rules *r)
{
	pthread_mutex_lock(&r->mu);
	r->load_ok = false;
	r->load_failures++;
	pthread_mutex_unlock(&r->mu);
}
