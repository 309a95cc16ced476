/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the section: readers of metrics, log level, format and profiles. */
#include "pipeline/service/telemetry_settings.h"

#include <errno.h>
#include <strings.h>
#include <unistd.h>

/* ---- readers ---- */

struct reader_exporter {
	struct str host;
	int64_t port;
	bool without_type_suffix;
};

static const struct setting prometheus_table[] = {
	SET_STRING(struct reader_exporter, host, "host", "localhost", "Host to listen on."),
	SET_INT(struct reader_exporter, port, "port", "8888", 1, 65535, NULL, "Port to listen on."),
	SET_BOOL(struct reader_exporter, without_type_suffix, "without_type_suffix", "true",
		 "false: add _total to the names of counters."),
	SET_IGNORED("without_units", "no units are added to names"),
	SET_IGNORED("without_scope_info", "no scopes are written"),
	SET_IGNORED("with_resource_constant_labels", "no attributes of the resource are written"),
	SET_IGNORED("translation_strategy", "names are always valid without translation"),
	SET_END,
};

/* Read pull.exporter.prometheus of a reader. */
static int read_pull(struct metrics_reader *r, const struct config_node *n, struct arena *arena,
		     struct err *e)
{
	const struct config_node *p = config_find(n, "exporter.prometheus");
	struct reader_exporter x;
	int rc;

	if (!p)
		return config_fail(n, e,
				   "service telemetry: a reader of metrics has to be "
				   "pull.exporter.prometheus");
	rc = settings_read(prometheus_table, p, "service telemetry metrics", &x, arena, e);
	if (!rc)
		rc = arena_printf(arena, &r->address, "%.*s:%d", STR_ARG(x.host), (int)x.port);
	if (!rc)
		r->suffixes = !x.without_type_suffix;
	return rc;
}

static int read_readers(const struct config_node *n, const char *what, void *to,
			struct arena *arena, struct err *e)
{
	struct metrics_reader *at = arena_zalloc(arena, METRICS_READERS_MAX, sizeof(*at));
	uint32_t count = 0;
	int rc = 0;

	if (!at)
		return -ENOMEM;
	if (n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: \"readers\" has to be a list", what);
	for (const struct config_node *r = n->first; r && !rc; r = r->next) {
		const struct config_node *pull = config_get(r, STR("pull"));

		if (!pull && config_get(r, STR("periodic"))) {
			config_warn(r, "a periodic reader of metrics is not supported and ignored: "
				       "scrape the metrics, or use a pull reader");
			continue;
		}
		if (count == METRICS_READERS_MAX)
			return config_fail(r, e, "%s: more than %d readers", what,
					   METRICS_READERS_MAX);
		rc = pull ? read_pull(&at[count++], pull, arena, e)
			  : config_fail(r, e, "%s: a reader has to be pull or periodic", what);
	}
	*(struct metrics_readers *)to = (struct metrics_readers){at, count};
	return rc;
}

/* ---- the section ---- */

static const struct setting metrics_table[] = {
	SET_STRING(struct telemetry_metrics_settings, level, "level", "normal",
		   "none: serve no metrics; basic, normal and detailed are the same."),
	SET_STRING(struct telemetry_metrics_settings, address, "address", NULL,
		   "HOST:PORT of the metrics; use readers instead."),
	SET_CUSTOM(struct telemetry_metrics_settings, readers, "readers", read_readers, "list",
		   "A list of pull: {exporter: {prometheus: {host, port}}}."),
	SET_IGNORED("views", "metrics are served as they are"),
	SET_END,
};

static const struct setting logs_table[] = {
	SET_STRING(struct telemetry_logs_settings, level, "level", NULL,
		   "debug, info, warn or error; default: that of --log-level."),
	SET_STRING(struct telemetry_logs_settings, encoding, "encoding", "console",
		   "console: lines of key=value; json: an object for each record."),
	SET_LIST(struct telemetry_logs_settings, output_paths, "output_paths", "stderr",
		 "stderr or stdout; files are ignored with a warning."),
	SET_IGNORED("error_output_paths", "log records go to stderr"),
	SET_IGNORED("development", "there is one form of log records"),
	SET_IGNORED("disable_caller", "log records have no caller"),
	SET_IGNORED("disable_stacktrace", "log records have no stack trace"),
	SET_IGNORED("disable_zap_resource", "log records have no resource"),
	SET_IGNORED("sampling", "records of one kind are limited to 10 a second"),
	SET_IGNORED("initial_fields", "log records have no additional fields"),
	SET_IGNORED("processors", "log records go to stderr"),
	SET_END,
};

const struct setting telemetry_settings_table[] = {
	SET_GROUP_ALWAYS(struct telemetry_settings, metrics, "metrics", metrics_table,
			 "Metrics of this process, in Prometheus' text format at /metrics."),
	SET_GROUP_ALWAYS(struct telemetry_settings, logs, "logs", logs_table, "The log."),
	SET_BOOL(struct telemetry_settings, profiles, "profiles", "true",
		 "Profile this process; of varve collector only if it is set."),
	SET_IGNORED("traces", "this process makes no spans of itself"),
	SET_IGNORED("resource", "metrics and log records have no resource"),
	SET_END,
};

