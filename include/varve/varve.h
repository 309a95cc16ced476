/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_VARVE_H
#define VARVE_VARVE_H

/*
 * libvarve: profilers, spans, metrics and logs inside a process.
 *
 *     struct varve_options o = {.service_name = "checkout", .cpu_hz = 100};
 *     varve_start(&o);
 *     ...
 *     varve_stop();
 *
 * Every function may be called from any thread, and also before varve_start() and after
 * varve_stop(), when it does nothing (metrics and baggage work then, too). No function aborts,
 * prints or changes errno. Functions of type int return 0 or a negative errno, unless described
 * otherwise.
 *
 * docs/sdk.md is the guide. Link with `pkg-config --libs varve`, or preload libvarve.so (`varve
 * run`) into an unchanged program.
 */

#include "varve/attribute.h"
#include "varve/logs.h"
#include "varve/metrics.h"
#include "varve/propagation.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Kinds of profiles. Bits of varve_options.profiles; each is also the kind of a profile in
 * functions and callbacks.
 */
enum varve_profile {
	VARVE_CPU = 1 << 0,	     /* CPU time */
	VARVE_HEAP = 1 << 1,	     /* allocations, and memory in use */
	VARVE_MUTEX = 1 << 2,	     /* threads that held a lock while others waited */
	VARVE_BLOCK = 1 << 3,	     /* threads that waited */
	VARVE_WALL = 1 << 4,	     /* all threads, running or not */
	VARVE_THREADS = 1 << 5,	     /* stacks of all threads at one time */
	VARVE_THREADCREATE = 1 << 6, /* creation of threads */
	VARVE_MMAP = 1 << 7,	     /* anonymous memory mapped with mmap() */
};

/* The protocol of exports, varve_options.protocol. */
enum varve_protocol {
	VARVE_PROTOCOL_DEFAULT, /* OTLP: over gRPC if the endpoint's port is 4317, else over HTTP */
	VARVE_PROTOCOL_HTTP,	/* OTLP, protobuf over HTTP/1.1: http://host:4318 */
	VARVE_PROTOCOL_GRPC,	/* OTLP over gRPC: http://host:4317 */
	/* /ingest of a Pyroscope server; profiles only: http://host:4040 */
	VARVE_PROTOCOL_PYROSCOPE,
};

/* Control of this process by the server at the endpoint, varve_options.control. */
enum varve_control {
	VARVE_CONTROL_AUTO, /* on if the server is on loopback */
	VARVE_CONTROL_ON,
	VARVE_CONTROL_OFF,
};

enum varve_sampler {
	VARVE_SAMPLER_DEFAULT, /* parent-based, always on for roots */
	VARVE_SAMPLER_ALWAYS_ON,
	VARVE_SAMPLER_ALWAYS_OFF,
	VARVE_SAMPLER_RATIO,
	VARVE_SAMPLER_PARENT_ALWAYS_ON,
	VARVE_SAMPLER_PARENT_ALWAYS_OFF,
	VARVE_SAMPLER_PARENT_RATIO,
};

/* Which metric values are kept as exemplars. */
enum varve_exemplars {
	VARVE_EXEMPLARS_DEFAULT,     /* trace_based */
	VARVE_EXEMPLARS_TRACE_BASED, /* those recorded in a sampled span */
	VARVE_EXEMPLARS_ALWAYS_ON,
	VARVE_EXEMPLARS_ALWAYS_OFF,
};

/* Headers that pass contexts between processes: bits of varve_options.propagators. */
enum varve_propagator {
	VARVE_PROPAGATE_TRACECONTEXT = 1 << 0, /* traceparent, tracestate */
	VARVE_PROPAGATE_BAGGAGE = 1 << 1,      /* baggage */
	VARVE_PROPAGATE_B3 = 1 << 2,	       /* b3 */
	VARVE_PROPAGATE_B3MULTI = 1 << 3,      /* X-B3-TraceId, X-B3-SpanId, X-B3-Sampled */
	VARVE_PROPAGATE_NONE = 1 << 4,
};

