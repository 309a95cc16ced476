/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as relabelling rules, which are applied to some labels. Each line is a key and a
 * value of the current rule: "regex (.*)"; an empty line begins the next rule.
 */
#include <errno.h>

#include "fuzz.h"
#include "pipeline/receivers/prometheus/relabel.h"

enum { NODES_MAX = 200 };

/* The lines as a list of maps, as the reader of configurations makes them. */
struct fuzzed_rules {
	struct config_node nodes[NODES_MAX];
	uint32_t count;
	struct config_node list;
};

static struct config_node *fuzzed_node(struct fuzzed_rules *f, struct config_node *parent,
				       struct config_node node)
{
	struct config_node **end = &parent->first;

	while (*end)
		end = &(*end)->next;
	f->nodes[f->count] = node;
	*end = &f->nodes[f->count];
	return &f->nodes[f->count++];
}

static void read_lines(struct fuzzed_rules *f, struct str text)
{
	struct config_node *rule = NULL;
	struct str line;

	f->list = (struct config_node){.kind = CONFIG_LIST};
	while (str_next_line(&text, &line) && f->count + 2 < NODES_MAX) {
		struct str value = line, key = str_cut(&value, ' ');

		if (!line.n || !rule)
			rule = fuzzed_node(f, &f->list, (struct config_node){.kind = CONFIG_MAP});
		if (line.n)
			fuzzed_node(f, rule,
				    (struct config_node){
					    .kind = CONFIG_SCALAR, .key = key, .text = value});
	}
}

static void apply(struct relabel *relabel, struct arena *arena)
{
	static const struct prom_label rows[] = {
		{STR_INIT("__name__"), STR_INIT("http_requests_total")},
		{STR_INIT("__address__"), STR_INIT("10.0.0.1:9100")},
		{STR_INIT("a"), STR_INIT("b")},
		{STR_INIT("job"), STR_INIT("node")},
	};
	struct prom_labels labels = {0};
	struct err e = {0};
	int rc;

	for (size_t i = 0; i < countof(rows); i++)
		FUZZ_CHECK(prom_labels_set(&labels, arena, rows[i].name, rows[i].value) == 0);
	rc = relabel_apply(relabel, &labels, arena, &e);
	FUZZ_CHECK(rc >= 0 || rc == -ENOMEM || e.text[0]);
	if (rc <= 0)
		return;
	prom_labels_sort(&labels);
	FUZZ_CHECK(!prom_labels_repeated(&labels).n);
	for (uint32_t i = 0; i < labels.list.n; i++)
		FUZZ_CHECK(labels.list.at[i].name.n && labels.list.at[i].value.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct fuzzed_rules lines = {0};
	struct relabel_rules rules = {0};
	struct relabel *relabel = NULL;
	struct arena arena;
	struct err e = {0};
	int rc;

	arena_init(&arena, &budget);
	read_lines(&lines, str_of((const char *)data, size));
	rc = relabel_rules_read(&lines.list, "fuzz", &rules, &arena, &e);
	if (!rc)
		rc = relabel_new(&relabel, rules, &e);
	FUZZ_CHECK(!rc || rc == -ENOMEM || e.text[0]);
	if (!rc)
		apply(relabel, &arena);
	relabel_free(relabel);
	arena_fini(&arena);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
