/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary text as a condition or statement, which then runs over arbitrary bytes as a message.
 * The first byte selects the signal, the second one the context; the text ends with a newline and
 * NUL. What is written has to be readable.
 */
#include <errno.h>

#include "fuzz.h"
#include "pipeline/ottl/ottl.h"

static const enum signal_kind signals[] = {SIGNAL_TRACES, SIGNAL_METRICS, SIGNAL_LOGS,
					   SIGNAL_PROFILES};

static int run_at_place(struct ottl_eval *ev, const struct ottl_program *p, bool statement)
{
	return statement ? ottl_run(ev, p, NULL) : ottl_test(ev, p, NULL);
}

static int run_on_item(struct ottl_eval *ev, const struct ottl_program *p, bool statement)
{
	enum ottl_context c = ottl_program_context(p);
	uint32_t count;
	int rc = 0;

	if (c != OTTL_SPAN_EVENT && c != OTTL_DATA_POINT)
		return run_at_place(ev, p, statement);
	count = ottl_part_count(ev);
	for (uint32_t i = 0; i < count && rc >= 0; i++) {
		ottl_at_part(ev, i);
		rc = run_at_place(ev, p, statement);
		if (i & 1)
			ottl_drop_part(ev);
	}
	return rc;
}

static int run_on_scope(struct ottl_eval *ev, struct otlp_scope *s, const struct ottl_program *p,
			bool statement)
{
	int rc = 0;

	if (ottl_program_context(p) == OTTL_SCOPE)
		return run_at_place(ev, p, statement);
	for (uint32_t i = 0; i < s->item_count && i < 100 && rc >= 0; i++) {
		ottl_at_item(ev, i);
		rc = run_on_item(ev, p, statement);
	}
	return rc;
}

static void run_on_tree(struct ottl_eval *ev, struct otlp_tree *tree, const struct ottl_program *p,
			bool statement, struct budget *budget)
{
	int rc = 0;

	for (uint32_t i = 0; i < tree->resource_count && rc >= 0; i++) {
		struct otlp_resource *r = &tree->resources[i];

		ottl_at_resource(ev, r);
		if (ottl_program_context(p) == OTTL_RESOURCE)
			rc = run_at_place(ev, p, statement);
		for (uint32_t k = 0; k < r->scope_count && rc >= 0; k++) {
			ottl_at_scope(ev, &r->scopes[k]);
			rc = run_on_scope(ev, &r->scopes[k], p, statement);
		}
	}
	if (!ottl_finish(ev, NULL) && rc >= 0) {
		struct payload *written = otlp_tree_write(tree, budget);
		struct otlp_tree again;

		FUZZ_CHECK(!written ||
			   otlp_tree_read(&again, written, ottl_arena(ev), NULL) != -EBADMSG);
		payload_release(written);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct ottl_options options = {.error_mode = OTTL_SILENT, .filter_functions = true};
	struct config_node node = {.kind = CONFIG_SCALAR};
	struct str rest = str_of((const char *)data + 2, size < 2 ? 0 : size - 2);
	struct ottl_program *p;
	struct err e = {0};
	struct ottl *o;
	int rc;

	if (size < 2)
		return 0;
	options.signal = signals[data[0] & 3];
	options.statements = data[0] & 4;
	options.context = (enum ottl_context)(data[1] % (OTTL_INFER + 1));
	node.text = str_cut(&rest, '\0');
	FUZZ_CHECK(!ottl_new(&o, NULL, &budget));
	rc = ottl_compile(o, &options, &node, &p, &e);
	FUZZ_CHECK(!rc == !e.text[0]);
	if (!rc) {
		struct otlp_tree tree;
		struct ottl_eval *ev = ottl_begin(o, NULL, &tree);
		struct payload *payload = payload_copy(options.signal, 0, rest, &budget);

		FUZZ_CHECK(ev && payload);
		if (!otlp_tree_read(&tree, payload, ottl_arena(ev), NULL))
			run_on_tree(ev, &tree, p, options.statements, &budget);
		ottl_end(ev);
		payload_release(payload);
	}
	ottl_free(o);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
