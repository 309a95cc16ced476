/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as the request of a call of tempopb.StreamingQuerier, which the first byte
 * chooses. The store has no traces: it is about how requests are read.
 */
#include "api/tempo/tempo_grpc.h"
#include "fuzz.h"

static int has_none(struct store *s, const struct store_tag_select *sel, store_visit_tag *visit,
		    void *ctx, struct err *e)
{
	(void)s;
	(void)visit;
	(void)ctx;
	(void)e;
	FUZZ_CHECK(sel->from <= sel->to);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct store_ops ops = {.tags = has_none};
	struct store store = {&ops};
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct request r = {.store = &store, .limits.budget = &budget};
	struct reply reply = {0};
	struct arena a;
	struct err e = {0};
	int rc;

	if (!size)
		return 0;
	arena_init(&a, &budget);
	r.arena = &a;
	r.now_ns = 1700000000000000000;
	r.body = str_of((const char *)data + 1, size - 1);
	rc = tempo_rpcs[data[0] % tempo_rpc_count].answer(&r, &reply, &e);
	FUZZ_CHECK(rc <= 0);
	FUZZ_CHECK(!rc || rc == -ENOMEM || e.text[0]);
	buf_fini(&reply.body);
	arena_fini(&a);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
