/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols of libc and of a large file (the argument, or the first libLLVM that is found): time to
 * open them, memory, and how fast addresses are resolved: for the first time, when a name is read
 * and demangled, and again.
 */
#include "bench.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "symbol/symbol.h"

enum { ROUNDS = 10, ADDRESSES = 2000, AGAIN = 50 };

struct input {
	const char *path;
	struct symbol_file *file;
	uint64_t addresses[ADDRESSES]; /* inside functions */
	size_t bytes;
};

static const struct symbol_options options = {.debug_directory = "/nowhere"};

static void open_and_close(void *context)
{
	struct input *in = context;
	struct symbol_file *f;

	if (symbol_file_open(&f, in->path, &options, NULL))
		exit(2);
	in->bytes = symbol_file_bytes(f);
	symbol_file_close(f);
}

static void look_up(struct input *in)
{
	struct symbol_frame frames[SYMBOL_INLINE_MAX];

	for (size_t i = 0; i < ADDRESSES; i++)
		bench_keep(symbol_lookup(in->file, in->addresses[i], frames));
}

static void open_and_look_up(void *context)
{
	struct input *in = context;

	if (symbol_file_open(&in->file, in->path, &options, NULL))
		exit(2);
	look_up(in);
	symbol_file_close(in->file);
}

static void look_up_again(void *context)
{
	for (unsigned i = 0; i < AGAIN; i++)
		look_up(context);
}

/* Choose addresses with a name, distributed over .text. */
static bool pick_addresses(struct input *in)
{
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	uint64_t start = 0, seed = 1;
	struct str text = symbol_file_section(in->file, ".text", &start);
	size_t n = 0;

	for (uint32_t tries = 0; text.n && n < ADDRESSES && tries < 100 * ADDRESSES; tries++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		in->addresses[n] = start + (seed >> 20) % text.n;
		n += symbol_lookup(in->file, in->addresses[n], frames) > 0;
	}
	return n == ADDRESSES;
}

static void report(const char *what, const char *file, double value, const char *unit,
		   enum bench_better better)
{
	char name[128];

	snprintf(name, sizeof(name), "symbol_%s_%s", what, file);
	bench_report(&(struct bench_result){
		.name = name,
		.value = value,
		.unit = unit,
		.better = better,
		.method = "names only, no debug file; 2,000 addresses of .text; best of 10 rounds",
	});
}

static void measure(const char *path, const char *name)
{
	struct input *in = calloc(1, sizeof(*in));
	double open, both, again;

	if (!in)
		exit(2);
	in->path = path;
	if (symbol_file_open(&in->file, path, &options, NULL) || !pick_addresses(in)) {
		bench_skip(name, "no such file, or no symbols");
		symbol_file_close(in->file);
		free(in);
		return;
	}
	again = bench_best(ROUNDS, look_up_again, in) / AGAIN;
	symbol_file_close(in->file);
	open = bench_best(ROUNDS, open_and_close, in);
	both = bench_best(ROUNDS, open_and_look_up, in);
	report("open_ms", name, open * 1e3, "ms", BENCH_LESS);
	report("bytes", name, (double)in->bytes / 1024, "KiB", BENCH_LESS);
	report("first", name, ADDRESSES / (both > open ? both - open : both) / 1e6, "M addresses/s",
	       BENCH_MORE);
	report("again", name, ADDRESSES / again / 1e6, "M addresses/s", BENCH_MORE);
	free(in);
}

static const char *first_of(const char *pattern, glob_t *found)
{
	return glob(pattern, 0, NULL, found) == 0 ? found->gl_pathv[0] : "";
}

int main(int argc, char **argv)
{
	glob_t libc = {0}, large = {0};

	measure(first_of("/lib/*-linux-gnu/libc.so.6", &libc), "libc");
	measure(argc > 1 ? argv[1] : first_of("/usr/lib/*-linux-gnu/libLLVM*.so*", &large),
		"large");
	globfree(&libc);
	globfree(&large);
	return 0;
}
