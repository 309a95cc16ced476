/* SPDX-License-Identifier: Apache-2.0 */
/* varve control: change what running instances profile, for a limited time. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/time_text.h"
#include "cli/commands.h"
#include "cli/remote.h"
#include "wire/json_write.h"

struct control_options {
	struct common_options common;
	struct remote_options remote;
	uint64_t cpu_hz, wall_hz, heap_interval, wait;
	const char *profiles, *duration, *reason, *instance;
	bool end;
};

#define AT(field) offsetof(struct control_options, field)

static const struct option control_options[] = {
	{"cpu-hz", 0, OPTION_COUNT, AT(cpu_hz), "N", "0", NULL,
	 "CPU samples per second and thread"},
	{"wall-hz", 0, OPTION_COUNT, AT(wall_hz), "N", "0", NULL,
	 "wall-clock samples per second and thread"},
	{"heap-interval", 0, OPTION_SIZE, AT(heap_interval), "SIZE", "0", NULL,
	 "mean bytes between two heap samples"},
	{"profiles", 0, OPTION_TEXT, AT(profiles), "KINDS", NULL, NULL,
	 "kinds of profiles: cpu,heap,mutex,block,wall,threads,threadcreate,mmap; all others are "
	 "off"},
	{"for", 0, OPTION_TEXT, AT(duration), "TIME", "60s", NULL,
	 "how long, at most 1h; then the instances return to their own settings"},
	{"reason", 0, OPTION_TEXT, AT(reason), "TEXT", NULL, NULL, "why, for the log"},
	{"instance", 0, OPTION_TEXT, AT(instance), "ID", NULL, NULL,
	 "only instances whose id begins with this"},
	{"wait", 0, OPTION_COUNT, AT(wait), "SECONDS", "15", NULL,
	 "how long to wait for the confirmation of all instances"},
	{"end", 0, OPTION_FLAG, AT(end), NULL, NULL, NULL, "end an earlier change now"},
	{0},
};

static const struct option_group control_groups[] = {
	{"Options", common_options, AT(common)},
	{"Change", control_options, 0},
	{"Server", remote_options, AT(remote)},
	{0},
};

static void put_count(struct json_writer *w, const char *key, uint64_t value)
{
	if (!value)
		return;
	json_put_key(w, str_from(key));
	json_put_u64(w, value);
}

static void put_word(struct json_writer *w, const char *key, const char *value)
{
	if (!value)
		return;
	json_put_key(w, str_from(key));
	json_put_string(w, str_from(value));
}

static int make_body(struct buf *out, const struct control_options *o, const char *service,
		     struct err *e)
{
	struct json_writer w = json_writer_to(out, 0);
	uint64_t ns;

	if (duration_parse(str_from(o->duration), &ns, e) || ns < NS_PER_SECOND)
		return err_set(e, -EINVAL, "--for: expected a time of at least 1s, found \"%s\"",
			       o->duration);
	json_open_object(&w);
	put_word(&w, "service", service);
	put_word(&w, "instance", o->instance);
	put_word(&w, "reason", o->reason);
	put_word(&w, "profiles", o->profiles);
	put_count(&w, "cpu_hz", o->cpu_hz);
	put_count(&w, "wall_hz", o->wall_hz);
	put_count(&w, "heap_interval", o->heap_interval);
	put_count(&w, "seconds", ns / NS_PER_SECOND);
	json_close_object(&w);
	return buf_error(out);
}

/* Get the state of the service. */
static int get_state(struct remote *r, const char *service, struct json *doc, struct arena *arena,
		     struct err *e)
{
	struct buf url = {0};
	int rc;

	remote_path(&url, "/api/v1/control");
	remote_param(&url, "service", service);
	rc = remote_json(r, NULL, &url, doc, arena, e);
	buf_fini(&url);
	return rc;
}

/* Return the lease with this id, or NULL. */
static const struct json_value *find_lease(const struct json *doc, struct str id)
{
	json_each(lease, json_get(json_root(doc), STR("leases")))
	{
		if (str_eq(json_str(json_get(lease, STR("id"))), id))
			return lease;
	}
	return NULL;
}

/* Wait until no instance of the lease is left that has not confirmed it. */
static int wait_for_instances(struct remote *r, const struct control_options *o,
			      const char *service, struct str id, struct json *doc,
			      struct arena *arena, struct err *e)
{
	uint64_t end = clock_monotonic_ns() + o->wait * NS_PER_SECOND;
	const struct json_value *lease;
	int rc;

	for (;;) {
		rc = get_state(r, service, doc, arena, e);
		lease = rc ? NULL : find_lease(doc, id);
		if (rc || !lease || !remote_count(lease, "waiting") || clock_monotonic_ns() >= end)
			return rc;
		nanosleep(&(struct timespec){0, 300000000}, NULL);
	}
}

static void put_errors(struct buf *out, const struct json *doc)
{
	json_each(instance, json_get(json_root(doc), STR("instances")))
	{
		struct str error = json_str(json_get(instance, STR("lease_error")));

		if (str_eq(json_str(json_get(instance, STR("lease_state"))), STR("refused")))
			buf_printf(out, "%.*s: %.*s\n",
				   STR_ARG(json_str(json_get(instance, STR("instance")))),
				   STR_ARG(error));
	}
}

