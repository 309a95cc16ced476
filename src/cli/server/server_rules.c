/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/server/server_rules.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/server/server_api.h"
#include "rules/rule_list.h"
#include "rules/rules.h"

/* The paths and patterns of rule files. */
struct patterns {
	struct arena arena;
	const struct str *at;
	uint32_t n;
};

/* Return the files that the settings name, else those in the data directory. */
static int find_patterns(const struct server_process *p, const struct rules_settings *s,
			 struct patterns *out)
{
	static const char *const names[] = {"yml", "yaml"};
	struct str *own;
	int rc = 0;

	*out = (struct patterns){0};
	arena_init(&out->arena, NULL);
	own = arena_zalloc(&out->arena, s->files.n + countof(names), sizeof(*own));
	if (!own)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->files.n && !rc; i++)
		rc = arena_copy_str(&out->arena, s->files.at[i], &own[out->n++]);
	for (size_t i = 0; i < countof(names) && !s->files.n && p->rules_directory && !rc; i++)
		rc = arena_printf(&out->arena, &own[out->n++], "%s/rules/*.%s", p->rules_directory,
				  names[i]);
	out->at = own;
	return rc;
}

/* Return the fingerprint of all rule files. */
static uint64_t look_at_files(const struct server_process *p)
{
	const struct config_node *node =
		config_find(p->current->config.root, "service.rules.files");
	struct rules_settings s = {0};
	struct rule_paths paths = {0};
	struct patterns patterns;
	struct str *files = NULL;
	uint64_t sum = 1;
	uint32_t n = 0;

	for (const struct config_node *c = node ? node->first : NULL; c; c = c->next)
		n++;
	files = calloc((size_t)n + 1, sizeof(*files));
	if (!files)
		return 0;
	n = 0;
	for (const struct config_node *c = node ? node->first : NULL; c; c = c->next)
		files[n++] = c->text;
	s.files = (struct setting_list){files, n};
	if (!find_patterns(p, &s, &patterns) &&
	    !rule_paths_find(&paths, patterns.at, patterns.n, NULL))
		for (uint32_t i = 0; i < paths.n; i++)
			sum = file_watch_add(sum, paths.at[i]);
	rule_paths_fini(&paths);
	arena_fini(&patterns.arena);
	free(files);
	return sum;
}

/* Load the rules of the current configuration. */
static int load(struct server_process *p, struct err *e)
{
	struct rules_config *config = NULL;
	struct patterns patterns = {0};
	int rc = rules_config_read(&config, config_find(p->current->config.root, "service.rules"),
				   e);

	file_watch_begin(&p->rule_files, look_at_files(p)); /* before they are read */
	if (!rc)
		rc = find_patterns(p, &config->settings, &patterns);
	if (!rc)
		rc = rules_load(p->rules, &config, patterns.at, patterns.n, e);
	arena_fini(&patterns.arena);
	rules_config_free(config);
	return rc;
}

/* Append the URL of the API as it is configured. */
static void put_url(const struct server_process *p, struct buf *out)
{
	const struct api_settings *s = &p->current->settings.api;
	size_t colon = str_find_last(s->endpoint, ':');
	struct str host = str_head(s->endpoint, colon);
	char name[256] = "localhost";

	if (!host.n || str_eq(host, STR("0.0.0.0")) || str_eq(host, STR("[::]"))) {
		if (gethostname(name, sizeof(name) - 1))
			memcpy(name, "localhost", sizeof("localhost"));
		host = str_from(name);
	}
	buf_printf(out, "%s://%.*s%.*s", s->tls.certificate.n ? "https" : "http", STR_ARG(host),
		   STR_ARG(str_from_at(s->endpoint, colon)));
}

int server_rules_add(struct server_process *p, struct err *e)
{
	struct rules_options options = {.store = p->host.store,
					.memory = memory_shares_remainder(&p->memory) / 4,
					.rest = &p->memory.rest,
					.log = &p->log};
	struct buf url = {0};
	int rc;

	if (!p->host.store || !p->host.store->ops->metrics ||
	    !server_api_wanted(p, &p->current->config)) {
		if (config_find(p->current->config.root, "service.rules"))
			log_warn(&p->log, "service.rules is ignored: rules need the exporter store "
					  "and service.api");
		return 0;
	}
	if (p->data_directory) {
		p->rules_directory = strdup(p->data_directory);
		if (!p->rules_directory)
			return -ENOMEM;
	}
	put_url(p, &url);
	options.external_url = buf_str(&url);
	rc = buf_error(&url);
	if (!rc)
		rc = rules_new(&p->rules, &options, e);
	buf_fini(&url);
	return rc ? rc : load(p, e);
}

int server_rules_start(struct server_process *p, struct err *e)
{
	uint32_t n;
	int rc;

	if (!p->rules || !p->api || p->rules_started)
		return 0;
	n = rules_count(p->rules);
	if (!n)
		return 0;
	rc = rules_start(p->rules, api_query_pool(p->api), e);
	p->rules_started = !rc;
	if (!rc)
		log_info(&p->log, "rules are evaluated", LOG_U64("groups", n));
	return rc;
}

void server_rules_stop(struct server_process *p)
{
	rules_stop(p->rules);
}

void server_rules_free(struct server_process *p)
{
	rules_free(p->rules);
	free(p->rules_directory);
}

void server_rules_reload(struct server_process *p)
{
	uint64_t began = clock_monotonic_ns();
	struct err e = {0};
	int rc;

	if (!p->rules)
		return;
	rc = load(p, &e);
	if (!rc)
		rc = server_rules_start(p, &e);
	if (rc)
		log_error(&p->log, "reload failed, the old rules go on", LOG_ERR(&e));
	else
		log_info(&p->log, "rules reloaded", LOG_U64("groups", rules_count(p->rules)),
			 LOG_U64("ms", (clock_monotonic_ns() - began) / NS_PER_MS));
}

void server_rules_changed(struct server_process *p)
{
	if (p->rules && file_watch_changed(&p->rule_files, look_at_files(p)))
		server_rules_reload(p);
}
