/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reader of heap profiles as text.
 *
 * The form of tcmalloc and of Go's /debug/pprof/heap?debug=1 (which adds comments with symbols):
 *
 *	heap profile: 10: 2000 [20: 4000] @ heap_v2/524288
 *	     3: 600 [5: 1000] @ 0x4011f2 0x401522
 *	MAPPED_LIBRARIES:
 *	...
 *
 * The form of jemalloc, where the line of all threads (t*) is the sum of those of single threads:
 *
 *	heap_v2/524288
 *	  t*: 10: 2000 [0: 0]
 *	@ 0x4011f2 0x401522
 *	  t*: 3: 600 [0: 0]
 *	  t1: 3: 600 [0: 0]
 *	MAPPED_LIBRARIES:
 *
 * The numbers are objects and bytes in use, and in brackets those ever allocated. A sampled profile
 * (v2, Go's) is scaled by the probability that an object of its size is sampled.
 */
#include <errno.h>
#include <math.h>

#include "format/pprof/legacy/legacy.h"
#include "format/pprof/legacy/legacy_maps.h"
#include "format/pprof/pprof.h"

static const struct legacy_type in_use_types[] = {{"objects", "count"}, {"space", "bytes"}};
static const struct legacy_type all_types[] = {
	{"alloc_objects", "count"},
	{"alloc_space", "bytes"},
	{"inuse_objects", "count"},
	{"inuse_space", "bytes"},
};

/* Frames of the allocator itself, which tools hide. */
static const char drop_frames[] =
	"(__libc_)?(malloc|calloc|realloc|free|cfree|memalign|valloc|pvalloc)|do_memalign|"
	"(__)?posix_memalign|tcmalloc::.*|tc_(malloc|calloc|realloc|free|cfree|memalign|posix_"
	"memalign|"
	"valloc|pvalloc|new|delete|newarray|deletearray)(_nothrow)?|operator new(\\[\\])?|"
	"__builtin_(vec_)?(new|delete)|je_.*|prof_(alloc|malloc|backtrace).*|runtime\\..*|"
	"__gnu_cxx::new_allocator::allocate|_M_allocate|allocate|DoSampledAllocation";
static const char keep_frames[] = "runtime\\.panic|runtime\\.reflectcall|runtime\\.call[0-9]*";

/* "n: bytes [all: bytes]" */
struct heap_counts {
	int64_t objects, bytes, all_objects, all_bytes;
};

static bool take_pair(struct str *text, int64_t *objects, int64_t *bytes)
{
	legacy_skip_blanks(text);
	if (!legacy_take_i64(text, objects) || !legacy_take_char(text, ':'))
		return false;
	legacy_skip_blanks(text);
	if (!legacy_take_i64(text, bytes))
		return false;
	legacy_skip_blanks(text);
	return true;
}

static bool take_counts(struct str *text, struct heap_counts *c)
{
	if (!take_pair(text, &c->objects, &c->bytes) || !legacy_take_char(text, '[') ||
	    !take_pair(text, &c->all_objects, &c->all_bytes) || !legacy_take_char(text, ']'))
		return false;
	legacy_skip_blanks(text);
	return c->all_objects >= 0 && c->all_bytes >= 0;
}

struct heap_reader {
	struct legacy l;
	bool sampled; /* values must be scaled */
	bool has_all; /* has counts of all allocations, not only of those in use */
};

/* Scale the counts of objects that are sampled by a Poisson process with a mean of `rate` bytes. */
static void scale_sampled(int64_t *objects, int64_t *bytes, int64_t rate)
{
	if (!*objects || !*bytes) {
		*objects = *bytes = 0;
		return;
	}
	if (rate <= 1)
		return;

	double size = (double)*bytes / (double)*objects;
	double factor = 1 / (1 - exp(-size / (double)rate));
	double more_objects = (double)*objects * factor, more_bytes = (double)*bytes * factor;

	if (fabs(more_objects) < 0x1p63 && fabs(more_bytes) < 0x1p63) {
		*objects = (int64_t)more_objects;
		*bytes = (int64_t)more_bytes;
	}
}

static int set_values(struct heap_reader *h, int64_t objects, int64_t bytes, int64_t *values,
		      int64_t *block)
{
	if (!objects && bytes)
		return legacy_fail(&h->l, "0 bytes for 0 objects");
	if (objects) {
		*block = objects == -1 ? (int64_t) - (uint64_t)bytes : bytes / objects;
		if (h->sampled)
			scale_sampled(&objects, &bytes, h->l.period);
	}
	values[0] = objects;
	values[1] = bytes;
	return 0;
}

static int add_heap_sample(struct heap_reader *h, const struct heap_counts *c, uint32_t stack_at)
{
	int64_t values[LEGACY_MAX_VALUES] = {0}, block = 0;
	int rc = 0;

	if (h->has_all)
		rc = set_values(h, c->all_objects, c->all_bytes, values, &block);
	if (!rc)
		rc = set_values(h, c->objects, c->bytes, values + (h->has_all ? 2 : 0), &block);
	return rc ? rc : legacy_add_sample(&h->l, stack_at, values, block);
}

static void set_heap_types(struct heap_reader *h, const struct heap_counts *total)
{
	h->has_all = (total->all_objects != total->objects && total->all_objects) ||
		     (total->all_bytes != total->bytes && total->all_bytes);
	h->l.types = h->has_all ? all_types : in_use_types;
	h->l.type_count = h->has_all ? countof(all_types) : countof(in_use_types);
	h->l.period_type = (struct legacy_type){"space", "bytes"};
	h->l.has_blocks = true;
	h->l.drop_frames = drop_frames;
	h->l.keep_frames = keep_frames;
}

/* Parse "heap_v2/524288": the kind of profile and the mean number of bytes between samples. */
static bool parse_kind(struct heap_reader *h, struct str text)
{
	uint64_t rate = 0;
	struct str kind = str_cut(&text, '/');

	kind = str_trim(kind);
	if (legacy_take_u64(&text, &rate) && rate > INT64_MAX)
		return false;
	h->l.period = (int64_t)rate;
	if (str_eq(kind, STR("heap_v2")) || str_eq(kind, STR("heapz_v2"))) {
		h->sampled = true;
	} else if (str_eq(kind, STR("heap"))) {
		h->sampled = true;
		h->l.period /= 2; /* Go writes twice its sampling rate */
	} else if (str_eq(kind, STR("heapprofile")) || str_starts(kind, STR("growth")) ||
		   str_starts(kind, STR("fragmentation"))) {
		h->l.period = 1;
	} else {
		return false;
	}
	return true;
}

static int read_heap_header(struct heap_reader *h)
{
	struct heap_counts total;
	size_t at = str_find_str(h->l.line, STR("heap profile:"));
	struct str text = str_from_at(h->l.line, at + STR("heap profile:").n);

	if (at == h->l.line.n || !take_counts(&text, &total) || !legacy_take_char(&text, '@') ||
	    !parse_kind(h, text))
		return legacy_fail(&h->l, "\"heap profile: N: N [N: N] @ heap_v2/N\"");
	set_heap_types(h, &total);
	return 0;
}

static int read_heap_sample(struct heap_reader *h)
{
	struct str text = h->l.line;
	uint32_t stack_at = h->l.addresses.n;
	struct heap_counts c;
	int rc;

	if (!take_counts(&text, &c) || !legacy_take_char(&text, '@'))
		return legacy_fail(&h->l, "\"N: N [N: N] @ 0x...\"");
	rc = legacy_add_addresses(&h->l, text, 1, 1);
	return rc ? rc : add_heap_sample(h, &c, stack_at);
}

static int read_tcmalloc(struct heap_reader *h)
{
	int rc = read_heap_header(h);

	while (!rc && legacy_next_line(&h->l)) {
		if (legacy_is_map_start(h->l.line))
			break;
		rc = legacy_is_comment(h->l.line) ? legacy_take_symbol(&h->l) : read_heap_sample(h);
	}
	return rc;
}

/* Parse "t*: N: N [N: N]"; set *all if it is the line of all threads. */
static bool parse_thread(struct str line, struct heap_counts *c, bool *all)
{
	uint64_t number;

	if (!legacy_take_char(&line, 't'))
		return false;
	*all = legacy_take_char(&line, '*');
	if (!*all && !legacy_take_u64(&line, &number))
		return false;
	return legacy_take_char(&line, ':') && take_counts(&line, c);
}

static int read_jemalloc(struct heap_reader *h)
{
	uint32_t stack_at = 0;
	bool in_stack = false, has_types = false;
	int rc = 0;

	if (!parse_kind(h, h->l.line))
		return legacy_fail(&h->l, "\"heap_v2/N\"");
	set_heap_types(h, &(struct heap_counts){0});
	while (!rc && legacy_next_line(&h->l) && !legacy_is_map_start(h->l.line)) {
		struct str line = h->l.line;
		struct heap_counts c;
		bool all;

		if (legacy_is_comment(line))
			continue;
		if (legacy_take_char(&line, '@')) {
			stack_at = h->l.addresses.n;
			in_stack = true;
			rc = legacy_add_addresses(&h->l, line, 1, 1);
		} else if (!parse_thread(line, &c, &all)) {
			rc = legacy_fail(&h->l, "\"@ 0x...\" or \"t*: N: N [N: N]\"");
		} else if (all && in_stack) {
			rc = add_heap_sample(h, &c, stack_at);
			in_stack = false;
		} else if (all && !has_types) { /* the total, before the first stack */
			set_heap_types(h, &c);
			has_types = true;
		}
	}
	return rc;
}

static int heap_sniff(struct str head)
{
	struct str line;

	if (str_starts(head, STR("heap_v2/")))
		return 90;
	if (!str_next_line(&head, &line))
		return 0;
	return str_find_str(line, STR("heap profile:")) < line.n ? 90 : 0;
}

static int heap_decode(struct profile_batch *out, struct str in, const struct decode_options *o,
		       struct err *e)
{
	struct heap_reader h = {0};
	int rc = legacy_init(&h.l, out, in, e);

	(void)o;
	if (rc)
		return rc;
	if (!legacy_next_line(&h.l))
		return err_set(e, -EBADMSG, "line 1: expected a heap profile, found nothing");
	rc = str_starts(h.l.line, STR("heap_v2/")) ? read_jemalloc(&h) : read_tcmalloc(&h);
	if (!rc)
		rc = legacy_read_maps(&h.l);
	return rc ? rc : legacy_finish(&h.l);
}

static const char *const extensions[] = {"heap", NULL};

const struct format format_heap_text = {
	.name = "heap-text",
	.summary = "heap profiles of tcmalloc and jemalloc, and Go's heap?debug=1",
	.extensions = extensions,
	.sniff = heap_sniff,
	.decode = heap_decode,
};
