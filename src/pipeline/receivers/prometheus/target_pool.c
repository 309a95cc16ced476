/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Targets are changed by the job that reads the files only, and by target_pool_start() before it
 * exists. A file that cannot be read or parsed keeps the existing targets.
 */
#include "pipeline/receivers/prometheus/target_pool.h"

#include <errno.h>
#include <stdlib.h>

#include "base/container/hash.h"
#include "base/container/idset.h"
#include "pipeline/receivers/prometheus/file_sd.h"

struct pool_target {
	void *target;
	uint32_t hash;
	bool found; /* by the discovery in progress */
};

struct target_pool {
	struct target_pool_options o;
	struct relabel *relabel;
	struct pool_target *targets;
	uint32_t count, room;
};

/* The specs of one discovery, without duplicates. */
struct discovery {
	struct target_pool *pool;
	struct arena arena;
	struct idset by_identity;
	VEC(struct target_spec) specs;
	struct err e;
};

int target_pool_new(struct target_pool **out, const struct target_pool_options *o, struct err *e)
{
	struct target_pool *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return err_set(e, -ENOMEM, "out of memory");
	p->o = *o;
	rc = relabel_new(&p->relabel, o->config->relabel, e);
	if (rc) {
		target_pool_free(p);
		return rc;
	}
	*out = p;
	return 0;
}

void target_pool_free(struct target_pool *p)
{
	if (!p)
		return;
	relabel_free(p->relabel);
	free(p->targets);
	free(p);
}

/* ---- discovery ---- */

static bool is_known_spec(const struct discovery *d, struct str identity)
{
	struct idset_cursor c = idset_seek(&d->by_identity, hash32(identity));
	uint32_t id;

	while (idset_next(&d->by_identity, &c, &id))
		if (str_eq(d->specs.at[id].identity, identity))
			return true;
	return false;
}

static int discover_variant(struct discovery *d, const struct discovered_target *found,
			    uint32_t variant)
{
	const struct target_pool_options *o = &d->pool->o;
	struct target_spec spec;
	struct err e = {0};
	int rc = o->ops->make(o->owner, found, variant, d->pool->relabel, &d->arena, &spec, &e);

	if (rc == -ENOMEM)
		return rc;
	if (rc < 0)
		log_warn(o->log, "target ignored", LOG_STR("job", o->config->job_name),
			 LOG_ERR(&e));
	if (rc <= 0 || is_known_spec(d, spec.identity))
		return 0;
	rc = vec_push(&d->arena, &d->specs, spec);
	return rc ? rc : idset_add(&d->by_identity, hash32(spec.identity), d->specs.n - 1);
}

static int discover_address(struct discovery *d, const struct discovered_target *found)
{
	int rc = 0;

	for (uint32_t i = 0; i < d->pool->o.variants && !rc; i++)
		rc = discover_variant(d, found, i);
	return rc;
}

static int discover_groups(struct discovery *d, const struct target_groups *groups, struct str file)
{
	int rc = 0;

	for (uint32_t i = 0; i < groups->n; i++)
		for (uint32_t k = 0; k < groups->at[i].targets.n && !rc; k++)
			rc = discover_address(
				d, &(struct discovered_target){groups->at[i].targets.at[k],
							       groups->at[i].labels, file});
	return rc;
}

/* Copy the strings of a file's groups, which end with the file, and discover them. */
static int discover_file(void *arg, struct str path, const struct target_groups *groups)
{
	struct discovery *d = arg;
	struct str file;
	int rc = arena_copy_str(&d->arena, path, &file);

	for (uint32_t i = 0; i < groups->n && !rc; i++) {
		const struct target_group *g = &groups->at[i];
		struct str *targets = arena_alloc(&d->arena, g->targets.n + 1, sizeof(*targets));
		struct setting_pair *labels =
			arena_alloc(&d->arena, g->labels.n + 1, sizeof(*labels));
		struct target_group copy = {{targets, g->targets.n}, {labels, g->labels.n}};

		rc = targets && labels ? 0 : -ENOMEM;
		for (uint32_t k = 0; k < g->targets.n && !rc; k++)
			rc = arena_copy_str(&d->arena, g->targets.at[k], &targets[k]);
		for (uint32_t k = 0; k < g->labels.n && !rc; k++) {
			rc = arena_copy_str(&d->arena, g->labels.at[k].name, &labels[k].name);
			if (!rc)
				rc = arena_copy_str(&d->arena, g->labels.at[k].value,
						    &labels[k].value);
		}
		if (!rc)
			rc = discover_groups(d, &(struct target_groups){&copy, 1}, file);
	}
	return rc;
}

