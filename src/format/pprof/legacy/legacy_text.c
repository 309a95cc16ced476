/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers of contention and thread profiles as text.
 *
 *	--- mutex:			or "--- contention:", or gperftools' "--- contentionz 1 ---"
 *	cycles/second=2000000000
 *	sampling period=1
 *	1500 3 @ 0x401000 0x402000	cycles, times
 *
 *	goroutine profile: total 5	or threadcreate
 *	3 @ 0x401000 0x402000
 *
 *	--- threadz 1 ---
 *	--- Thread 7f01 (name: main/10) stack: ---
 *	  0x401000 0x402000
 *	--- Thread 7f02 (name: other/11) stack: ---
 *	  [same as previous thread]
 */
#include <errno.h>
#include <math.h>

#include "format/pprof/legacy/legacy.h"
#include "format/pprof/legacy/legacy_maps.h"
#include "format/pprof/pprof.h"

static const struct legacy_type contention_types[] = {{"contentions", "count"},
						      {"delay", "nanoseconds"}};

/* Frames of the lock itself, which tools hide. */
static const char lock_frames[] =
	"(base::)?(RecordLockProfileData|SubmitMutexProfileData|SubmitSpinLockProfileData).*|"
	"(base::)?(Mutex::)?(AwaitCommon|Unlock|UnlockSlow|ReaderUnlock).*|"
	"(base::)?(MutexLock::)?~MutexLock.*|(SpinLock::)?(Unlock|SlowUnlock).*|"
	"(SpinLockHolder::)?~SpinLockHolder.*";

/* Skip to the memory map, read it and fill the batch. */
static int finish_text(struct legacy *l)
{
	int rc;

	while (!legacy_is_map_start(l->line) && legacy_next_line(l))
		;
	rc = legacy_read_maps(l);
	return rc ? rc : legacy_finish(l);
}

static bool parse_setting(struct str line, struct str *key, struct str *value)
{
	*value = line;
	*key = str_trim(str_cut(value, '='));
	*value = str_trim(*value);
	return value->p != NULL;
}

/* Read "key=value" lines. Leave l->line at the first other line, or past the end. */
static int read_contention_settings(struct legacy *l, int64_t *cycles_per_second)
{
	while (legacy_next_line(l)) {
		struct str key, value;
		int64_t number, *to;

		if (legacy_is_comment(l->line))
			continue;
		if (str_starts(l->line, STR("---")) || !parse_setting(l->line, &key, &value))
			return 0;
		if (str_eq(key, STR("cycles/second")))
			to = cycles_per_second;
		else if (str_eq(key, STR("sampling period")))
			to = &l->period;
		else if (str_eq(key, STR("ms since reset")))
			to = &l->duration;
		else if (str_eq(key, STR("discarded samples")))
			continue;
		else
			return legacy_fail(l, "a setting of a contention profile");
		if (str_to_i64(value, &number) || number < 0 || number > INT64_MAX / 1000000)
			return legacy_fail(l, "a number >= 0");
		*to = to == &l->duration ? number * 1000000 : number;
	}
	return 0;
}

/* Scale sampled counts and delays by the period, and convert delays from cycles to nanoseconds. */
static void scale_contention(int64_t *delay, int64_t *times, int64_t period, int64_t hertz)
{
	if (period <= 0)
		return;
	if (hertz > 0) {
		double ns = (double)*delay * (double)period / ((double)hertz / 1e9);

		*delay = fabs(ns) < 0x1p63 ? (int64_t)ns : INT64_MAX;
	}
	*times = (int64_t)((uint64_t)*times * (uint64_t)period);
}

