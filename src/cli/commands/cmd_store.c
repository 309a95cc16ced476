/* SPDX-License-Identifier: Apache-2.0 */
/* varve store: check a data directory, show what uses its space, or rotate its key. */
#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/terminal/units.h"
#include "seal/rotate.h"
#include "store/sqlite/sqlite_store.h"
#include "wire/json_write.h"

struct store_options {
	struct common_options common;
	bool json;
	const char *key_file;
};

static const struct option own_options[] = {
	{"json", 0, OPTION_FLAG, offsetof(struct store_options, json), NULL, NULL, NULL,
	 "print JSON (check, stats)"},
	{"encrypt-key-file", 0, OPTION_TEXT, offsetof(struct store_options, key_file), "FILE", NULL,
	 NULL, "the master keys of the directory, if it is encrypted"},
	{0},
};

static const struct option_group groups[] = {
	{"Options", common_options, offsetof(struct store_options, common)},
	{"Output", own_options, 0},
	{0},
};

enum { KINDS_MAX = 32 };

/* The output, and the sizes by kind, which are summed over the partitions. */
struct store_view {
	struct cli *cli;
	const struct store_options *options;
	struct buf *out;
	struct json_writer json;
	struct {
		char name[32];
		uint64_t count, bytes;
	} kinds[KINDS_MAX];
	unsigned kind_n;
	uint64_t bytes;
};

/* ---- check ---- */

static void on_problem(void *context, const char *partition, const char *text)
{
	struct store_view *v = context;

	if (!v->options->json) {
		buf_printf(v->out, "%s: %s\n", partition, text);
		return;
	}
	json_open_object(&v->json);
	json_put_key(&v->json, STR("partition"));
	json_put_string(&v->json, str_from(partition));
	json_put_key(&v->json, STR("problem"));
	json_put_string(&v->json, str_from(text));
	json_close_object(&v->json);
}

static int check_store(struct store *s, struct store_view *v, enum exit_code *status, struct err *e)
{
	struct sqlite_store_report report = {.problem = on_problem, .context = v};
	struct store_stats stats;
	uint64_t problems = 0;
	int rc;

	if (v->options->json)
		json_open_array(&v->json);
	rc = sqlite_store_check(s, &report, &problems, e);
	if (!rc)
		rc = s->ops->stats(s, STR(""), &stats, e);
	if (rc)
		return rc;
	if (v->options->json) {
		json_close_array(&v->json);
		buf_put_char(v->out, '\n');
	} else {
		buf_printf(v->out,
			   "%s; %u partitions, %llu profiles, %llu samples, %llu spans, %llu log "
			   "records, %llu samples of metrics%s\n",
			   problems ? "damaged" : "clean", stats.partitions,
			   (unsigned long long)stats.profiles, (unsigned long long)stats.samples,
			   (unsigned long long)stats.spans, (unsigned long long)stats.logs,
			   (unsigned long long)stats.metric_samples,
			   stats.partitions_damaged ? "; damaged files were set aside earlier"
						    : "");
	}
	*status = problems ? EXIT_NO : EXIT_DONE;
	return 0;
}

/* ---- stats ---- */

static void on_size(void *context, const char *partition, struct str kind, uint64_t count,
		    uint64_t bytes)
{
	struct store_view *v = context;
	unsigned i = 0;

	(void)partition;
	while (i < v->kind_n && !str_eq(str_from(v->kinds[i].name), kind))
		i++;
	if (i == KINDS_MAX)
		return;
	if (i == v->kind_n) {
		v->kind_n++;
		snprintf(v->kinds[i].name, sizeof(v->kinds[i].name), "%.*s", STR_ARG(kind));
	}
	v->kinds[i].count += count;
	v->kinds[i].bytes += bytes;
	v->bytes += bytes;
}

