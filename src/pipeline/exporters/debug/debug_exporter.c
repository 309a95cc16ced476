/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The debug exporter. It writes lines in the form of the collector's console log to the descriptor
 * of the log, or to standard output. The rate limit of the log does not apply, because the exporter
 * has its own: per signal and second, the first `sampling_initial` messages are written, then every
 * `sampling_thereafter`-th.
 */
#include "pipeline/exporters/debug/debug_exporter.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "pipeline/exporters/debug/debug_text.h"

struct debug_settings {
	struct str verbosity;
	int64_t sampling_initial, sampling_thereafter;
	bool use_internal_logger;
	struct setting_list output_paths;
};

enum debug_verbosity { DEBUG_BASIC, DEBUG_NORMAL, DEBUG_DETAILED, DEBUG_VERBOSITIES };

static const char *const verbosities[] = {"basic", "normal", "detailed"};

struct debug_exporter {
	const struct debug_settings *settings;
	const char *id;
	int fd; /* borrowed; -1: writes nothing */
	enum debug_verbosity verbosity;
	pthread_mutex_t mu; /* guards what follows */
	uint64_t second;    /* in which `received` counts */
	int64_t received[SIGNALS];
	struct buf out, scratch;
};

/* Return whether this message is to be written. */
static bool sample_message(struct debug_exporter *x, unsigned kind)
{
	uint64_t now = clock_monotonic_ns() / NS_PER_SECOND;
	int64_t over;

	if (now != x->second) {
		x->second = now;
		for (unsigned i = 0; i < SIGNALS; i++)
			x->received[i] = 0;
	}
	over = ++x->received[kind] - x->settings->sampling_initial;
	if (over <= 0)
		return true;
	return x->settings->sampling_thereafter && over % x->settings->sampling_thereafter == 0;
}

static void begin_line(struct debug_exporter *x)
{
	char now[CLOCK_TEXT_SIZE];

	buf_printf(&x->out, "%s\tinfo\t", clock_format(clock_realtime_ns(), now));
}

static void put_origin(struct debug_exporter *x, const struct payload *p)
{
	buf_printf(&x->out,
		   "\t{\"otelcol.component.id\": \"%s\", \"otelcol.component.kind\": \"exporter\", "
		   "\"otelcol.signal\": \"%s\"",
		   x->id, signal_names[signal_index(p->signal)]);
}

static void put_counts(struct debug_exporter *x, const struct payload *p, struct str message)
{
	static const char *const titles[SIGNALS] = {"Profiles", "Traces", "Metrics", "Logs"};
	static const char *const resources[SIGNALS] = {"resource profiles", "resource spans",
						       "resource metrics", "resource logs"};
	static const char *const items[SIGNALS] = {"sample records", "spans", "data points",
						   "log records"};
	unsigned kind = signal_index(p->signal);
	struct debug_counts counts = debug_count(p->signal, message);

	begin_line(x);
	buf_put_str(&x->out, str_from(titles[kind]));
	put_origin(x, p);
	buf_printf(&x->out, ", \"%s\": %u", resources[kind], counts.resources);
	if (p->signal == SIGNAL_METRICS)
		buf_printf(&x->out, ", \"metrics\": %u", counts.metrics);
	buf_printf(&x->out, ", \"%s\": %u}\n", items[kind], p->items);
}

static void put_items(struct debug_exporter *x, const struct payload *p, struct str message)
{
	begin_line(x);
	if (x->verbosity == DEBUG_DETAILED)
		debug_write_detailed(&x->out, p->signal, message);
	else
		debug_write_normal(&x->out, p->signal, message);
	put_origin(x, p);
	buf_put_str(&x->out, STR("}\n"));
}

static void write_out(int fd, struct str text)
{
	while (text.n) {
		ssize_t n = write(fd, text.p, text.n);

		if (n < 0 && errno != EINTR)
			return; /* a closed terminal must not stop the pipeline */
		text = str_from_at(text, n > 0 ? (size_t)n : 0);
	}
}