static int read_contention(struct legacy *l, int64_t hertz)
{
	struct str text = l->line;
	uint32_t stack_at = l->addresses.n;
	int64_t delay, times;
	int rc;

	if (!legacy_take_i64(&text, &delay))
		return legacy_fail(l, "\"CYCLES TIMES @ 0x...\"");
	legacy_skip_blanks(&text);
	if (!legacy_take_i64(&text, &times) || delay < 0 || times < 0)
		return legacy_fail(l, "\"CYCLES TIMES @ 0x...\"");
	legacy_skip_blanks(&text);
	if (!legacy_take_char(&text, '@'))
		return legacy_fail(l, "\"CYCLES TIMES @ 0x...\"");
	scale_contention(&delay, &times, l->period, hertz);
	rc = legacy_add_addresses(l, text, 1, 1);
	return rc ? rc : legacy_add_sample(l, stack_at, (const int64_t[]){times, delay}, 0);
}

static bool is_contention(struct str line)
{
	return str_starts(line, STR("--- contentionz ")) || str_starts(line, STR("--- mutex:")) ||
	       str_starts(line, STR("--- contention:"));
}

static int contention_decode(struct profile_batch *out, struct str in,
			     const struct decode_options *o, struct err *e)
{
	struct legacy l;
	int64_t hertz = 0;
	int rc = legacy_init(&l, out, in, e);

	(void)o;
	if (!rc && (!legacy_next_line(&l) || !is_contention(l.line)))
		rc = legacy_fail(&l, "\"--- contention:\" or \"--- mutex:\"");
	l.types = contention_types;
	l.type_count = countof(contention_types);
	l.period_type = contention_types[0];
	l.period = 1;
	l.drop_frames = lock_frames;
	if (!rc)
		rc = read_contention_settings(&l, &hertz);
	/* the line after the settings is the first sample or the next section */
	for (bool more = l.line.p != NULL; !rc && more && !str_starts(l.line, STR("---"));
	     more = !rc && legacy_next_line(&l)) {
		if (legacy_is_map_start(l.line))
			break;
		rc = legacy_is_comment(l.line) ? legacy_take_symbol(&l)
					       : read_contention(&l, hertz);
	}
	return rc ? rc : finish_text(&l);
}

static int contention_sniff(struct str head)
{
	return is_contention(head) ? 95 : 0;
}

/* Return the name in "goroutine profile: total 5", or empty if the line has another form. */
static struct str count_profile_name(struct str line)
{
	size_t at = str_find_str(line, STR(" profile: total "));
	struct str rest = str_from_at(line, at + STR(" profile: total ").n);
	uint64_t total;

	if (at == line.n || !at || !legacy_take_u64(&rest, &total) || rest.n ||
	    str_find(str_head(line, at), ' ') < at)
		return (struct str){0};
	return str_head(line, at);
}

static bool is_threadz(struct str line)
{
	uint64_t number;

	if (!str_starts(line, STR("--- threadz ")))
		return false;
	line = str_from_at(line, STR("--- threadz ").n);
	return legacy_take_u64(&line, &number) && str_starts(line, STR(" ---"));
}

/* Return whether the line is like "--- Thread 7f01 (name: main/10) stack: ---". */
static bool is_thread_heading(struct str line)
{
	return str_starts(line, STR("--- Thread ")) &&
	       str_find_str(line, STR(" (name: ")) < line.n &&
	       str_find_str(line, STR(") stack: ---")) < line.n;
}

static int read_counts(struct legacy *l)
{
	int rc = 0;

	while (!rc && legacy_next_line(l) && !str_starts(l->line, STR("---"))) {
		struct str text = l->line;
		uint32_t stack_at = l->addresses.n;
		int64_t count;

		if (legacy_is_comment(l->line)) {
			rc = legacy_take_symbol(l);
			continue;
		}
		if (!legacy_take_i64(&text, &count) || count < 0)
			return legacy_fail(l, "\"N @ 0x...\"");
		legacy_skip_blanks(&text);
		if (!legacy_take_char(&text, '@'))
			return legacy_fail(l, "\"N @ 0x...\"");
		rc = legacy_add_addresses(l, text, 1, 1);
		if (!rc)
			rc = legacy_add_sample(l, stack_at, &count, 0);
	}
	return rc;
}

