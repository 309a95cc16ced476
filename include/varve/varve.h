/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_VARVE_H
#define VARVE_VARVE_H

/*
 * libvarve: profilers and spans inside a process.
 *
 *     struct varve_options o = { .service_name = "checkout", .endpoint = "http://127.0.0.1:4318", .cpu_hz = 100 };
 *     varve_start(&o);
 *     ...
 *     varve_stop();
 *
 * Every function may be called from any thread, before varve_start() and after varve_stop() too: then it does nothing. None
 * aborts, prints or touches errno. Those that return int give 0 or a negative errno.
 *
 * docs/sdk.md is the guide. Link with `pkg-config --libs varve`, or preload libvarve.so (`varve run`) and change nothing.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VARVE_API __attribute__((visibility("default")))

/* What is profiled. Bits of varve_options.profiles, and the kind that a callback is told. */
enum varve_profile {
	VARVE_CPU = 1 << 0,	     /* where CPU time goes */
	VARVE_HEAP = 1 << 1,	     /* what was allocated, and what of it is in use */
	VARVE_MUTEX = 1 << 2,	     /* who held a lock while others waited */
	VARVE_BLOCK = 1 << 3,	     /* who waited, and where */
	VARVE_WALL = 1 << 4,	     /* where all threads are, running or not */
	VARVE_THREADS = 1 << 5,	     /* the stacks of all threads at one moment */
	VARVE_THREADCREATE = 1 << 6, /* who made threads */
	VARVE_MMAP = 1 << 7,	     /* anonymous memory taken with mmap() */
};

/* How varve_options.protocol speaks to the endpoint. */
enum varve_protocol {
	VARVE_PROTOCOL_DEFAULT, /* OTLP: over gRPC if the endpoint's port is 4317, else over HTTP */
	VARVE_PROTOCOL_HTTP,	/* OTLP, protobuf over HTTP/1.1: http://host:4318 */
	VARVE_PROTOCOL_GRPC,	/* OTLP over gRPC: http://host:4317 */
	VARVE_PROTOCOL_PYROSCOPE, /* /ingest of a Pyroscope server; profiles only: http://host:4040 */
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

/* The thresholds of the guards; zero is the default of each. docs/sdk.md says what each does. */
struct varve_guard_options {
	double load_threshold; /* adaptive sampler: share of a core per thread or of all cores, 0..1; over it the rate falls; 0.8 */
	unsigned floor_hz;     /* adaptive sampler: the rate at full load; 10 */
	double cpu_threshold; /* adaptive rate: share of all cores; over it the rate is halved every 10 s; 0.8 */
	uint64_t
		memory_threshold; /* adaptive rate: resident bytes; 0: 80 % of the memory of the machine or control group */
	double overhead_target; /* overhead monitor: share of the process's CPU time; 0.01 */
	double max_cpu;		/* resource guard: share of one core for the profilers; 0.05 */
	uint64_t
		max_memory; /* VARVE_MAX_MEMORY: bytes of all tables, samples and profiles, taken as they are needed; 200 MB */
	unsigned max_per_minute; /* resource guard: profiles taken on demand; 10 */
	unsigned max_seconds;	 /* resource guard: length of a profile on demand; 30 */
	double shed_cpu; /* load shedding: profiles are dropped while the machine is busier than this; 0.9 */
	int adaptive_sampler, adaptive_rate, overhead_monitor,
		load_shedding; /* 1: on; the resource guard always is */
};

/* Zero is the default of every field; the environment (OTEL_*, VARVE_*) fills what is zero. */
struct varve_options {
	const char *service_name; /* OTEL_SERVICE_NAME; the program's name */
	const char *
		service_version; /* VARVE_SERVICE_VERSION, or service.version of OTEL_RESOURCE_ATTRIBUTES */
	const char *resource_attributes; /* OTEL_RESOURCE_ATTRIBUTES: "key=value,key2=value2" */