/* Options of the guards, described in docs/sdk.md. Zero means the default, given in brackets. */
struct varve_guard_options {
	/*
	 * adaptive sampler: load (share of a core per thread, or of all cores) above which the rate
	 * falls [0.8]
	 */
	double load_threshold;
	/* adaptive sampler: rate at full load [10] */
	unsigned floor_hz;
	/* adaptive rate: share of all cores above which the rate is halved [0.8] */
	double cpu_threshold;
	/* adaptive rate: resident bytes [80 % of the memory of the host or control group] */
	uint64_t memory_threshold;
	/* overhead monitor: share of the process's CPU time [0.01] */
	double overhead_target;
	/* resource guard: share of one core for the profilers [0.05] */
	double max_cpu;
	/*
	 * VARVE_MAX_MEMORY: bytes of all tables, samples and profiles, allocated as needed [200 MB]
	 */
	uint64_t max_memory;
	/* resource guard: profiles on demand per minute [10] */
	unsigned max_per_minute;
	/* resource guard: length of a profile on demand [30] */
	unsigned max_seconds;
	/* load shedding: CPU load of the host above which profiles are dropped [0.9] */
	double shed_cpu;
	/* 1: on; the resource guard is always on */
	int adaptive_sampler, adaptive_rate, overhead_monitor, load_shedding;
};

/*
 * Zero means that the environment variable named at the field counts, and without it the default,
 * given in brackets.
 */
struct varve_options {
	/* OTEL_SERVICE_NAME [the program's name] */
	const char *service_name;
	/* VARVE_SERVICE_VERSION, or service.version of OTEL_RESOURCE_ATTRIBUTES */
	const char *service_version;
	/* OTEL_RESOURCE_ATTRIBUTES: "key=value,key2=value2" */
	const char *resource_attributes;

	/* OTEL_EXPORTER_OTLP_ENDPOINT [http://127.0.0.1:4318] */
	const char *endpoint;
	/* OTEL_EXPORTER_OTLP_PROTOCOL: http/protobuf, grpc; VARVE_PROTOCOL: pyroscope */
	enum varve_protocol protocol;
	/* OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer x" */
	const char *headers;
	/* VARVE_DIRECTORY: write files to this directory instead of sending */
	const char *directory;

	/* VARVE_PROFILES: bits of enum varve_profile, "cpu,heap" [VARVE_CPU | VARVE_HEAP] */
	unsigned profiles;
	unsigned cpu_hz;  /* VARVE_CPU_HZ: 1 to 1000 [100] */
	unsigned wall_hz; /* VARVE_WALL_HZ: 1 to 1000 [20] */
	/* VARVE_HEAP_INTERVAL: mean bytes between two samples; 1: every allocation [512 KiB] */
	uint64_t heap_interval;
	/*
	 * VARVE_BLOCK_INTERVAL: waits of at least this length are always recorded, shorter ones at
	 * random [10 us]
	 */
	uint64_t block_interval_ns;
	uint64_t export_interval_ms; /* VARVE_EXPORT_INTERVAL [10000] */

	unsigned max_stack_depth; /* VARVE_MAX_STACK_DEPTH: 64 to 512 [128] */
	/*
	 * VARVE_MAX_SAMPLES: distinct samples of a profile; the stacks of further ones are cut
	 * [10000]
	 */
	unsigned max_samples_per_export;
	uint64_t max_profile_size; /* VARVE_MAX_PROFILE_SIZE: encoded bytes [10 MB] */
	uint64_t max_buffer;	   /* VARVE_MAX_BUFFER: bytes waiting to be sent [16 MB] */

	enum varve_sampler sampler; /* OTEL_TRACES_SAMPLER */
	double sampler_ratio;	    /* OTEL_TRACES_SAMPLER_ARG [1] */

	/*
	 * Conditional profiling: of the samples inside spans, keep only those of slow, busy or
	 * failed spans. VARVE_SLOW_SPAN: a span is slow if it takes longer [1000]
	 */
	uint64_t slow_span_ms;
	/*
	 * VARVE_BUSY_SPAN: a span is busy if it is on a CPU for more than this share of its time
	 * [0.8]
	 */
	double busy_span_share;
	/* VARVE_CONDITIONAL=1: on */
	int conditional;
	/* VARVE_FAILED_SPANS=0: do not keep samples because their span failed */
	int no_failed_spans;
	/* VARVE_ONLY_IN_SPANS: profile only while spans of this name run */
	const char *only_in_spans;

	const char *listen; /* VARVE_LISTEN: "127.0.0.1:6060" serves /debug/pprof [off] */
	int no_traces;	    /* VARVE_TRACES=0: do not send spans (samples still have their ids) */
	int no_metrics;	    /* VARVE_METRICS=0 */
	int trace_profiler; /* VARVE_TRACE_PROFILER=1: make spans of the profiler's own work */
	/*
	 * VARVE_LINES=1: files, lines and inlined calls from DWARF; the first profile takes more
	 * time and memory
	 */
	int lines;
	/* VARVE_CONTEXT=0: do not publish process and thread contexts for host profilers */
	int no_link;

	struct varve_guard_options guards;

