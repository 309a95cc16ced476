/* SPDX-License-Identifier: Apache-2.0 */
/* varve capture: take a profile of running instances and bring it back. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/remote.h"
#include "wire/json_write.h"

struct capture_options {
	struct common_options common;
	struct remote_options remote;
	uint64_t seconds;
	const char *kind, *output, *instance;
	bool all;
};

#define AT(field) offsetof(struct capture_options, field)

static const struct option capture_options[] = {
	{"seconds", 0, OPTION_COUNT, AT(seconds), "N", "10", NULL, "length of the profile"},
	{"kind", 0, OPTION_TEXT, AT(kind), "KIND", "cpu", NULL,
	 "cpu, wall, heap, mutex, block, threads, threadcreate or mmap"},
	{"output", 'o', OPTION_TEXT, AT(output), "FILE", NULL, NULL,
	 "write pprof to this file; with --all to FILE-INSTANCE.pb.gz"},
	{"instance", 0, OPTION_TEXT, AT(instance), "ID", NULL, NULL,
	 "an instance whose id begins with this"},
	{"all", 0, OPTION_FLAG, AT(all), NULL, NULL, NULL, "all instances, not only one"},
	{0},
};

static const struct option_group capture_groups[] = {
	{"Options", common_options, AT(common)},
	{"Profile", capture_options, 0},
	{"Server", remote_options, AT(remote)},
	{0},
};

static int make_body(struct buf *out, const struct capture_options *o, const char *service)
{
	struct json_writer w = json_writer_to(out, 0);

	json_open_object(&w);
	json_put_key(&w, STR("service"));
	json_put_string(&w, str_from(service));
	json_put_key(&w, STR("kind"));
	json_put_string(&w, str_from(o->kind));
	json_put_key(&w, STR("seconds"));
	json_put_u64(&w, o->seconds);
	json_put_key(&w, STR("all"));
	json_put_bool(&w, o->all);
	if (o->instance) {
		json_put_key(&w, STR("instance"));
		json_put_string(&w, str_from(o->instance));
	}
	json_close_object(&w);
	return buf_error(out);
}

/* A capture on the server. */
struct captured {
	struct remote *remote;
	struct arena *arena;
	struct str id;
	struct json doc; /* its state */
};

static int start_capture(struct captured *c, const struct capture_options *o, const char *service,
			 struct err *e)
{
	struct buf url = {0}, body = {0}, answer = {0};
	struct str text;
	int rc = make_body(&body, o, service);

	json_init(&c->doc, c->arena);
	remote_path(&url, "/api/v1/capture");
	rc = rc ? rc : remote_request(c->remote, "POST", &url, buf_str(&body), &answer, e);
	rc = rc ? rc : arena_copy_str(c->arena, buf_str(&answer), &text);
	rc = rc ? rc : json_parse(&c->doc, text, e);
	if (!rc)
		rc = arena_copy_str(c->arena, json_str(json_get(json_root(&c->doc), STR("id"))),
				    &c->id);
	buf_fini(&url);
	buf_fini(&body);
	buf_fini(&answer);
	return rc;
}

/* Wait until each instance has a profile or has failed. The server bounds the time. */
static int wait_for_profiles(struct captured *c, struct err *e)
{
	struct buf url = {0};
	int rc = 0;

	remote_path(&url, "/api/v1/capture");
	remote_param(&url, "id", c->id.p);
	while (!rc && json_kind(json_get(json_root(&c->doc), STR("done"))) != JSON_TRUE) {
		nanosleep(&(struct timespec){0, 500000000}, NULL);
		rc = remote_json(c->remote, NULL, &url, &c->doc, c->arena, e);
	}
	buf_fini(&url);
	return rc;
}

static int fetch_profile(struct captured *c, struct str instance, struct buf *out, struct err *e)
{
	struct buf url = {0};
	char name[128];
	int rc;

	snprintf(name, sizeof(name), "%.*s", STR_ARG(instance));
	remote_path(&url, "/api/v1/capture/profile");
	remote_param(&url, "id", c->id.p);
	remote_param(&url, "instance", name);
	rc = remote_request(c->remote, NULL, &url, (struct str){0}, out, e);
	buf_fini(&url);
	return rc;
}

/* Write the profile of an instance to its file. */
static int save_profile(struct captured *c, const struct capture_options *o, struct str instance,
			struct buf *report, struct err *e)
{
	struct buf profile = {0};
	char path[4096];
	int rc = fetch_profile(c, instance, &profile, e);

	if (o->all)
		snprintf(path, sizeof(path), "%s-%.*s.pb.gz", o->output, STR_ARG(instance));
	else
		snprintf(path, sizeof(path), "%s", o->output);
	rc = rc ? rc : output_file(path, buf_str(&profile), e);
	if (!rc)
		buf_printf(report, "%s: %zu bytes of %.*s\n", path, profile.n, STR_ARG(instance));
	buf_fini(&profile);
	return rc;
}

/* Save what arrived. *failed: instances without a profile. */
static int save_profiles(struct captured *c, const struct capture_options *o, struct buf *report,
			 unsigned *failed, struct err *e)
{
	int rc = 0;

	json_each(part, json_get(json_root(&c->doc), STR("instances")))
	{
		struct str instance = json_str(json_get(part, STR("instance")));
		struct str error = json_str(json_get(part, STR("error")));

		if (rc)
			break;
		if (str_eq(json_str(json_get(part, STR("state"))), STR("done"))) {
			rc = save_profile(c, o, instance, report, e);
		} else {
			++*failed;
			buf_printf(report, "%.*s: %.*s\n", STR_ARG(instance), STR_ARG(error));
		}
	}
	return rc;
}

static enum exit_code run_capture(struct cli *cli, void *options, const struct arguments *args)
{
	const struct capture_options *o = options;
	enum exit_code status = EXIT_COULD_NOT;
	struct remote r = {0};
	struct buf report = {0};
	struct arena arena;
	struct captured c = {.remote = &r, .arena = &arena};
	struct err e = {0};
	unsigned failed = 0;
	int rc;

	if (args->n != 1)
		return cli_usage(cli, &command_capture, "give one service");
	if (!o->output)
		return cli_usage(cli, &command_capture, "give the file to write: -o FILE");
	arena_init(&arena, &cli->budget);
	rc = remote_open(&r, &o->remote, cli, &e);
	rc = rc ? rc : start_capture(&c, o, args->at[0], &e);
	rc = rc ? rc : wait_for_profiles(&c, &e);
	rc = rc ? rc : save_profiles(&c, o, &report, &failed, &e);
	if (rc)
		cli_fail(cli, &e);
	else
		status = cli_print(cli, &report, failed ? EXIT_NO : EXIT_DONE);
	remote_close(&r);
	arena_fini(&arena);
	buf_fini(&report);
	return status;
}

const struct command command_capture = {
	.name = "capture",
	.summary = "take a profile of running instances of a service",
	.arguments = "SERVICE -o FILE",
	.details = "The server asks one instance, or all with --all, for a profile, which they\n"
		   "upload. Exit code 1: an instance refused or did not answer.\n",
	.examples = "varve capture checkout --seconds 30 --kind wall -o wall.pb.gz\n"
		    "varve capture checkout --all -o checkout",
	.groups = capture_groups,
	.options_size = sizeof(struct capture_options),
	.run = run_capture,
};
