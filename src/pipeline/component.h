/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_COMPONENT_H
#define VARVE_PIPELINE_COMPONENT_H

#include "base/log.h"
#include "config/settings.h"
#include "pipeline/delivery.h"
#include "pipeline/host.h"

/*
 * The face of a component: what it is called, what can be set, what it does with data. A component is
 * a folder in pipeline/receivers, processors or exporters with one of these, and a line in the
 * table in components.c. Configuration, `varve config help` and the docs read nothing else.
 *
 * The life of an instance: create, start, consume from any thread, stop, destroy. Exporters
 * start before processors before receivers before extensions, and stop in the opposite order. After
 * stop() returns nothing may be on its way in it any more.
 */
enum component_kind {
	COMPONENT_RECEIVER,
	COMPONENT_PROCESSOR,
	COMPONENT_EXPORTER,
	COMPONENT_EXTENSION, /* takes no data: the query API, ... */
	COMPONENT_KINDS,
};

/* What an instance is given. All of it outlives the instance. */
struct component_env {
	const char *id; /* "otlp", "otlp/2" */
	struct host *host;
	const struct log *log;
	struct consumer
		*next[4]; /* receivers and processors: by signal (see signal_index()); NULL: none */
};

struct component {
	const char *name;
	enum component_kind kind;
	unsigned signals; /* enum signal_kind, or-ed */
	const char *help; /* one line */
	const struct setting *settings;
	size_t settings_size;

	/* Settings that contradict each other: 0, or -EINVAL in `e`. May be NULL. */
	int (*check)(const void *settings, struct err *e);

	/* An instance. The settings stay valid as long as it. On error nothing is left. */
	int (*create)(void **instance, const struct component_env *env, const void *settings,
		      struct err *e);
	int (*start)(void *instance, struct err *e); /* may be NULL */

	/* Processors and exporters. */
	void (*consume)(void *instance, struct delivery *d);
	bool (*admit)(void *instance, uint64_t bytes,
		      struct delivery_result *why); /* may be NULL */

	void (*stop)(void *instance); /* may be NULL */
	void (*destroy)(void *instance);
};

static inline unsigned signal_index(enum signal_kind signal)
{
	return (unsigned)__builtin_ctz(signal);
}

/* Those of this folder, NULL-terminated. */
extern const struct component *const components[];

/* "receiver", "processor", "exporter", "extension". */
extern const char *const component_kind_names[COMPONENT_KINDS];

#endif
