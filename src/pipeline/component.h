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
 * Lifecycle of an instance: create, start, consume from any thread, stop, destroy. Extensions are
 * created and started first, then exporters, connectors and processors (the last of a pipeline
 * first), and receivers; they stop in the opposite order. When stop() returns, the instance must
 * not hold any delivery.
 *
 * A reload creates the new instances while the old ones run, stops all old ones, starts the new and
 * destroys the old. So create() takes nothing that another instance of the same id may hold: no
 * thread, no lock, no file to write; start() does. Routes are registered by create(). If a new
 * instance does not start, the new exporters with a queue (`storage`) are stopped even if they were
 * not started, and instances of the old configuration are created again.
 */
enum component_kind {
	COMPONENT_RECEIVER,
	COMPONENT_PROCESSOR,
	COMPONENT_EXPORTER,
	COMPONENT_EXTENSION, /* consumes no data, e.g. the query API */
	COMPONENT_CONNECTOR, /* an exporter of one pipeline that is a receiver of another */
	COMPONENT_KINDS,
};

/*
 * The form of the data that a component consumes. The service gives all consumers of a pipeline
 * the same form where it can, and puts a stage that decodes or encodes between the others.
 */
enum component_form {
	FORM_PAYLOAD, /* an OTLP message: delivery.payload */
	FORM_DECODED, /* delivery.batch and series, or spans: the store; receivers that decode */
	FORM_ANY,     /* does not look at the data, or takes both */
};

struct component;
struct service_outline; /* service/service_outline.h */

/* An extension that is listed in service.extensions. Components refer to it by its id. */
struct extension {
	const char *id;
	const struct component *type;
	void *instance;
};

/* The environment of an instance. It outlives the instance. */
struct component_env {
	const char *id;	      /* "otlp", "otlp/2" */
	const char *pipeline; /* processors: "traces/2"; NULL for other kinds */
	struct host *host;
	const struct log *log;
	/*
	 * Receivers, processors and connectors: the next consumer by signal (signal_index()), or
	 * NULL.
	 */
	struct consumer *next[SIGNALS];
	/*
	 * By signal, the form that the next consumer takes: FORM_PAYLOAD or FORM_DECODED. A
	 * component with FORM_ANY has to deliver this form.
	 */
	enum component_form form[SIGNALS];
	/*
	 * Some exporter that follows keeps data durably (the store, a queue on disk) and is done
	 * only then: do not acknowledge a delivery before what was made of it is done.
	 */
	bool durable;
	/* Created by a reload: what an exporter of the same id has written has to stay. */
	bool reload;
	/*
	 * All extensions, for component_extension(). Extensions find those that authenticate or
	 * offer a directory.
	 */
	const struct extension *extensions;
	uint32_t extension_count;
	/* All of the service; complete before the first request is served. */
	const struct service_outline *outline;
};

/*
 * Return the extension that a setting names, or NULL with an error that says that it is not
 * configured, or not listed in service.extensions.
 */
const struct extension *component_extension(const struct component_env *env, struct str id,
					    struct err *e);

/* What extensions offer to other components; see struct component. */
struct authenticator;
struct key_ring;

struct component {
	const char *name;
	enum component_kind kind;
	unsigned signals; /* enum signal_kind, or-ed; of a connector: what it consumes */
	/* Connectors: the signals made of each signal; 0: the same signal (forward). */
	unsigned emits[SIGNALS];
	enum component_form form;
	const char *help; /* one line */
	/* Other names that configurations use for it, NULL-terminated; may be NULL. */
	const char *const *aliases;
	bool single; /* a configuration can have one of them at most */
	const struct setting *settings;
	size_t settings_size;

	/*
	 * Check settings against each other. Return 0, with a warning in `e` or without, or -EINVAL
	 * with text in `e`. May be NULL.
	 */
	int (*check)(const void *settings, struct err *e);

	/* Create an instance. The settings outlive it. On error nothing is left allocated. */
	int (*create)(void **instance, const struct component_env *env, const void *settings,
		      struct err *e);
	int (*start)(void *instance, struct err *e); /* may be NULL */

	/*
	 * Processors that keep data after consume(): batch, tail_sampling. The service puts a
	 * journal before the first of them if an exporter that follows keeps data durably, so that
	 * senders are answered at once and nothing is lost.
	 */
	bool holds;
	bool mutates; /* processors that change items or leave some out, for the pages of zpages */
	/*
	 * Exporters: the id of the storage extension of the queue on disk; empty: the queue is in
	 * memory. NULL: the exporter has no queue.
	 */
	struct str (*storage)(const void *settings);

	/* Extensions: authenticate requests and add credentials; NULL: does not. */
	const struct authenticator *auth;
	/*
	 * Extensions: the directory in which components may keep files; NULL: it is no storage.
	 * Exporters that keep all data in a directory (the store): that directory.
	 */
	const char *(*directory)(const void *instance);
	/* The master keys of the files in that directory; NULL, or none: they are in clear. */
	struct key_ring *(*keys)(const void *instance);

	/* Processors and exporters, see struct consumer. admit() may be NULL. */
	bool (*consume)(void *instance, struct delivery *d);
	bool (*admit)(void *instance, uint64_t bytes, struct delivery_result *why);

	void (*stop)(void *instance); /* may be NULL */
	void (*destroy)(void *instance);
};

/* The components of this folder, NULL-terminated. */
extern const struct component *const components[];

/* Return whether `name`, the part of an id before "/", is the component's name or an alias. */
bool component_is_called(const struct component *c, struct str name);

/* "receiver", "processor", "exporter", "extension", "connector". */
extern const char *const component_kind_names[COMPONENT_KINDS];

#endif