static void write_message(struct debug_exporter *x, const struct payload *p)
{
	struct str message = payload_str(p, &x->scratch);

	buf_clear(&x->out);
	put_counts(x, p, message);
	if (x->verbosity != DEBUG_BASIC)
		put_items(x, p, message);
	write_out(x->fd, buf_str(&x->out));
	buf_clear(&x->scratch);
	if (x->out.cap > MIB)
		buf_fini(&x->out);
}

static bool debug_consume(void *instance, struct delivery *d)
{
	struct debug_exporter *x = instance;

	pthread_mutex_lock(&x->mu);
	if (x->fd >= 0 && sample_message(x, signal_index(d->signal)))
		write_message(x, d->payload);
	pthread_mutex_unlock(&x->mu);
	d->copied = true;
	delivery_done(d, &(struct delivery_result){0});
	return true;
}

static enum debug_verbosity find_verbosity(struct str name)
{
	unsigned i = 0;

	while (i < DEBUG_VERBOSITIES && (name.n != strlen(verbosities[i]) ||
					 strncasecmp(name.p, verbosities[i], name.n) != 0))
		i++;
	return (enum debug_verbosity)i;
}

static int debug_check(const void *settings, struct err *e)
{
	const struct debug_settings *s = settings;

	if (find_verbosity(s->verbosity) == DEBUG_VERBOSITIES)
		return err_set(e, -EINVAL,
			       "verbosity level \"%.*s\" is not supported; expected basic, normal "
			       "or detailed",
			       STR_ARG(s->verbosity));
	if (s->output_paths.n > 1 ||
	    (s->output_paths.n && !str_eq(s->output_paths.at[0], STR("stdout")) &&
	     !str_eq(s->output_paths.at[0], STR("stderr"))))
		return err_set(e, -EINVAL,
			       "\"output_paths\" has to be [stdout] or [stderr]; use "
			       "the file exporter for files");
	return 0;
}

static int debug_create(void **instance, const struct component_env *env, const void *settings,
			struct err *e)
{
	const struct debug_settings *s = settings;
	struct debug_exporter *x = calloc(1, sizeof(*x));

	if (!x)
		return err_errno(e, -ENOMEM, "debug");
	x->settings = s;
	x->id = env->id;
	x->verbosity = find_verbosity(s->verbosity);
	x->fd = env->log && env->log->level <= LOG_INFO ? env->log->fd : -1;
	if (!s->use_internal_logger)
		x->fd = s->output_paths.n && str_eq(s->output_paths.at[0], STR("stderr")) ? 2 : 1;
	pthread_mutex_init(&x->mu, NULL);
	*instance = x;
	return 0;
}

static void debug_destroy(void *instance)
{
	struct debug_exporter *x = instance;

	buf_fini(&x->out);
	buf_fini(&x->scratch);
	pthread_mutex_destroy(&x->mu);
	free(x);
}

static const struct setting settings[] = {
	SET_STRING(struct debug_settings, verbosity, "verbosity", "basic",
		   "basic: one line per message; normal: one line per item; detailed: all fields."),
	SET_INT(struct debug_settings, sampling_initial, "sampling_initial", "2", 0, INT32_MAX,
		"messages", "Messages that are written at first in each second."),
	SET_INT(struct debug_settings, sampling_thereafter, "sampling_thereafter", "1", 0,
		INT32_MAX, NULL, "After them, write every n-th message; 0: none."),
	SET_BOOL(struct debug_settings, use_internal_logger, "use_internal_logger", "true",
		 "Write to the log; false: to output_paths."),
	SET_LIST(struct debug_settings, output_paths, "output_paths", "stdout",
		 "stdout or stderr; only with use_internal_logger: false."),
	SET_IGNORED("sending_queue", "text is written at once"),
	SET_IGNORED("output", "everything is written"),
	SET_END,
};

const struct component debug_exporter = {
	.name = "debug",
	.kind = COMPONENT_EXPORTER,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_PAYLOAD,
	.help = "Writes data to the log as text.",
	.settings = settings,
	.settings_size = sizeof(struct debug_settings),
	.check = debug_check,
	.create = debug_create,
	.consume = debug_consume,
	.destroy = debug_destroy,
};