	/*
	 * Called on a thread of the library with each profile: its kind, the encoded pprof (gzip),
	 * its start and length. Without endpoint and directory this replaces sending.
	 */
	void (*on_profile)(void *arg, enum varve_profile kind, const void *pprof, size_t size,
			   uint64_t start_unix_ns, uint64_t duration_ns);
	void *on_profile_arg;

	/*
	 * VARVE_LISTEN_HOSTS: accepted Host names of requests to `listen`, besides localhost and
	 * the address [none]
	 */
	const char *listen_hosts;

	/* VARVE_LOGS=0: do not send logs */
	int no_logs;
	/* VARVE_LOG_LEVEL: the lowest severity of logs that are sent [VARVE_TRACE] */
	enum varve_severity log_level;
	/* VARVE_METRIC_SERIES: limit of the series of an instrument [2000] */
	unsigned metric_series;
	/* OTEL_METRICS_EXEMPLAR_FILTER: trace_based, always_on, always_off [trace_based] */
	enum varve_exemplars exemplars;
	/* VARVE_METRIC_ALIASES=1: also send runtime.memory.heap_alloc_bytes, heap_objects */
	int metric_aliases;
	/* VARVE_PROPAGATORS, OTEL_PROPAGATORS: bits of enum varve_propagator [W3C and baggage] */
	unsigned propagators;
	/* OTEL_METRIC_EXPORT_INTERVAL: time between two exports of metrics [export_interval_ms] */
	uint64_t metric_interval_ms;
	/* OTEL_EXPORTER_OTLP_TIMEOUT: of one request [10000] */
	uint64_t timeout_ms;
	/*
	 * VARVE_SCHEDULE: intervals of single kinds. "cpu=10s/60s,heap=30s": CPU time during 10 s
	 * of every 60 s, and heap profiles every 30 s [none: all kinds always]
	 */
	const char *schedule;
	/*
	 * VARVE_BAGGAGE_LABELS: keys of baggage entries that become labels of samples, at most 8:
	 * "tenant,plan" [none]
	 */
	const char *baggage_labels;
	/* VARVE_KEEP_HALVING=1: the adaptive rate is halved again and again, down to 1 Hz */
	int keep_halving;
	/* OTEL_EXPORTER_OTLP_COMPRESSION=none: send uncompressed messages */
	int no_compression;
	/* OTEL_SDK_DISABLED=true: varve_start() starts nothing, and returns 0 */
	int disabled;
	int reserved_int; /* zero */
	/* VARVE_LISTEN_TOKEN: a token that requests to `listen` have to send as Bearer [none] */
	const char *listen_token;
	/*
	 * VARVE_CONTROL: auto, on, off: may the server at the endpoint change what is profiled, for
	 * a limited time (docs/control.md) [auto: if it is on loopback]
	 */
	enum varve_control control;
	unsigned control_max_hz;      /* VARVE_CONTROL_MAX_HZ: the highest rate it may set [500] */
	unsigned control_profiles;    /* VARVE_CONTROL_PROFILES: what it may enable [all] */
	unsigned control_max_seconds; /* VARVE_CONTROL_MAX_SECONDS: for how long [3600] */
	/*
	 * VARVE_SANITIZE=0: do not replace secrets, e-mail addresses and card numbers in labels,
	 * attributes and names before they leave the process
	 */
	int no_sanitize;
	/* VARVE_HIDE_FUNCTION_NAMES=1: functions named after passwords, ... become [REDACTED] */
	int hide_function_names;
	/*
	 * VARVE_KEY_FILE: encrypt the files of `directory` and varve_profile_start(), and the
	 * bodies that are sent to a server, with the first key of this file (32 bytes, 64
	 * hexadecimal digits or base64). `varve decrypt --key-file` reads the files; a server
	 * needs the key for the bodies (--sender-key-file) [none]
	 */
	const char *key_file;

	uintptr_t reserved[8]; /* zero */
};

/*
 * Start as options and environment say; NULL: the environment alone. 0, -EALREADY when it is
 * running, -EINVAL when an option is invalid (varve_last_error() names it), -ENOMEM, or -EAGAIN
 * when a thread cannot be started. 0 with a text in varve_last_error() means that it runs without a
 * part, for example because the address of `listen` is in use.
 */
VARVE_API int varve_start(const struct varve_options *options);

/*
 * The same with the options of a file (YAML, see docs/sdk.md); the environment takes precedence
 * over it. Also -ENOENT; -EINVAL with file and line in varve_last_error().
 */
VARVE_API int varve_start_file(const char *path);

