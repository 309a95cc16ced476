/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_COMPONENT_H
#define VARVE_PIPELINE_COMPONENT_H

#include "base/log.h"
#include "config/settings.h"
#include "pipeline/delivery.h"
#include "pipeline/host.h"

/*
 * The descriptor of a component: its name, its settings and its callbacks. A component is a folder
 * in pipeline/receivers, processors or exporters with one descriptor, and a line in the table in
 * components.c. Configuration, `varve config help` and the docs read nothing else.
 *
 * Lifecycle of an instance: create, start, consume from any thread, stop, destroy. Exporters start
 * first, then processors, receivers and extensions; they stop in the opposite order. When stop()
 * returns, the instance must not hold any delivery.
 */
enum component_kind {
	COMPONENT_RECEIVER,
	COMPONENT_PROCESSOR,
	COMPONENT_EXPORTER,
	COMPONENT_EXTENSION, /* consumes no data, e.g. the query API */
	COMPONENT_KINDS,
};

/* The environment of an instance. It outlives the instance. */
struct component_env {
	const char *id; /* "otlp", "otlp/2" */
	struct host *host;
	const struct log *log;
	/* Receivers and processors: the next consumer by signal (signal_index()), or NULL. */
	struct consumer *next[4];
};

struct component {
	const char *name;
	enum component_kind kind;
	unsigned signals; /* enum signal_kind, or-ed */
	const char *help; /* one line */
	bool single;	  /* a configuration can have one of them at most */
	const struct setting *settings;
	size_t settings_size;

	/* Check settings against each other. Return 0, or -EINVAL with text in `e`. May be NULL. */
	int (*check)(const void *settings, struct err *e);

	/* Create an instance. The settings outlive it. On error nothing is left allocated. */
	int (*create)(void **instance, const struct component_env *env, const void *settings,
		      struct err *e);
	int (*start)(void *instance, struct err *e); /* may be NULL */

	/* Processors and exporters, see struct consumer. admit() may be NULL. */
	bool (*consume)(void *instance, struct delivery *d);
	bool (*admit)(void *instance, uint64_t bytes, struct delivery_result *why);

	void (*stop)(void *instance); /* may be NULL */
	void (*destroy)(void *instance);
};

static inline unsigned signal_index(enum signal_kind signal)
{
	return (unsigned)__builtin_ctz(signal);
}

/* The components of this folder, NULL-terminated. */
extern const struct component *const components[];

/* "receiver", "processor", "exporter", "extension". */
extern const char *const component_kind_names[COMPONENT_KINDS];

#endif