/* Set a lease, and report what the instances answer. */
static int set_lease(struct remote *r, const struct control_options *o, const char *service,
		     struct arena *arena, struct buf *out, bool *refused, struct err *e)
{
	struct buf url = {0}, body = {0}, answer = {0};
	const struct json_value *lease;
	struct str id = {0}, text;
	struct json doc;
	int rc = make_body(&body, o, service, e);

	json_init(&doc, arena);
	remote_path(&url, "/api/v1/control");
	rc = rc ? rc : remote_request(r, "POST", &url, buf_str(&body), &answer, e);
	rc = rc ? rc : arena_copy_str(arena, buf_str(&answer), &text);
	rc = rc ? rc : json_parse(&doc, text, e);
	if (!rc)
		rc = arena_copy_str(
			arena,
			json_str(json_get(json_get(json_root(&doc), STR("lease")), STR("id"))),
			&id);
	rc = rc ? rc : wait_for_instances(r, o, service, id, &doc, arena, e);
	lease = rc ? NULL : find_lease(&doc, id);
	if (!rc && !lease) {
		buf_printf(out, "the change has ended already\n");
	} else if (!rc) {
		buf_printf(out,
			   "%s: applied by %llu instances, refused by %llu, no answer of %llu\n",
			   service, (unsigned long long)remote_count(lease, "applied"),
			   (unsigned long long)remote_count(lease, "refused"),
			   (unsigned long long)remote_count(lease, "waiting"));
		put_errors(out, &doc);
		*refused = remote_count(lease, "refused") || remote_count(lease, "waiting");
	}
	buf_fini(&url);
	buf_fini(&body);
	buf_fini(&answer);
	return rc;
}

static int end_lease(struct remote *r, const char *service, struct buf *out, struct err *e)
{
	struct buf url = {0}, answer = {0};
	int rc;

	remote_path(&url, "/api/v1/control");
	remote_param(&url, "service", service);
	rc = remote_request(r, "DELETE", &url, (struct str){0}, &answer, e);
	if (!rc)
		buf_printf(out, "%s: the change is ended\n", service);
	buf_fini(&url);
	buf_fini(&answer);
	return rc;
}

static void put_instance_row(struct buf *out, const struct json_value *instance)
{
	const struct json_value *settings = json_get(instance, STR("settings"));
	struct buf kinds = {0};

	json_each(kind, json_get(settings, STR("profiles")))
		buf_printf(&kinds, "%s%.*s", kinds.n ? "," : "", STR_ARG(json_str(kind)));
	buf_printf(out, "%-36.*s %-20.*s %-16.*s %8llu %6llu %-24.*s %.*s\n",
		   STR_ARG(json_str(json_get(instance, STR("instance")))),
		   STR_ARG(json_str(json_get(instance, STR("service")))),
		   STR_ARG(json_str(json_get(instance, STR("host")))),
		   (unsigned long long)remote_count(instance, "pid"),
		   (unsigned long long)remote_count(settings, "cpu_hz"), STR_ARG(buf_str(&kinds)),
		   STR_ARG(json_str(json_get(instance, STR("lease_state")))));
	buf_fini(&kinds);
}

static int list_instances(struct remote *r, const char *service, struct arena *arena,
			  struct buf *out, struct err *e)
{
	struct json doc;
	int rc = get_state(r, service, &doc, arena, e);

	if (rc)
		return rc;
	buf_printf(out, "%-36s %-20s %-16s %8s %6s %-24s %s\n", "instance", "service", "host",
		   "pid", "cpu-hz", "profiles", "lease");
	json_each(instance, json_get(json_root(&doc), STR("instances")))
		put_instance_row(out, instance);
	return 0;
}

static enum exit_code run_control(struct cli *cli, void *options, const struct arguments *args)
{
	const struct control_options *o = options;
	const char *service = args->n ? args->at[0] : NULL;
	bool change = o->cpu_hz || o->wall_hz || o->heap_interval || o->profiles, refused = false;
	enum exit_code status = EXIT_COULD_NOT;
	struct remote r = {0};
	struct buf out = {0};
	struct arena arena;
	struct err e = {0};
	int rc;

	if (args->n > 1 || ((change || o->end) && !service))
		return cli_usage(cli, &command_control, "give one service");
	if (change && o->end)
		return cli_usage(cli, &command_control, "--end excludes a change");
	arena_init(&arena, &cli->budget);
	rc = remote_open(&r, &o->remote, cli, &e);
	if (!rc)
		rc = o->end   ? end_lease(&r, service, &out, &e)
		     : change ? set_lease(&r, o, service, &arena, &out, &refused, &e)
			      : list_instances(&r, service, &arena, &out, &e);
	if (rc)
		cli_fail(cli, &e);
	else
		status = cli_print(cli, &out, refused ? EXIT_NO : EXIT_DONE);
	remote_close(&r);
	arena_fini(&arena);
	buf_fini(&out);
	return status;
}

const struct command command_control = {
	.name = "control",
	.summary = "change what running instances of a service profile",
	.arguments = "[SERVICE]",
	.details =
		"Without a change: list the instances that report to the server. A change is\n"
		"confirmed by the instances within ten seconds and ends by itself. Exit code 1:\n"
		"an instance refused it or did not answer.\n",
	.examples = "varve control checkout --cpu-hz 500 --for 60s --profiles cpu,heap\n"
		    "varve control checkout --end\n"
		    "varve control",
	.groups = control_groups,
	.options_size = sizeof(struct control_options),
	.run = run_control,
};
