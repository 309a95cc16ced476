/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reader of the CPU profile of gperftools: words of the machine that wrote it (32 or 64 bits,
 * either byte order), then its memory map as text.
 *
 * header 0, 3, 0, period in microseconds, 0 sample count, depth, depth addresses, the leaf first
 * end 0, 1, 0
 */
#include <errno.h>

#include "format/pprof/legacy/legacy.h"
#include "format/pprof/legacy/legacy_maps.h"
#include "format/pprof/pprof.h"

enum {
	HEADER_WORDS = 5,
	HEADER_KIND = 3,
	MAX_STRIPPED = 2,     /* frames of the signal handler */
	SIMILAR_SAMPLES = 32, /* 1 of this many samples may lack the handler's frame */
};

struct words {
	const uint8_t *at, *end;
	unsigned size; /* 4 or 8 */
	bool big;
};

static const struct legacy_type cpu_types[] = {{"samples", "count"}, {"cpu", "nanoseconds"}};

static bool read_word(struct words *w, uint64_t *out)
{
	if ((size_t)(w->end - w->at) < w->size)
		return false;
	*out = 0;
	for (unsigned i = 0; i < w->size; i++) {
		unsigned byte = w->big ? i : w->size - 1 - i;

		*out = *out << 8 | w->at[byte];
	}
	w->at += w->size;
	return true;
}

/*
 * Find the word size and byte order with which the input begins with a header; false if there are
 * none.
 */
static bool read_cpu_header(struct str in, struct words *w, uint64_t *period)
{
	static const struct {
		unsigned size;
		bool big;
	} layouts[] = {{4, false}, {4, true}, {8, false}, {8, true}};

	for (size_t i = 0; i < countof(layouts); i++) {
		uint64_t header[HEADER_WORDS];
		bool whole = true;

		*w = (struct words){.at = (const uint8_t *)in.p,
				    .end = (const uint8_t *)in.p + in.n,
				    .size = layouts[i].size,
				    .big = layouts[i].big};
		for (size_t k = 0; whole && k < HEADER_WORDS; k++)
			whole = read_word(w, &header[k]);
		if (whole && !header[0] && header[1] == HEADER_KIND && !header[2] && header[3] &&
		    !header[4]) {
			*period = header[3];
			return true;
		}
	}
	return false;
}

static int cpu_sniff(struct str head)
{
	struct words w;
	uint64_t period;

	return read_cpu_header(head, &w, &period) ? 95 : 0;
}

static int fail_truncated(const struct legacy *l, struct str in, const struct words *w,
			  const char *what)
{
	return err_set(l->e, -EBADMSG, "at byte %zu: expected %s, found the end of the file",
		       (size_t)((const char *)w->at - in.p), what);
}

/*
 * Read a sample. Return 1, 0 at the end marker, or -errno. All addresses but the leaf are return
 * addresses, which point after the call, so subtract 1.
 */
static int read_cpu_sample(struct legacy *l, struct str in, struct words *w)
{
	uint32_t stack_at = l->addresses.n;
	uint64_t count, depth, address = 0;
	int rc;

	if (!read_word(w, &count) || !read_word(w, &depth))
		return fail_truncated(l, in, w, "a count and a depth");
	if (depth > (size_t)(w->end - w->at) / w->size)
		return fail_truncated(l, in, w, "the addresses of a stack");
	rc = vec_reserve(l->arena, &l->addresses, depth);
	if (rc)
		return rc;
	for (uint64_t i = 0; i < depth && read_word(w, &address); i++)
		l->addresses.at[l->addresses.n++] = i ? address - 1 : address;
	if (!count && depth == 1 && !address) {
		l->addresses.n = stack_at;
		return 0;
	}

	const int64_t values[] = {(int64_t)count, (int64_t)(count * (uint64_t)l->period)};

	rc = legacy_add_sample(l, stack_at, values, 0);
	return rc ? rc : 1;
}

/*
 * Return the second frame of more than half of the samples; an arbitrary address if there is none.
 */
static uint64_t common_caller(const struct legacy *l)
{
	uint64_t candidate = 0;
	uint32_t votes = 0;

	for (uint32_t i = 0; i < l->samples.n; i++) {
		struct list stack = l->samples.at[i].stack;

		if (stack.n < 2)
			continue;

		uint64_t address = l->addresses.at[stack.at + 1];

		if (!votes)
			candidate = address;
		votes = address == candidate ? votes + 1 : votes - 1;
	}
	return candidate;
}

/*
 * Remove the second frame if nearly all samples have the same one: it belongs to the signal
 * handler. The leaf comes from the signal context, the other frames from unwinding from the
 * handler.
 */
static void strip_handler_frame(struct legacy *l)
{
	uint64_t common = common_caller(l);
	uint32_t count = 0;

	for (uint32_t i = 0; i < l->samples.n; i++) {
		struct list stack = l->samples.at[i].stack;

		count += stack.n > 1 && l->addresses.at[stack.at + 1] == common;
	}
	if (count < l->samples.n - l->samples.n / SIMILAR_SAMPLES)
		return;
	for (uint32_t i = 0; i < l->samples.n; i++) {
		struct legacy_sample *s = &l->samples.at[i];

		if (s->stack.n > 1 && l->addresses.at[s->stack.at + 1] == common)
			legacy_remove_second(l, s);
	}
}

static int cpu_decode(struct profile_batch *out, struct str in, const struct decode_options *o,
		      struct err *e)
{
	struct legacy l;
	struct words w;
	uint64_t period;
	int rc;

	(void)o;
	if (!read_cpu_header(in, &w, &period))
		return err_set(e, -EBADMSG, "at byte 0: expected the words 0, 3, 0, period, 0");
	if (period > INT64_MAX / 1000)
		return err_set(e, -EBADMSG, "at byte 0: expected a period of less than 292 years");
	rc = legacy_init(&l, out, (struct str){0}, e);
	l.types = cpu_types;
	l.type_count = countof(cpu_types);
	l.period_type = cpu_types[1];
	l.period = (int64_t)period * 1000;
	l.drop_frames = "ProfileData::Add|ProfileData::prof_handler|CpuProfiler::prof_handler|"
			"__pthread_sighandler|__restore(_rt)?";
	for (int more = !rc; more > 0 && w.at < w.end;) {
		more = read_cpu_sample(&l, in, &w);
		rc = more < 0 ? more : 0;
	}
	for (int i = 0; !rc && i < MAX_STRIPPED; i++)
		strip_handler_frame(&l);
	if (!rc)
		rc = legacy_begin_text(&l, in, (size_t)((const char *)w.at - in.p));
	if (!rc)
		rc = legacy_read_maps(&l);
	if (!rc)
		legacy_drop_double_leaves(&l);
	return rc ? rc : legacy_finish(&l);
}

const struct format format_gperftools = {
	.name = "gperftools",
	.summary = "CPU profiles of gperftools (words and a memory map)",
	.sniff = cpu_sniff,
	.decode = cpu_decode,
};