/* Read the stack of one thread. Leave l->line at the next line of dashes or the map. */
static int read_thread_stack(struct legacy *l, bool *more)
{
	uint32_t stack_at = l->addresses.n;
	bool same = false;
	int rc = 0;

	while (!rc && (*more = legacy_next_line(l)) && !str_starts(l->line, STR("---")) &&
	       !legacy_is_map_start(l->line)) {
		if (str_find_str(l->line, STR("same as previous thread")) < l->line.n)
			same = true;
		else /* the leaf is not a return address */
			rc = legacy_add_addresses(l, l->line, l->addresses.n > stack_at, 1);
	}
	if (same)
		l->addresses.n = stack_at;
	if (rc || l->addresses.n > stack_at)
		return rc ? rc : legacy_add_sample(l, stack_at, (const int64_t[]){1}, 0);
	if (l->samples.n)
		l->samples.at[l->samples.n - 1].values[0]++;
	return 0;
}

static int read_threadz(struct legacy *l)
{
	bool more = true;
	int rc = 0;

	if (is_threadz(l->line))
		while ((more = legacy_next_line(l)) && !str_starts(l->line, STR("-")) &&
		       !legacy_is_map_start(l->line))
			;
	while (!rc && more && !legacy_is_map_start(l->line) &&
	       !str_starts(l->line, STR("---- no stack trace for"))) {
		if (!is_thread_heading(l->line))
			return legacy_fail(l, "\"--- Thread ID (name: NAME/N) stack: ---\"");
		rc = read_thread_stack(l, &more);
	}
	if (!rc)
		legacy_drop_double_leaves(l);
	return rc;
}

/* Advance to the heading, skipping comments. */
static bool find_heading(struct legacy *l)
{
	while (legacy_next_line(l))
		if (!legacy_is_comment(l->line))
			return true;
	return false;
}

static int set_count_type(struct legacy *l, struct legacy_type *type, struct str name)
{
	struct str copy;
	int rc = arena_copy_str(l->arena, name, &copy); /* ends with a NUL */

	if (!rc)
		*type = (struct legacy_type){copy.p, "count"};
	l->types = type;
	l->type_count = 1;
	l->period_type = *type;
	l->period = 1;
	return rc;
}

static int thread_decode(struct profile_batch *out, struct str in, const struct decode_options *o,
			 struct err *e)
{
	struct legacy l;
	struct legacy_type type = {"", ""};
	struct str name = {0};
	int rc = legacy_init(&l, out, in, e);

	(void)o;
	if (!rc && !find_heading(&l))
		rc = legacy_fail(&l, "a thread or goroutine profile");
	if (!rc) {
		name = count_profile_name(l.line);
		if (!name.n && !is_threadz(l.line) && !is_thread_heading(l.line))
			rc = legacy_fail(&l, "\"NAME profile: total N\" or \"--- threadz N ---\"");
	}
	if (!rc)
		rc = set_count_type(&l, &type, name.n ? name : STR("thread"));
	if (!rc)
		rc = name.n ? read_counts(&l) : read_threadz(&l);
	return rc ? rc : finish_text(&l);
}

static int thread_sniff(struct str head)
{
	struct str line;

	while (str_next_line(&head, &line)) {
		line = str_trim(line);
		if (!legacy_is_comment(line))
			return count_profile_name(line).n || is_threadz(line) ||
					       is_thread_heading(line)
				       ? 90
				       : 0;
	}
	return 0;
}

const struct format format_contention_text = {
	.name = "contention-text",
	.summary = "lock contention of gperftools, and Go's mutex and block?debug=1",
	.sniff = contention_sniff,
	.decode = contention_decode,
};

const struct format format_thread_text = {
	.name = "thread-text",
	.summary = "threadz, and Go's goroutine and threadcreate?debug=1",
	.sniff = thread_sniff,
	.decode = thread_decode,
};
