/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_SDK_H
#define VARVE_SDK_SDK_H

#include <sys/types.h>

#include "sdk/collect/collect.h"
#include "sdk/collect/watch.h"
#include "sdk/debug/endpoint.h"
#include "sdk/export/export.h"
#include "sdk/options.h"

/*
 * The library while it runs: what varve_start() makes and varve_stop() takes apart, in this order: options, resource, exporter, tracer, context,
 * collector (which starts the profilers), endpoints, guards.
 *
 * fork(): the child has none of our threads. Its handler empties the ring, makes a new collector and exporter thread and
 * publishes its own context; the parent goes on.
 */
enum { SDK_RESOURCE_MAX = 64 };

struct sdk {
	struct sdk_options options; /* complete */
	struct budget budget; /* of windows and profiles: three eighths of guards.max_memory */
	struct arena arena;   /* of the resource's texts */
	struct keyvalue resource[SDK_RESOURCE_MAX];
	uint32_t resource_count;
	char instance_id[40]; /* service.instance.id, a random UUID */
	struct collector *collector;
	struct exporter *exporter;
	struct watch *watch;
	struct endpoint *endpoint; /* NULL: not asked for */
	_Atomic unsigned
		profiles; /* that are on now; options.o.profiles is what was asked for at start */
	_Atomic uint64_t refused; /* profiles that were not sent */
	uint64_t start_unix_ns;	  /* of the counters */
	uint64_t start_ns;	  /* of the library */
	pid_t pid;		  /* of the process that has started it, or was forked from it */
	bool settled;		  /* tracer_settle() was called; collector */
	/* a child of the program that `varve run` started, or forked; and how many samples its parent had by then */
	bool child;
	uint64_t samples_before;
	/* the program goes, and what it has in use with it (sdk_leave()) */
	_Atomic bool leaving, replaced;
	/* what is exported now is the last of it */
	_Atomic bool ending;
};

/*
 * Start inside of a program of this house: by options alone, whatever the environment says, and what is collected goes to `sink`, which is
 * taken over, also on failure. Ended by varve_stop(). Errors as varve_start().
 */
MUST_USE int sdk_start_inside(const struct varve_options *options, struct sink *sink,
			      struct err *e);

/* Who we are, out of options, environment and the machine. 0 or -ENOMEM. */
MUST_USE int sdk_make_resource(struct sdk *s, struct err *e);

/* A new service.instance.id and process.pid, in a forked child. */
MUST_USE int sdk_new_instance(struct sdk *s);

/* The one that runs, or NULL; valid until sdk_release(). Not for hooks. */
struct sdk *sdk_acquire(void);
void sdk_release(struct sdk *s);

/* Does varve_stop() wait for those who hold a reference? They should hurry. */
bool sdk_is_stopping(void);

/* varve_stop() at the end of the process: a forked child that has nothing to tell ends at once. */
void sdk_stop_at_exit(void);

/*
 * Does the library run in this process, or in the parent of this child of vfork()? Makes no system call: a program that has given them up
 * may not even ask for its process id.
 */
bool sdk_is_running(void);

/*
 * The process is about to lose what the library needs: stop, and leave `note` in the summary (NULL: none). False: it did not run, or this is a child of
 * vfork(), whose memory is its parent's.
 */
bool sdk_step_back(const char *note);

/* sdk/collect/summary.c: for `varve run`, at the end; they do nothing unless VARVE_SUMMARY names a directory. */
const char *sdk_summary_directory(void);
void sdk_write_summary(struct sdk *s);
void sdk_write_delivery(const struct varve_delivery *d);

/*
 * The program ends without exit handlers, or (`exec`) another one takes its place: export what there is and wait for it, some seconds at most. If exec
 * fails all goes on. Does nothing in a child of vfork(), in a process without our threads, and when this thread was interrupted inside of the library.
 */
void sdk_leave(bool exec);

/* A line for the summary of `varve run`: "start" (what was wrong then), "seccomp" or "cut", and what it says. */
void sdk_write_note(const char *name, const char *text);

/* Bytes that the profilers hold: windows, profiles, tables of stacks and of live blocks. At most guards.max_memory. */
size_t sdk_memory(const struct sdk *s);

/* This thread's last error, for varve_last_error(). */
struct err *sdk_error(void);

/* The same, empty for the next one. */
struct err *sdk_new_error(void);

/* Turn kinds on and off while it runs, and change the rate of CPU samples; 0: none. */
void sdk_set_profiles(struct sdk *s, unsigned profiles);
void sdk_set_cpu_hz(struct sdk *s, unsigned hz);

/* One profile on demand, into an empty batch; with a reference held. -EBUSY with the reason when a guard refuses. */
MUST_USE int sdk_take_batch(struct sdk *s, enum varve_profile kind, unsigned seconds,
			    struct profile_batch *out, struct err *e);

/* The same as gzipped pprof. */
MUST_USE int sdk_take(struct sdk *s, enum varve_profile kind, unsigned seconds, struct buf *out,
		      struct err *e);

#endif
