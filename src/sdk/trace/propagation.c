/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers that pass contexts between processes: W3C Trace Context and Baggage, and Zipkin's B3 in
 * its two forms (https://github.com/openzipkin/b3-propagation).
 */
#include "sdk/trace/propagation.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/str.h"
#include "wire/text.h"

static _Atomic unsigned propagators = VARVE_PROPAGATE_TRACECONTEXT | VARVE_PROPAGATE_BAGGAGE;

void propagation_configure(unsigned wanted)
{
	atomic_store(&propagators, wanted);
}

static unsigned configured(void)
{
	unsigned wanted = atomic_load_explicit(&propagators, memory_order_relaxed);

	return wanted & VARVE_PROPAGATE_NONE ? 0 : wanted;
}

/* -- writing ----------------------------------------------------------------------------------- */

int varve_inject(void (*set)(void *arg, const char *name, const char *value), void *arg)
{
	unsigned wanted = configured();
	char parent[VARVE_TRACEPARENT_SIZE], trace[33] = "", span[17] = "", both[56];
	struct varve_baggage *baggage;
	char text[VARVE_BAGGAGE_SIZE];
	struct varve_context c;
	int n = 0;

	if (!varve_context_current(&c) && !varve_context_format(&c, parent)) {
		const char *sampled = c.flags & 1 ? "1" : "0";

		hex_digits(trace, str_of((const char *)c.trace_id, 16));
		hex_digits(span, str_of((const char *)c.span_id, 8));
		snprintf(both, sizeof(both), "%s-%s-%s", trace, span, sampled);
		if (wanted & VARVE_PROPAGATE_TRACECONTEXT) {
			set(arg, "traceparent", parent);
			n++;
			if (c.trace_state[0]) {
				set(arg, "tracestate", c.trace_state);
				n++;
			}
		}
		if (wanted & VARVE_PROPAGATE_B3) {
			set(arg, "b3", both);
			n++;
		}
		if (wanted & VARVE_PROPAGATE_B3MULTI) {
			set(arg, "X-B3-TraceId", trace);
			set(arg, "X-B3-SpanId", span);
			set(arg, "X-B3-Sampled", sampled);
			n += 3;
		}
	}
	baggage = wanted & VARVE_PROPAGATE_BAGGAGE ? varve_baggage_current() : NULL;
	if (baggage && varve_baggage_format(baggage, text, sizeof(text)) > 0) {
		set(arg, "baggage", text);
		n++;
	}
	varve_baggage_release(baggage);
	return n;
}

/* -- reading ----------------------------------------------------------------------------------- */

/* Decode `size` bytes of hex digits; fewer digits are the last ones. False: malformed or zero. */
static bool read_b3_id(struct str text, uint8_t *out, size_t size)
{
	uint8_t bytes[16], any = 0;
	size_t n;

	if (hex_decode(text, bytes, size, &n) || (n != size && n != 8))
		return false;
	memset(out, 0, size);
	memcpy(out + size - n, bytes, n);
	for (size_t i = 0; i < size; i++)
		any |= out[i];
	return any != 0;
}

/* Fill a context from the parts of B3. `sampled`: "1", "0", "d" (debug), or empty: undecided. */
static int b3_context(struct varve_context *out, struct str trace, struct str span,
		      struct str sampled)
{
	struct varve_context c = {0};

	if (!read_b3_id(trace, c.trace_id, 16) || !read_b3_id(span, c.span_id, 8))
		return -EINVAL;
	if (!sampled.n || str_eq(sampled, STR("1")) || str_eq(sampled, STR("d")) ||
	    str_eq(sampled, STR("true")))
		c.flags = 1;
	else if (!str_eq(sampled, STR("0")) && !str_eq(sampled, STR("false")))
		return -EINVAL;
	*out = c;
	return 0;
}

int b3_parse(const char *text, struct varve_context *out)
{
	enum { B3_MAX = 32 + 1 + 16 + 1 + 1 + 1 + 16 };
	struct str rest = str_of(text, text ? strnlen(text, B3_MAX + 1) : 0), trace, span, sampled;

	if (rest.n > B3_MAX)
		return -EINVAL;
	trace = str_cut(&rest, '-');
	span = str_cut(&rest, '-');
	sampled = str_cut(&rest, '-');
	return b3_context(out, trace, span, sampled);
}

static struct str header_text(const char *(*get)(void *arg, const char *name), void *arg,
			      const char *name)
{
	const char *text = get(arg, name);

	return str_of(text, text ? strnlen(text, 64) : 0);
}

static int extract_context(struct varve_context *c, unsigned wanted,
			   const char *(*get)(void *arg, const char *name), void *arg)
{
	int rc = -ENOENT;
	const char *text;

	if (wanted & VARVE_PROPAGATE_TRACECONTEXT) {
		text = get(arg, "traceparent");
		rc = text ? varve_context_parse(c, text, get(arg, "tracestate")) : -ENOENT;
	}
	if (rc && wanted & VARVE_PROPAGATE_B3) {
		text = get(arg, "b3");
		rc = text ? b3_parse(text, c) : rc;
	}
	if (rc && wanted & VARVE_PROPAGATE_B3MULTI)
		rc = b3_context(c, header_text(get, arg, "X-B3-TraceId"),
				header_text(get, arg, "X-B3-SpanId"),
				header_text(get, arg, "X-B3-Sampled"));
	return rc ? -ENOENT : 0;
}

int varve_extract(struct varve_context *context, struct varve_baggage **baggage,
		  const char *(*get)(void *arg, const char *name), void *arg)
{
	unsigned wanted = configured();
	struct varve_context c = {0};
	int rc = extract_context(&c, wanted, get, arg);

	if (rc)
		c = (struct varve_context){0};
	if (context)
		*context = c;
	if (baggage)
		*baggage = wanted & VARVE_PROPAGATE_BAGGAGE
				   ? varve_baggage_parse(get(arg, "baggage"))
				   : NULL;
	return rc;
}
