/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_SDK_H
#define VARVE_SDK_SDK_H

#include <sys/types.h>

#include "sdk/collect/collect.h"
#include "sdk/collect/watch.h"
#include "sdk/debug/endpoint.h"
#include "sdk/export/export.h"
#include "sdk/options.h"
#include "sdk/profile/schedule.h"
#include "sdk/settings.h"

/*
 * The running library: what varve_start() makes and varve_stop() frees. Started in this order:
 * options, resource, tracer, exporter, process context, guards, collector (which starts the
 * profilers), endpoint.
 *
 * fork(): the child has no library threads. The fork handler empties the rings, starts new
 * collector and exporter threads and publishes the child's own context; the parent goes on.
 */
enum { SDK_RESOURCE_MAX = 64 };

struct sdk {
	struct sdk_options options; /* complete */
	/* of windows and profiles: three eighths of guards.max_memory */
	struct budget budget;
	struct arena arena; /* of the resource's texts */
	struct keyvalue resource[SDK_RESOURCE_MAX];
	uint32_t resource_count;
	char instance_id[40]; /* service.instance.id, a random UUID */
	struct collector *collector;
	struct exporter *exporter;
	struct sanitizer *sanitizer; /* NULL: off */
	struct key_ring *keys;	     /* of files and bodies; NULL: not encrypted */
	struct watch *watch;
	struct endpoint *endpoint; /* NULL: no endpoint configured */
	/* enabled now: settings.rates.profiles; options.o.profiles are those enabled at start */
	_Atomic unsigned profiles;
	struct sdk_settings settings;
	/* guarded by settings.mu; NULL: not wanted, or not started yet */
	struct control_thread *control;
	bool control_closed;	   /* it must not be started any more; guarded likewise */
	bool control_tried;	   /* collector only */
	uint64_t control_after_ns; /* start it then: short programs do not need it */
	_Atomic uint64_t refused;  /* profiles that were not sent */
	uint64_t start_unix_ns;	   /* of the counters */
	uint64_t start_ns;	   /* of the library */
	/* of the process that started the library, or was forked from it */
	pid_t pid;
	bool inside; /* one of our own programs: sdk_start_inside() */
	/* tracer_register_membarrier() was called; collector only */
	bool settled;
	/* the process is a child of the program that `varve run` started, or was forked */
	bool child;
	/* samples that the parent had taken by the fork */
	uint64_t samples_before;
	/* sdk_flush_before_exit(): the program is about to end; it is replaced by exec */
	_Atomic bool leaving, replaced;
	/* the current export is the last one */
	_Atomic bool ending;
	/* callers of varve_flush() */
	_Atomic unsigned flushing;
	/* collector only: profiles queued since the start, and the last export of metrics */
	uint64_t exported_profiles, exported_bytes, metrics_ns;
	struct schedule schedule; /* collector only, once it runs */
};

/*
 * Start inside one of our own programs: with these options alone, ignoring the environment.
 * Collected data goes to `sink`, of which ownership is taken, also on failure. Stop with
 * varve_stop(). Errors as of varve_start().
 */
MUST_USE int sdk_start_inside(const struct varve_options *options, struct sink *sink,
			      struct err *e);

/* varve_start_file() with options by code, which take precedence over environment and file. */
MUST_USE int sdk_start_with_file(const struct varve_options *options, const char *path);

/*
 * Return the running instance with a reference, or NULL. Valid until sdk_release(). Not for hooks.
 */
struct sdk *sdk_acquire(void);
void sdk_release(struct sdk *s);

/* Is varve_stop() waiting for references to be released? Holders should hurry. */
bool sdk_is_stopping(void);

/*
 * varve_stop() at the exit of the process. A forked child that has nothing to export exits at once.
 */
void sdk_stop_at_exit(void);

/*
 * Does the library run in this process, or in the parent of this vfork() child? Makes no system
 * call, because a seccomp filter may forbid even getpid().
 */
bool sdk_is_running(void);

/*
 * Stop because the process is about to lose what the library needs, and write `note` into the
 * summary (NULL: none). False: the library did not run, or this is a vfork() child, which shares
 * its parent's memory.
 */
bool sdk_stop_early(const char *note);

/*
 * The program is about to end without exit handlers or, with `exec`, to be replaced: export all
 * pending data and wait, at most five seconds. If exec then fails, the library goes on. Does
 * nothing in a vfork() child, in a process without library threads, and when this thread was
 * interrupted inside the library.
 */
void sdk_flush_before_exit(bool exec);

/*
 * Return the bytes that windows, profiles, stack tables and live blocks use. Bounded by
 * guards.max_memory.
 */
size_t sdk_memory(const struct sdk *s);

/* Return this thread's last error, for varve_last_error(). */
struct err *sdk_error(void);

/* The same, after clearing it. */
struct err *sdk_clear_error(void);

/* Set the enabled kinds of profiles (bits of enum varve_profile). */
void sdk_set_profiles(struct sdk *s, unsigned profiles);

/* Set the rate of CPU samples; 0: none. */
void sdk_set_cpu_hz(struct sdk *s, unsigned hz);

#endif