static const struct {
	const char *name;
	enum log_level level;
} levels[] = {
	{"debug", LOG_DEBUG}, {"info", LOG_INFO},    {"warn", LOG_WARN},   {"warning", LOG_WARN},
	{"error", LOG_ERROR}, {"dpanic", LOG_ERROR}, {"panic", LOG_ERROR}, {"fatal", LOG_ERROR},
};

static bool find_level(struct str name, unsigned *level)
{
	for (size_t i = 0; i < countof(levels); i++)
		if (strlen(levels[i].name) == name.n &&
		    strncasecmp(levels[i].name, name.p, name.n) == 0) {
			*level = levels[i].level;
			return true;
		}
	return false;
}

/* Return whether the only output is that file. */
static bool is_output(const struct config_node *logs, const char *name)
{
	const struct config_node *paths = config_get(logs, STR("output_paths"));

	if (paths && paths->kind == CONFIG_LIST)
		paths = paths->first && !paths->first->next ? paths->first : NULL;
	return paths && str_eq(paths->text, str_from(name));
}

struct log telemetry_log(const struct config_node *root, enum log_level level)
{
	const struct config_node *logs = config_find(root, "service.telemetry.logs");
	const struct config_node *n = config_get(logs, STR("level"));
	unsigned found = level;

	if (n && n->kind == CONFIG_SCALAR)
		(void)find_level(n->text, &found);
	n = config_get(logs, STR("encoding"));
	return (struct log){.fd = is_output(logs, "stdout") ? STDOUT_FILENO : STDERR_FILENO,
			    .level = (enum log_level)found,
			    .json = n && str_eq(n->text, STR("json"))};
}

/* Check the form and the destination of log records. */
static int check_logs(const struct telemetry_logs_settings *s, const struct config_node *section,
		      struct err *e)
{
	const struct config_node *logs = config_get(section, STR("logs"));

	if (!str_eq(s->encoding, STR("console")) && !str_eq(s->encoding, STR("json")))
		return config_fail(config_get(logs, STR("encoding")), e,
				   "service telemetry: no encoder registered for name \"%.*s\"; "
				   "expected console or json",
				   STR_ARG(str_head(s->encoding, 64)));
	if (config_get(logs, STR("output_paths")) && !is_output(logs, "stderr") &&
	    !is_output(logs, "stdout"))
		config_warn(
			config_get(logs, STR("output_paths")),
			"service telemetry: \"output_paths\" is ignored: the log goes to stderr, "
			"or to stdout if this is the only path");
	return 0;
}

static bool is_level_of_metrics(struct str name)
{
	static const char *const known[] = {"none", "basic", "normal", "detailed"};

	for (size_t i = 0; i < countof(known); i++)
		if (strlen(known[i]) == name.n && strncasecmp(known[i], name.p, name.n) == 0)
			return true;
	return false;
}

static int check_levels(const struct telemetry_settings *s, const struct config_node *section,
			struct err *e)
{
	unsigned level;

	if (s->logs.level.n && !find_level(s->logs.level, &level))
		return config_fail(config_find(section, "logs.level"), e,
				   "service telemetry: unrecognized level: \"%.*s\"; expected "
				   "debug, info, warn or error",
				   STR_ARG(str_head(s->logs.level, 64)));
	if (!is_level_of_metrics(s->metrics.level))
		return config_fail(config_find(section, "metrics.level"), e,
				   "service telemetry: unknown level of metrics \"%.*s\"; "
				   "expected none, basic, normal or detailed",
				   STR_ARG(str_head(s->metrics.level, 64)));
	return check_logs(&s->logs, section, e);
}

/* Decide where the metrics are served. */
static int choose_readers(struct telemetry_metrics_settings *s, const struct config_node *section,
			  const char *fallback, struct arena *arena)
{
	struct metrics_reader *one;

	if (s->level.n == 4 && strncasecmp(s->level.p, "none", 4) == 0) {
		s->readers.n = 0;
		return 0;
	}
	if (config_find(section, "metrics.readers") || (!s->address.n && !fallback))
		return 0;
	one = arena_zalloc(arena, 1, sizeof(*one));
	if (!one)
		return -ENOMEM;
	one->optional = !s->address.n;
	one->address = one->optional ? str_from(fallback) : s->address;
	s->readers = (struct metrics_readers){one, 1};
	return 0;
}

int telemetry_settings_read(struct telemetry_settings *out, const struct config_node *root,
			    const char *fallback, struct arena *arena, struct err *e)
{
	const struct config_node *section = config_find(root, "service.telemetry");
	int rc;

	*out = (struct telemetry_settings){0};
	rc = settings_read(telemetry_settings_table, section, "service telemetry", out, arena, e);
	if (!rc)
		rc = check_levels(out, section, e);
	return rc ? rc : choose_readers(&out->metrics, section, fallback, arena);
}