static int discover_all(struct discovery *d)
{
	const struct scrape_config *c = d->pool->o.config;
	int rc = idset_init(&d->by_identity, &d->arena, 0);

	if (!rc)
		rc = discover_groups(d, &c->static_groups, (struct str){0});
	for (uint32_t i = 0; i < c->file_sd.n; i++)
		for (uint32_t k = 0; k < c->file_sd.at[i].files.n && !rc; k++)
			rc = file_sd_load(c->file_sd.at[i].files.at[k], discover_file, d, &d->e);
	return rc;
}

/* ---- targets ---- */

static struct pool_target *find_pool_target(struct target_pool *p, struct str identity)
{
	uint32_t hash = hash32(identity);

	for (uint32_t i = 0; i < p->count; i++)
		if (p->targets[i].hash == hash &&
		    str_eq(p->o.ops->identity(p->targets[i].target), identity))
			return &p->targets[i];
	return NULL;
}

static int start_target(struct target_pool *p, const struct target_spec *spec, struct err *e)
{
	void *target;
	int rc;

	if (p->count == p->room) {
		uint32_t room = p->room ? 2 * p->room : 16;
		struct pool_target *more = reallocarray(p->targets, room, sizeof(*more));

		if (!more)
			return err_set(e, -ENOMEM, "out of memory");
		p->targets = more;
		p->room = room;
	}
	rc = p->o.ops->start(p->o.owner, spec, &target, e);
	if (rc)
		return rc;
	p->targets[p->count++] = (struct pool_target){
		.target = target, .hash = hash32(spec->identity), .found = true};
	return 0;
}

static void end_vanished(struct target_pool *p)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->count; i++) {
		if (p->targets[i].found)
			p->targets[kept++] = p->targets[i];
		else
			p->o.ops->end(p->targets[i].target);
	}
	p->count = kept;
}

/* Make the targets those that were discovered. */
static int change_targets(struct target_pool *p, const struct discovery *d, struct err *e)
{
	int64_t limit = p->o.config->limits.targets;
	int rc = 0;

	atomic_store(p->o.over_limit, limit && d->specs.n > limit * p->o.variants);
	for (uint32_t i = 0; i < p->count; i++)
		p->targets[i].found = false;
	for (uint32_t i = 0; i < d->specs.n && !rc; i++) {
		struct pool_target *known = find_pool_target(p, d->specs.at[i].identity);

		if (known)
			known->found = true;
		else
			rc = start_target(p, &d->specs.at[i], e);
	}
	if (!rc)
		end_vanished(p);
	return rc;
}

static int refresh_targets(struct target_pool *p, struct err *e)
{
	struct discovery d = {.pool = p};
	int rc;

	arena_init(&d.arena, NULL);
	rc = discover_all(&d);
	if (rc)
		err_set(e, rc, "%s", d.e.text[0] ? d.e.text : "out of memory");
	else
		rc = change_targets(p, &d, e);
	arena_fini(&d.arena);
	return rc;
}

static void run_refresh(void *owner, const struct scrape_run *run)
{
	struct target_pool *p = owner;
	struct err e = {0};

	if (!scrape_cancelled(run) && refresh_targets(p, &e))
		log_warn(p->o.log, "targets not refreshed", LOG_STR("job", p->o.config->job_name),
			 LOG_ERR(&e));
}

/* Return the shortest interval of the files, 0 if there are none. */
static uint64_t refresh_interval(const struct scrape_config *c)
{
	uint64_t shortest = 0;

	for (uint32_t i = 0; i < c->file_sd.n; i++)
		if (!shortest || c->file_sd.at[i].refresh_interval_ns < shortest)
			shortest = c->file_sd.at[i].refresh_interval_ns;
	return shortest;
}

int target_pool_start(struct target_pool *p, struct scrape_scheduler *scheduler, struct err *e)
{
	uint64_t interval = refresh_interval(p->o.config);
	struct err why = {0};
	int rc;

	rc = refresh_targets(p, &why);
	if (rc && !interval) {
		err_set(e, rc, "%s", why.text);
		return rc;
	}
	if (rc) /* a file may be repaired later */
		log_warn(p->o.log, "targets not discovered", LOG_STR("job", p->o.config->job_name),
			 LOG_ERR(&why));
	if (!interval)
		return 0;
	rc = scrape_add(
		scheduler,
		&(struct scrape_spec){
			.interval = interval, .delay = interval, .run = run_refresh, .owner = p},
		NULL);
	return rc ? err_set(e, rc, "cannot start to read files of targets") : 0;
}