	const char *endpoint; /* OTEL_EXPORTER_OTLP_ENDPOINT; http://127.0.0.1:4318 */
	enum varve_protocol
		protocol; /* OTEL_EXPORTER_OTLP_PROTOCOL: http/protobuf, grpc; VARVE_PROTOCOL: pyroscope */
	const char *headers;   /* OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer x" */
	const char *directory; /* VARVE_DIRECTORY: write files there instead of sending */

	unsigned
		profiles; /* VARVE_PROFILES: bits of enum varve_profile, "cpu,heap"; CPU and HEAP */
	unsigned cpu_hz;  /* VARVE_CPU_HZ; 100; 1 to 1000 */
	unsigned wall_hz; /* VARVE_WALL_HZ; 20 */
	uint64_t
		heap_interval; /* VARVE_HEAP_INTERVAL: mean bytes between samples; 512 KiB; 1: every allocation */
	uint64_t
		block_interval_ns; /* VARVE_BLOCK_INTERVAL: waits this long are always seen, shorter ones by chance; 10 us */
	uint64_t export_interval_ms; /* VARVE_EXPORT_INTERVAL; 10000 */

	unsigned max_stack_depth; /* VARVE_MAX_STACK_DEPTH; 128; 64 to 512 */
	unsigned
		max_samples_per_export; /* VARVE_MAX_SAMPLES; 10000 different ones a profile, stacks of the others are cut */
	uint64_t max_profile_size; /* VARVE_MAX_PROFILE_SIZE: encoded bytes; 10 MB */
	uint64_t max_buffer;	   /* VARVE_MAX_BUFFER: bytes waiting to be sent; 16 MB */

	enum varve_sampler sampler; /* OTEL_TRACES_SAMPLER */
	double sampler_ratio;	    /* OTEL_TRACES_SAMPLER_ARG; 1 */

	/* conditional profiling: of the samples inside spans, keep only those of spans that ... */
	uint64_t slow_span_ms; /* VARVE_SLOW_SPAN: ... took longer; 1000 when conditional */
	double busy_span_share; /* VARVE_BUSY_SPAN: ... used more of their time on a CPU; 0.8 when conditional */
	int conditional;     /* VARVE_CONDITIONAL=1: on; failed spans are kept as well */
	int no_failed_spans; /* VARVE_FAILED_SPANS=0: ... but not because they failed */
	const char
		*only_in_spans; /* VARVE_ONLY_IN_SPANS: profile only while spans of this name run */

	const char *listen; /* VARVE_LISTEN: "127.0.0.1:6060" serves /debug/pprof; off */
	int no_traces;	    /* VARVE_TRACES=0: spans are not sent (they still mark samples) */
	int no_metrics;	    /* VARVE_METRICS=0 */
	int trace_profiler; /* VARVE_TRACE_PROFILER=1: the profiler's own work as spans */
	int lines; /* VARVE_LINES=1: files, lines and inlined calls from DWARF; costs memory and time at the first profile */
	int no_link; /* VARVE_CONTEXT=0: do not publish process and thread context for host profilers */

	struct varve_guard_options guards;

	/*
	 * Called with each profile as it is made, from the library's own thread: its kind, the encoded pprof (gzip), when it began and how
	 * long it is. Instead of sending it, if there is no endpoint and no directory.
	 */
	void (*on_profile)(void *arg, enum varve_profile kind, const void *pprof, size_t size,
			   uint64_t start_unix_ns, uint64_t duration_ns);
	void *on_profile_arg;

	/* VARVE_LISTEN_HOSTS: names that requests to `listen` may have in Host beside localhost and its address; none */
	const char *listen_hosts;

