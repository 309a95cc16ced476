/* SPDX-License-Identifier: Apache-2.0 */
/* CPU time, best of n, and reporting of results, for all benchmarks. */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double bench_best(unsigned rounds, void (*work)(void *context), void *context)
{
	double best = 0;

	work(context);
	for (unsigned i = 0; i < rounds; i++) {
		double before = bench_cpu_seconds();

		work(context);

		double took = bench_cpu_seconds() - before;

		if (i == 0 || took < best)
			best = took;
	}
	return best;
}

static void put_json_text(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', f);
		fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
	}
	fputc('"', f);
}

static void append_json(const char *path, const struct bench_result *r, double ratio)
{
	FILE *f = fopen(path, "a");

	if (!f) {
		fprintf(stderr, "bench: %s: %s\n", path, strerror(errno));
		exit(2);
	}
	fputs("{\"name\":", f);
	put_json_text(f, r->name);
	fprintf(f, ",\"value\":%.6g,\"unit\":", r->value);
	put_json_text(f, r->unit);
	if (r->peer) {
		fputs(",\"peer\":", f);
		put_json_text(f, r->peer);
		fprintf(f, ",\"peer_value\":%.6g,\"ratio\":%.4g", r->peer_value, ratio);
	} else {
		fputs(",\"peer\":null,\"peer_value\":null,\"ratio\":null", f);
	}
	fputs(",\"method\":", f);
	put_json_text(f, r->method);
	fputs("}\n", f);
	fclose(f);
}

void bench_report(const struct bench_result *r)
{
	const char *path = getenv("BENCH_JSON");
	double ratio = 0;

	if (r->peer)
		ratio = r->better == BENCH_MORE ? r->value / r->peer_value
						: r->peer_value / r->value;
	printf("%s: %.4g %s", r->name, r->value, r->unit);
	if (r->peer)
		printf("; %s: %.4g %s; we are %.3gx", r->peer, r->peer_value, r->unit, ratio);
	printf("\n    %s\n", r->method);
	fflush(stdout);
	if (path)
		append_json(path, r, ratio);
}

void bench_skip(const char *name, const char *why)
{
	printf("%s: SKIPPED: %s\n", name, why);
	fflush(stdout);
}
