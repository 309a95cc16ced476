/* SPDX-License-Identifier: Apache-2.0 */
/* Spans of the profilers' own work. */
#include "sdk/profile/own_spans.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

static const char *const kind_names[] = {"cpu",	 "heap",    "mutex",	    "block",
					 "wall", "threads", "threadcreate", "mmap"};

static struct varve_span *begin_collection(const char *type)
{
	char name[64];
	struct varve_span *span;

	snprintf(name, sizeof(name), "%s-profile-collection", type);
	span = varve_span_start(name, NULL);
	varve_span_set_str(span, "profiler.type", type);
	return span;
}

struct own_spans own_export_begin(bool enabled)
{
	struct own_spans s = {.start_ns = clock_monotonic_ns()};

	if (enabled)
		s.whole = varve_span_start("profile-export-flush", NULL);
	return s;
}

static void set_duration(struct varve_span *span, uint64_t start_ns)
{
	varve_span_set_double(span, "profiler.duration_ms",
			      (double)(clock_monotonic_ns() - start_ns) / 1e6);
}

void own_export_end(const struct own_spans *s, uint64_t profiles, uint64_t bytes)
{
	if (!s->whole)
		return;
	varve_span_set_str(s->whole, "profiler.type", "export");
	varve_span_set_int(s->whole, "profiles.count", (int64_t)profiles);
	varve_span_set_int(s->whole, "profiler.profile_size_bytes", (int64_t)bytes);
	varve_span_set_bool(s->whole, "profiler.profile_available", profiles > 0);
	set_duration(s->whole, s->start_ns);
	varve_span_end(s->whole);
}

struct own_spans own_profile_begin(bool enabled, enum varve_profile kind)
{
	unsigned index = (unsigned)__builtin_ctz((unsigned)kind);
	struct own_spans s = {.start_ns = clock_monotonic_ns()};

	if (!enabled || index >= countof(kind_names))
		return s;
	s.whole = begin_collection(kind_names[index]);
	if (kind == VARVE_HEAP)
		s.alloc = begin_collection("alloc");
	return s;
}

void own_profile_collected(struct own_spans *s, const struct profile_batch *batch)
{
	s->has_samples = batch->sample_count != 0;
	for (uint32_t i = 0; s->alloc && i < batch->profiles.n; i++) {
		const struct profile *p = &batch->profiles.at[i];

		if (p->sample_count &&
		    str_starts(string_of(batch, p->sample_type.type), STR("alloc_")))
			s->has_allocations = true;
	}
}

static void end_collection(struct varve_span *span, const struct own_spans *s, bool available,
			   uint64_t bytes, int rc)
{
	if (!span)
		return;
	set_duration(span, s->start_ns);
	varve_span_set_bool(span, "profiler.profile_available", available && !rc);
	varve_span_set_int(span, "profiler.profile_size_bytes", available ? (int64_t)bytes : 0);
	if (rc)
		varve_span_set_error(span, strerror(-rc));
	varve_span_end(span);
}

void own_profile_end(const struct own_spans *s, uint64_t bytes, int rc)
{
	end_collection(s->alloc, s, s->has_allocations, bytes, rc);
	end_collection(s->whole, s, s->has_samples, bytes, rc);
}