	uintptr_t reserved[15]; /* zero */
};

/*
 * Start what the options and the environment ask for; NULL: the environment alone. -EALREADY when it runs, -EINVAL when an
 * option is out of its range (varve_last_error() says which), -ENOMEM, -EAGAIN when a thread cannot be made. 0 with a text in
 * varve_last_error(): it runs, but not all of it (the address of `listen` is taken).
 */
VARVE_API int varve_start(const struct varve_options *options);

/* The same with a file (YAML, docs/sdk.md); what the environment says goes before it. -ENOENT, -EINVAL with line in varve_last_error(). */
VARVE_API int varve_start_file(const char *path);

/* Stop, send what is there (at most 5 s), free everything. Spans that still run end without being sent. */
VARVE_API void varve_stop(void);

/* Send what is there now. 0 when it was confirmed, -ETIMEDOUT when not within `timeout_ms`. */
VARVE_API int varve_flush(unsigned timeout_ms);

/* The last error in words; "" when there was none. Valid until the next call on this thread. */
VARVE_API const char *varve_last_error(void);

/* Is a server at the endpoint ready? GET /ready, an empty OTLP message or gRPC's health service; at most 5 s. 0, or why not. */
VARVE_API int varve_check_endpoint(void);

/* What became of what was collected. */
struct varve_delivery {
	uint64_t sent, confirmed, failed, pending; /* exports: profiles, traces and metrics */
	double success_rate; /* confirmed of confirmed + failed + pending beyond the time-out; 1 when none */
	uint64_t bytes;			/* sent, compressed */
	uint64_t samples, samples_lost; /* taken, and dropped because a buffer was full */
	uint64_t spans, spans_lost;
	uint64_t refused; /* profiles that a guard refused */
};
VARVE_API void varve_delivery(struct varve_delivery *out);

/* Change while it runs: the rate of CPU samples (0: off), the bits that are on. */
VARVE_API int varve_set_cpu_hz(unsigned hz);
VARVE_API int varve_set_profiles(unsigned profiles);

/*
 * Take one profile now: CPU, wall, mutex, block and heap over `seconds` (0 with all but CPU and WALL: all since the start). *pprof is gzip and is
 * freed with varve_free(). Blocks. -EBUSY when a guard refuses.
 */
VARVE_API int varve_take_profile(enum varve_profile kind, unsigned seconds, void **pprof,
				 size_t *size);
VARVE_API void varve_free(void *p);

/* The library's own metrics as Prometheus text: NUL-terminated, freed with varve_free(); NULL when it does not run. */
VARVE_API char *varve_metrics_text(void);

/* -- spans -------------------------------------------------------------------------------------------------------------- */

struct varve_span;

/* A span as another thread, task or process knows it. The zero value is "none". */
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
 * Begin a span and make it the current one of this thread. Its parent is `traceparent` (W3C; NULL: the thread's current span; malformed: as NULL). NULL
 * when the library does not run or no more spans can be held: every function below takes NULL.
 */
VARVE_API struct varve_span *varve_span_start(const char *name, const char *traceparent);

/* The same with all there is to say. `parent` may be NULL: none, a new trace. */
VARVE_API struct varve_span *varve_span_start_with(const char *name, enum varve_span_kind kind,
						   const struct varve_context *parent);

/* End it: what was current before is current again. On the thread that began it or on another one. */
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

/* W3C trace context: of the thread's current span, and to and from text. -ENOENT when there is none, -EINVAL. */
enum { VARVE_TRACEPARENT_SIZE = 56 };
VARVE_API int varve_traceparent(char out[VARVE_TRACEPARENT_SIZE]);
VARVE_API int varve_context_current(struct varve_context *out);
VARVE_API int varve_context_of(const struct varve_span *span, struct varve_context *out);
VARVE_API int varve_context_parse(struct varve_context *out, const char *traceparent,
				  const char *tracestate);
VARVE_API int varve_context_format(const struct varve_context *context,
				   char traceparent[VARVE_TRACEPARENT_SIZE]);

/* Carry a context to another thread or task: make it current there, and put back what was. Costs a few nanoseconds. */
VARVE_API void varve_context_attach(const struct varve_context *context,
				    struct varve_context *previous);
VARVE_API void varve_context_detach(const struct varve_context *previous);

/* Call fn(arg) with the context current. */
VARVE_API void varve_with_span(const struct varve_context *context, void (*fn)(void *arg),
			       void *arg);

/* A label of this thread's samples from now on: key and value are copied; NULL value: none. At most 8. */
VARVE_API int varve_label(const char *key, const char *value);

/* In C: VARVE_SPAN(span, "parse-order"); ends with the block. */
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