/* Stop, send all pending data (at most 5 s), free everything. Spans that still run are not sent. */
VARVE_API void varve_stop(void);

/* Send all collected data now. 0 when it was confirmed, -ETIMEDOUT when not within `timeout_ms`. */
VARVE_API int varve_flush(unsigned timeout_ms);

/* Return the text of this thread's last error, or "". Valid until the next call on this thread. */
VARVE_API const char *varve_last_error(void);

/*
 * Check whether the server at the endpoint is ready: by GET /ready, an empty OTLP message or gRPC's
 * health service, within 5 s. 0 or -errno.
 */
VARVE_API int varve_check_endpoint(void);

/* Counters of exports and samples since the start. */
struct varve_delivery {
	uint64_t sent, confirmed, failed, pending; /* exports of profiles, traces and metrics */
	/* confirmed / (confirmed + failed + pending beyond the timeout); 1 when there are none */
	double success_rate;
	uint64_t bytes;			/* sent, compressed */
	uint64_t samples, samples_lost; /* taken; dropped because a buffer was full */
	uint64_t spans, spans_lost;
	uint64_t refused; /* profiles that were not sent */
};
VARVE_API void varve_delivery(struct varve_delivery *out);

/*
 * Set the rate of CPU samples while it runs; 0: off. 0, -ENOTCONN when it does not run, or -EINVAL.
 */
VARVE_API int varve_set_cpu_hz(unsigned hz);

/* Set the enabled kinds of profiles while it runs. 0, or -ENOTCONN when it does not run. */
VARVE_API int varve_set_profiles(unsigned profiles);

/*
 * Take one profile of `seconds`; with 0 seconds all since the start (not CPU and wall). Blocks.
 * *pprof is gzip and is freed with varve_free(). 0, -ENOTCONN, -EINVAL, or -EBUSY when a guard
 * refuses.
 */
VARVE_API int varve_take_profile(enum varve_profile kind, unsigned seconds, void **pprof,
				 size_t *size);
VARVE_API void varve_free(void *p);

/*
 * Profile a piece of work, from now to varve_profile_stop(): of this thread alone, or of the whole
 * process. CPU, wall-clock and lock profiles need not be enabled; VARVE_HEAP, VARVE_MMAP and
 * VARVE_THREADCREATE must be. The result has what was recorded meanwhile; for one thread it has no
 * memory in use, which is not a thread's. `path` is the file to write, or with a slash at its end
 * the directory of a file cpu-ID.pb.gz; NULL: none.
 *
 * Return NULL, with the reason in varve_last_error(), when the library does not run, the kind is
 * not exactly one or cannot be taken, a guard refuses (max_per_minute, max_cpu, max_memory), or 16
 * such profiles run. varve_profile_stop() accepts NULL.
 */
struct varve_operation;
enum varve_scope {
	VARVE_THIS_THREAD = 1,
	VARVE_PROCESS,
};
VARVE_API struct varve_operation *varve_profile_start(enum varve_profile kind,
						      enum varve_scope scope, const char *path);

/*
 * End it, on any thread; a second call does nothing. *pprof is gzip and is freed with varve_free();
 * with NULL for `pprof` only the file is written. The span that was current at the start, or else
 * the current one, gets the attributes profile.id, profile.type and profile.file. 0, -ENOENT when
 * it does not run any more, also after varve_stop(), or another -errno.
 */
VARVE_API int varve_profile_stop(struct varve_operation *operation, void **pprof, size_t *size);

/*
 * Sampling decisions, for what the program itself records. varve_sampling_rate() is the share of
 * the base rate at which CPU samples are taken now: 1, or less while a guard lowers it; 0 when the
 * library does not run or drops profiles. varve_should_profile() is 1 with this probability.
 */
VARVE_API double varve_sampling_rate(void);
VARVE_API int varve_should_profile(void);

/*
 * Set the load, 0 to 1, that the adaptive sampler, the adaptive rate and load shedding use instead
 * of the measured one; a negative load: the measured one again. Takes effect within a second. 0,
 * -ENOTCONN when the library does not run, or -EINVAL.
 */
VARVE_API int varve_set_load(double load);

/*
 * Return the library's own metrics as Prometheus text, to be freed with varve_free(); NULL when it
 * does not run.
 */
VARVE_API char *varve_metrics_text(void);

/* -- spans ------------------------------------------------------------------------------------- */

struct varve_span;

/* A reference to a span, for another thread, task or process. The zero value is "none". */
struct varve_context {
	uint8_t trace_id[16], span_id[8];
	uint8_t flags;	       /* 1: sampled */
	char trace_state[513]; /* NUL-terminated */
};