static void print_json(struct store_view *v, const struct store_stats *stats)
{
	const struct {
		const char *name;
		uint64_t value;
	} fields[] = {
		{"partitions", stats->partitions},
		{"partitions_damaged", stats->partitions_damaged},
		{"profiles", stats->profiles},
		{"samples", stats->samples},
		{"series", stats->series},
		{"oldest", stats->oldest},
		{"newest", stats->newest},
		{"bytes_live", stats->bytes_live},
		{"bytes_disk", stats->bytes_disk},
		{"bytes_disk_limit", stats->bytes_disk_limit},
		{"bytes_ingested", stats->bytes_ingested},
		{"spans", stats->spans},
		{"bytes_spans", stats->bytes_spans},
		{"logs", stats->logs},
		{"bytes_logs", stats->bytes_logs},
		{"metric_series", stats->metric_series},
		{"metric_samples", stats->metric_samples},
		{"bytes_metrics", stats->bytes_metrics},
	};
	struct json_writer *w = &v->json;

	json_open_object(w);
	for (size_t i = 0; i < countof(fields); i++) {
		json_put_key(w, str_from(fields[i].name));
		json_put_u64(w, fields[i].value);
	}
	json_put_key(w, STR("sizes"));
	json_open_object(w);
	for (unsigned i = 0; i < v->kind_n; i++) {
		json_put_key(w, str_from(v->kinds[i].name));
		json_open_object(w);
		json_put_key(w, STR("count"));
		json_put_u64(w, v->kinds[i].count);
		json_put_key(w, STR("bytes"));
		json_put_u64(w, v->kinds[i].bytes);
		json_close_object(w);
	}
	json_close_object(w);
	json_close_object(w);
	buf_put_char(v->out, '\n');
}

static void print_text(struct store_view *v, const struct store_stats *stats)
{
	char oldest[CLOCK_TEXT_SIZE], newest[CLOCK_TEXT_SIZE];
	double samples = stats->samples ? (double)stats->samples : 1;

	buf_printf(v->out, "%u partitions, %llu profiles, %llu samples, %llu series\n",
		   stats->partitions, (unsigned long long)stats->profiles,
		   (unsigned long long)stats->samples, (unsigned long long)stats->series);
	if (stats->spans)
		buf_printf(v->out, "%llu spans, %.1f bytes each\n",
			   (unsigned long long)stats->spans,
			   (double)stats->bytes_spans / (double)stats->spans);
	if (stats->logs)
		buf_printf(v->out, "%llu log records, %.1f bytes each\n",
			   (unsigned long long)stats->logs,
			   (double)stats->bytes_logs / (double)stats->logs);
	if (stats->metric_samples)
		buf_printf(v->out,
			   "%llu samples of metrics, %.2f bytes each; %llu series in a day\n",
			   (unsigned long long)stats->metric_samples,
			   (double)stats->bytes_metrics / (double)stats->metric_samples,
			   (unsigned long long)stats->metric_series);
	if (stats->oldest)
		buf_printf(v->out, "from %s to %s\n", clock_format(stats->oldest, oldest),
			   clock_format(stats->newest, newest));
	if (stats->partitions_damaged)
		buf_printf(v->out, "%u damaged files were set aside (*.damaged)\n",
			   stats->partitions_damaged);
	buf_printf(v->out, "\n%12s %10s %9s  %s\n", "bytes", "share", "B/sample", "what");
	for (unsigned i = 0; i < v->kind_n; i++)
		buf_printf(v->out, "%12s %10s %9.2f  %s\n",
			   unit_value((int64_t)v->kinds[i].bytes, STR("bytes"), false).text,
			   unit_share((double)v->kinds[i].bytes, (double)v->bytes, 1).text,
			   (double)v->kinds[i].bytes / samples, v->kinds[i].name);
	buf_printf(v->out, "%12s %10s %9.2f  all files\n",
		   unit_value((int64_t)stats->bytes_disk, STR("bytes"), false).text, "",
		   (double)stats->bytes_disk / samples);
	buf_printf(v->out, "%12s %10s %9s  upper bound: twice the live bytes, and a minimum\n",
		   unit_value((int64_t)stats->bytes_disk_limit, STR("bytes"), false).text, "", "");
}

static int show_stats(struct store *s, struct store_view *v, struct err *e)
{
	struct sqlite_store_sizes sizes = {.visit = on_size, .context = v};
	struct store_stats stats;
	int rc = s->ops->stats(s, STR(""), &stats, e);

	if (!rc)
		rc = sqlite_store_sizes(s, &sizes, e);
	if (rc)
		return rc;
	if (v->options->json)
		print_json(v, &stats);
	else
		print_text(v, &stats);
	return 0;
}

/* Run check or stats. */
static int inspect_store(struct store_view *v, const char *directory, bool checks,
			 enum exit_code *status, struct err *e)
{
	struct sqlite_store_options open = {.directory = directory, .read_only = true};
	struct store *s = NULL;
	int rc = 0;

	if (v->options->key_file)
		rc = key_ring_open(&open.keys, v->options->key_file, NULL, e);
	if (!rc)
		rc = sqlite_store_open(&s, &open, e);
	if (!rc)
		rc = checks ? check_store(s, v, status, e) : show_stats(s, v, e);
	if (s)
		s->ops->close(s);
	key_ring_unref(open.keys);
	return rc;
}

