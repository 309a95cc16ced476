/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as two scrapes of a target, separated by a zero byte: text, or (after an 'o')
 * OpenMetrics. What is made of them has to be valid, and to be readable for exporters.
 */
#include "fuzz.h"
#include "pipeline/convert/prometheus/prom_samples.h"
#include "pipeline/receivers/prometheus/scrape_output.h"
#include "signal/otlp/validate.h"

static int on_sample(void *arg, const struct prom_sample *s)
{
	(void)arg;
	FUZZ_CHECK(!s->more.name.n || s->more.value.n);
	return 0;
}

static int on_point(void *arg, const struct prom_point *p)
{
	(void)arg;
	FUZZ_CHECK(p->metric->name.n && prom_name_is_plain(p->metric->name, false));
	FUZZ_CHECK(!prom_labels_repeated(&p->labels).n);
	return prom_samples(p, on_sample, NULL);
}

static void check_output(struct scraped_state *s, const struct scrape_rules *rules, int rc,
			 struct arena *arena)
{
	struct prom_options options = {.scope_labels = true, .target_info = true};
	struct scrape_outcome outcome = {
		.end = rc ? SCRAPE_FAILED : SCRAPE_OK, .time = 1000000000, .scheme = STR("http")};
	struct payload *p = scrape_output(s, rules, &outcome, arena, NULL);
	struct buf scratch = {0};
	struct err e = {0};
	uint32_t items, refused;

	FUZZ_CHECK(p != NULL);
	FUZZ_CHECK(otlp_validate(SIGNAL_METRICS, payload_str(p, &scratch), &items, &e) == 0);
	FUZZ_CHECK(items == p->items && items >= 5);
	FUZZ_CHECK(prom_points(p, &options, on_point, NULL, &refused, arena, &e) == 0);
	payload_release(p);
	buf_fini(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = str_of((const char *)data, size);
	enum text_format format = size && data[0] == 'o' ? TEXT_OPENMETRICS : TEXT_PROMETHEUS;
	struct prom_labels target = {0};
	struct scrape_rules rules = {.honor_timestamps = true, .target = &target};
	struct scraped_state state;
	struct arena arena;

	if (format == TEXT_OPENMETRICS)
		rest = str_from_at(rest, 1);
	arena_init(&arena, NULL);
	FUZZ_CHECK(scraped_state_init(&state) == 0);
	FUZZ_CHECK(prom_labels_set(&target, &arena, STR("instance"), STR("h:1")) == 0);
	FUZZ_CHECK(prom_labels_set(&target, &arena, STR("job"), STR("j")) == 0);
	for (unsigned i = 0; i < 2; i++) {
		struct scrape_input in = {format, str_cut(&rest, 0), 1000000000};
		struct scrape_counts counts;
		struct err e = {0};
		int rc = scrape_ingest(&state, &rules, &in, &counts, &arena, &e);

		FUZZ_CHECK(!rc || e.text[0]);
		check_output(&state, &rules, rc, &arena);
		if (!rc)
			FUZZ_CHECK(scraped_state_compact(&state) == 0);
	}
	scraped_state_fini(&state);
	arena_fini(&arena);
	return 0;
}