enum varve_span_kind {
	VARVE_SPAN_INTERNAL = 1,
	VARVE_SPAN_SERVER,
	VARVE_SPAN_CLIENT,
	VARVE_SPAN_PRODUCER,
	VARVE_SPAN_CONSUMER,
};

/*
 * Start a span and make it current on this thread. Its parent is `traceparent` (W3C) or, if that is
 * NULL or malformed, the thread's current span. Return NULL when the library does not run or too
 * many spans do; every function below accepts NULL.
 */
VARVE_API struct varve_span *varve_span_start(const char *name, const char *traceparent);

/* The same with a kind and a parent; NULL: no parent, a new trace. */
VARVE_API struct varve_span *varve_span_start_with(const char *name, enum varve_span_kind kind,
						   const struct varve_context *parent);

/* End a span, on any thread, and make current again what was current before it. */
VARVE_API void varve_span_end(struct varve_span *span);

VARVE_API void varve_span_set_str(struct varve_span *span, const char *key, const char *value);
VARVE_API void varve_span_set_int(struct varve_span *span, const char *key, int64_t value);
VARVE_API void varve_span_set_double(struct varve_span *span, const char *key, double value);
VARVE_API void varve_span_set_bool(struct varve_span *span, const char *key, int value);
VARVE_API void varve_span_set_kind(struct varve_span *span, enum varve_span_kind kind);
VARVE_API void varve_span_set_ok(struct varve_span *span);
VARVE_API void varve_span_set_error(struct varve_span *span, const char *message);
VARVE_API void varve_span_add_event(struct varve_span *span, const char *name);
VARVE_API void varve_span_add_link(struct varve_span *span, const struct varve_context *to);

/* Return the current span of this thread if it was started on this thread; else NULL. */
VARVE_API struct varve_span *varve_span_current(void);

/* Add an event with attributes, at most 32 and 4 KiB. */
VARVE_API void varve_span_add_event_with(struct varve_span *span, const char *name,
					 const struct varve_attribute *attributes, size_t count);

/*
 * Add an event "exception" with exception.type, exception.message, exception.stacktrace (each may
 * be NULL; 2 KiB of it are kept) and further attributes. The status is not changed.
 */
VARVE_API void varve_span_record_exception(struct varve_span *span, const char *type,
					   const char *message, const char *stacktrace,
					   const struct varve_attribute *attributes, size_t count);

/*
 * Set runtime.heap_alloc (bytes in use, by the allocator), runtime.heap_objects (blocks in use,
 * estimated by the heap profiler) and runtime.threads as they are now. Takes some 20 us.
 */
VARVE_API void varve_span_set_runtime(struct varve_span *span);

/*
 * W3C trace context: of the current span or another one, and from and to text. 0, -ENOENT when
 * there is none, -EINVAL when malformed.
 */
enum { VARVE_TRACEPARENT_SIZE = 56 };
VARVE_API int varve_traceparent(char out[VARVE_TRACEPARENT_SIZE]);
VARVE_API int varve_context_current(struct varve_context *out);
VARVE_API int varve_context_of(const struct varve_span *span, struct varve_context *out);
VARVE_API int varve_context_parse(struct varve_context *out, const char *traceparent,
				  const char *tracestate);
VARVE_API int varve_context_format(const struct varve_context *context,
				   char traceparent[VARVE_TRACEPARENT_SIZE]);

/*
 * Make a context current on this thread, and restore the previous one. Each takes a few
 * nanoseconds.
 */
VARVE_API void varve_context_attach(const struct varve_context *context,
				    struct varve_context *previous);
VARVE_API void varve_context_detach(const struct varve_context *previous);

/* Call fn(arg) with the context as the current one. */
VARVE_API void varve_with_span(const struct varve_context *context, void (*fn)(void *arg),
			       void *arg);

/*
 * Set a label of this thread's samples from now on; a NULL value removes it. Key and value are
 * copied. At most 8 labels per thread. 0, -EINVAL, -ENOSPC, -ENOMEM, -EAGAIN, or -ENOTCONN when
 * nothing is profiled.
 */
VARVE_API int varve_label(const char *key, const char *value);

/* In C: VARVE_SPAN(span, "parse-order"); starts a span that ends with the block. */
static inline void varve_span_end_scope_(struct varve_span **span)
{
	varve_span_end(*span);
}
#define VARVE_SPAN(variable, name)                                                                 \
	struct varve_span *variable __attribute__((cleanup(varve_span_end_scope_), unused)) =      \
		varve_span_start(name, NULL)

#ifdef __cplusplus
}
#endif

#endif