static int run_check_action(struct store_view *v, const char *directory, enum exit_code *status,
			    struct err *e)
{
	return inspect_store(v, directory, true, status, e);
}

static int run_stats_action(struct store_view *v, const char *directory, enum exit_code *status,
			    struct err *e)
{
	return inspect_store(v, directory, false, status, e);
}

/* ---- keys ---- */

static void on_rotate_problem(void *context, const char *path, const struct err *why)
{
	struct store_view *v = context;

	cli_note(v->cli, "%s: %s", path, why->text);
}

static int run_rotate_action(struct store_view *v, const char *directory, enum exit_code *status,
			     struct err *e)
{
	struct rotate_report report = {.problem = on_rotate_problem, .context = v};
	struct key_ring *keys = NULL;
	char text[KEY_ID_TEXT];
	int rc;

	if (!v->options->key_file)
		return err_set(
			e, -EINVAL,
			"rotate-key: name the key file with --encrypt-key-file; its first key "
			"is the new one, the old ones follow");
	rc = key_ring_open(&keys, v->options->key_file, NULL, e);
	if (!rc)
		rc = seal_rotate(directory, keys, &report, e);
	if (!rc) {
		key_id_text(key_ring_current(keys), text);
		buf_printf(v->out,
			   "key %s: %u files rotated, %u had it, %u failed, %u not encrypted\n",
			   text, report.rotated, report.current, report.failed, report.plain);
		*status = report.failed ? EXIT_COULD_NOT : EXIT_DONE;
	}
	key_ring_unref(keys);
	return rc;
}

static int run_keys_action(struct store_view *v, const char *file, enum exit_code *status,
			   struct err *e)
{
	struct key_id ids[KEY_RING_MOST], current;
	struct key_ring *keys = NULL;
	char text[KEY_ID_TEXT];
	uint32_t n;
	int rc = key_ring_open(&keys, file, NULL, e);

	(void)status;
	if (rc)
		return rc;
	n = key_ring_list(keys, ids);
	current = key_ring_current(keys);
	for (uint32_t i = 0; i < n; i++)
		buf_printf(v->out, "%s%s\n", key_id_text(ids[i], text),
			   memcmp(&ids[i], &current, sizeof(current)) == 0 ? " current" : "");
	key_ring_unref(keys);
	return 0;
}

/* ---- the command ---- */

static const struct store_action {
	const char *name;
	int (*run)(struct store_view *v, const char *argument, enum exit_code *status,
		   struct err *e);
} actions[] = {
	{"check", run_check_action},
	{"stats", run_stats_action},
	{"rotate-key", run_rotate_action},
	{"keys", run_keys_action},
};

static enum exit_code run_store(struct cli *cli, void *options, const struct arguments *args)
{
	const struct store_options *o = options;
	const struct store_action *action = NULL;
	struct buf out = {0};
	struct store_view v = {.cli = cli,
			       .options = o,
			       .out = &out,
			       .json = json_writer_to(&out, o->json ? 2 : 0)};
	enum exit_code status = EXIT_DONE;
	struct err e = {0};
	int rc;

	if (args->n != 2)
		return cli_usage(cli, &command_store,
				 "give check or stats, and the data directory");
	for (size_t i = 0; i < countof(actions); i++)
		if (!strcmp(args->at[0], actions[i].name))
			action = &actions[i];
	if (!action)
		return cli_usage(cli, &command_store,
				 "expected check or stats, or rotate-key or keys");
	rc = action->run(&v, args->at[1], &status, &e);
	status = rc ? cli_fail(cli, &e) : cli_print(cli, &out, status);
	buf_fini(&out);
	return status;
}

const struct command command_store = {
	.name = "store",
	.summary = "check a data directory, show what uses its space, or rotate its key",
	.arguments = "check DIR  |  stats DIR  |  rotate-key DIR  |  keys FILE",
	.details =
		"check and stats only read, also while a server has the directory open. check\n"
		"verifies all checksums and sums. Exit code: 0 clean, 1 damaged, 2 could not be\n"
		"read. rotate-key wraps the data keys of all encrypted files by the first key of\n"
		"the key file, also while a server runs; it can be repeated. keys lists the ids\n"
		"of the keys in a file.\n",
	.examples = "varve store check ./data\n"
		    "varve store stats ./data --json | jq .sizes\n"
		    "varve store rotate-key ./data --encrypt-key-file keys",
	.groups = groups,
	.options_size = sizeof(struct store_options),
	.run = run_store,
};
