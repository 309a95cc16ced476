/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SERVICE_COMPONENT_ENTRIES_H
#define VARVE_PIPELINE_SERVICE_COMPONENT_ENTRIES_H

#include "pipeline/component.h"

/*
 * The components that the sections of a configuration define, with their settings. Private to the
 * service. Memory is owned by the arena.
 */
struct pipeline_plan;

struct component_entry {
	struct component_entry *next; /* of the section, in its order */
	const struct component *type;
	const struct config_node *node;
	struct str id; /* "otlp/2", NUL-terminated */
	void *settings;
	bool used;
	/* Receivers and connectors: the pipelines that list it as receiver. */
	VEC(struct pipeline_plan *) feeds;
	/* Exporters and connectors: the pipelines that list it as exporter. */
	VEC(struct pipeline_plan *) drains;
	/* Created exporters: the same for all signals; connectors: one for each signal. */
	struct consumer *consumers[SIGNALS];
	void *instance; /* of exporters, once created */
};

struct component_list {
	struct component_entry **at;
	uint32_t n;
};

struct component_entries {
	struct arena *arena;
	/* Components besides those of the table; NULL-terminated, or NULL. */
	const struct component *const *more;
	struct component_entry *first[COMPONENT_KINDS];
};

/* "receivers", "processors", ...: the keys of the sections. */
extern const char *const component_sections[COMPONENT_KINDS];

/*
 * Read all sections below `root`, and check the settings of all components. Return 0, -ENOMEM, or
 * -EINVAL with the place in `e`.
 */
MUST_USE int component_entries_read(struct component_entries *c, const struct config_node *root,
				    struct err *e);

/* Return the component of that id, or NULL. Spaces around the parts of the id are ignored. */
struct component_entry *component_entry_find(const struct component_entries *c,
					     enum component_kind kind, struct str id);

/* Warn of components that no pipeline uses. */
void component_entries_warn_unused(const struct component_entries *c);

/* Fail with -EINVAL if `n` is neither a map nor null. `n` may be NULL. */
MUST_USE int config_expect_map(const struct config_node *n, const char *name, struct err *e);

/* The keys that a map can have, and those that belong into another one. */
struct config_keys {
	const char *const *at;
	size_t n;
	const char *where; /* prefix of errors */
	const char *const *elsewhere;
	size_t elsewhere_n;
	const char *place; /* of those; "below ..." */
};

/* Fail with -EINVAL if the map has another key than those. */
MUST_USE int config_expect_keys(const struct config_node *map, const struct config_keys *keys,
				struct err *e);

#endif
