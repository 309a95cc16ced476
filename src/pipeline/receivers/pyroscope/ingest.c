/* SPDX-License-Identifier: Apache-2.0 */
/* /ingest: decode each format, then assign names, times and values as Pyroscope does. */
#include "pipeline/receivers/pyroscope/ingest.h"

#include <errno.h>

#include "base/clock.h"
#include "base/container/vec.h"
#include "format/folded/folded.h"
#include "format/jfr/jfr.h"
#include "format/pprof/pprof.h"
#include "format/speedscope/speedscope.h"
#include "net/http/multipart.h"
#include "pipeline/receivers/pyroscope/fixups.h"
#include "pipeline/receivers/pyroscope/metric.h"
#include "wire/compress/compress.h"

enum { SNIFF_BYTES = 64 * 1024 };

struct ingest {
	struct profile_batch *out;
	struct arena *arena;
	const struct ingest_request *request;
	struct ingest_params params;
	struct str profile, sample_type_config, jfr, labels; /* the parts of a form */
	struct str name;				     /* __name__; empty: derived later */
	struct err *e;
};

int pyroscope_unpack(struct arena *arena, struct str in, size_t max_bytes, struct str *out,
		     struct err *e)
{
	enum { LAYERS_MAX = 3 };
	const struct budget *b = arena->budget;
	/* leave a quarter of the decoding memory for the batch */
	struct decompress_limits limits = {.output = b ? min_size(max_bytes, b->limit / 4 * 3)
						       : max_bytes};

	*out = in;
	for (unsigned i = 0; i < LAYERS_MAX; i++) {
		enum compress_kind kind = compress_detect(*out);
		struct err quiet = {0};
		int rc;

		if (kind == COMPRESS_NONE || kind == COMPRESS_ZIP)
			break;
		rc = decompress_bytes(kind, *out, arena, &limits, &in,
				      kind == COMPRESS_ZLIB ? &quiet : e);
		if (rc == -EBADMSG && kind == COMPRESS_ZLIB)
			break; /* text that begins like a zlib header */
		if (rc)
			return rc;
		*out = in;
	}
	return 0;
}

/* Read the parts of the form; unknown parts are ignored. */
static int read_ingest_form(struct ingest *g)
{
	struct multipart m;
	struct multipart_part part;
	int rc = multipart_open(&m, g->request->body, g->params.boundary, g->e);

	while (!rc && (rc = multipart_next(&m, &part, g->e)) == 1) {
		rc = 0;
		if (str_eq(part.name, STR("profile")))
			g->profile = part.bytes;
		else if (str_eq(part.name, STR("sample_type_config")))
			g->sample_type_config = part.bytes;
		else if (str_eq(part.name, STR("jfr")))
			g->jfr = part.bytes;
		else if (str_eq(part.name, STR("labels")))
			g->labels = part.bytes;
		else if (str_eq(part.name, STR("prev_profile")) && part.bytes.n)
			return err_set(g->e, -EBADMSG,
				       "unsupported client version. Please update "
				       "github.com/grafana/pyroscope-go");
	}
	return rc;
}

static int decode_format(struct ingest *g, const struct format *f, struct str in,
			 const struct decode_options *options)
{
	return format_decode(g->out, in, f, STR(""), options, NULL, g->e);
}

/* An empty profile is valid; it has no samples. */
static bool is_blank(struct str in)
{
	return !in.n;
}

static int decode_stacks(struct ingest *g, const struct format *f)
{
	struct str in = g->request->body;
	struct metric metric;
	int rc;

	metric_of_app(&metric, g->params.app);
	g->params.app = metric.app;
	if (g->params.metric.name.n) {
		metric = g->params.metric;
		if (!metric.type.n)
			return err_set(
				g->e, -EINVAL,
				"X-Profile-Type: \"%.*s\" is not enough for a format without "
				"types; expected cpu, wall, heap, allocs, goroutine, mutex or "
				"block",
				STR_ARG(str_head(metric.name, 60)));
	}
	if (is_blank(str_trim(in)))
		return 0;
	rc = pyroscope_unpack(g->arena, in, g->request->max_bytes, &in, g->e);
	if (!rc)
		rc = decode_format(g, f, in, NULL);
	if (!rc)
		rc = metric_apply(g->out, &metric, g->params.sample_rate);
	g->name = metric.name;
	return rc;
}

static bool is_script_spy(struct str spy)
{
	return str_eq(spy, STR("pyspy")) || str_eq(spy, STR("rbspy")) ||
	       str_eq(spy, STR("scripting"));
}

static int decode_pprof(struct ingest *g, struct str in)
{
	struct str spy = g->params.spy_name;
	bool dotnet =
		str_eq(spy, STR("dotnetspy")) ||
		(str_eq(spy, STR("unknown")) &&
		 str_find_str(g->sample_type_config, STR("inuse-space")) < g->sample_type_config.n);
	int rc;

	if (is_blank(in))
		return 0;
	rc = pyroscope_unpack(g->arena, in, g->request->max_bytes, &in, g->e);
	if (!rc && is_blank(in))
		return 0;
	if (!rc)
		rc = decode_format(g, &format_pprof, in, NULL);
	if (!rc && is_script_spy(spy))
		rc = fixup_script_names(g->out, str_eq(spy, STR("pyspy")));
	if (!rc && dotnet)
		rc = fixup_type_dashes(g->out);
	if (!rc)
		rc = metric_of_pprof(&g->name, g->out, g->sample_type_config, g->arena);
	if (!rc)
		rc = fixup_sample_attributes(g->out, false);
	return rc;
}

static int decode_jfr(struct ingest *g)
{
	struct decode_options options = {0};
	struct str in = g->request->body;
	int rc = 0;

	if (g->params.boundary.p) {
		rc = read_ingest_form(g);
		in = g->jfr;
		options.labels = g->labels;
		if (!rc && !in.p)
			rc = err_set(g->e, -EBADMSG, "expected a part \"jfr\" in the form");
	}
	if (rc || is_blank(in))
		return rc;
	rc = pyroscope_unpack(g->arena, in, g->request->max_bytes, &in, g->e);
	if (!rc)
		rc = pyroscope_unpack(g->arena, options.labels, g->request->max_bytes,
				      &options.labels, g->e);
	if (!rc)
		rc = decode_format(g, &format_jfr, in, &options);
	if (!rc && g->params.from && g->params.until)
		fixup_outside(g->out, g->params.from, g->params.until);
	return rc ? rc : fixup_sample_attributes(g->out, true);
}

static int decode_speedscope(struct ingest *g)
{
	struct str in = g->request->body;
	int rc;

	if (is_blank(str_trim(in)))
		return 0;
	rc = pyroscope_unpack(g->arena, in, g->request->max_bytes, &in, g->e);
	if (!rc)
		rc = decode_format(g, &format_speedscope, in, NULL);
	return rc ? rc : metric_of_speedscope(g->out, g->params.sample_rate);
}

static int decode_as(struct ingest *g, enum ingest_format format);

/*
 * Decode a body whose format the request does not name: by its content, else as folded stacks if it
 * is text, which is Pyroscope's default.
 */
static int decode_by_content(struct ingest *g)
{
	static const struct {
		const struct format *format;
		enum ingest_format as;
	} known[] = {{&format_pprof, INGEST_PPROF},
		     {&format_jfr, INGEST_JFR},
		     {&format_speedscope, INGEST_SPEEDSCOPE},
		     {&format_trie, INGEST_TRIE},
		     {&format_tree, INGEST_TREE},
		     {&format_folded, INGEST_FOLDED},
		     {&format_lines, INGEST_FOLDED}};
	const struct format *found;
	struct str in = g->request->body;
	int rc = pyroscope_unpack(g->arena, in, g->request->max_bytes, &in, g->e);

	if (rc)
		return rc;
	found = format_by_content(str_head(in, SNIFF_BYTES));
	for (size_t i = 0; i < countof(known); i++)
		if (known[i].format == found)
			return decode_as(g, known[i].as);
	if (found)
		return decode_format(g, found, in, NULL);
	if (str_utf8_valid(in) == in.n)
		return decode_as(g, INGEST_FOLDED);
	return err_set(g->e, -EBADMSG,
		       "not a profile of a known format; name it with ?format= (pprof, jfr, "
		       "speedscope, trie, tree, lines, folded)");
}

static int decode_as(struct ingest *g, enum ingest_format format)
{
	int rc;

	switch (format) {
	case INGEST_TRIE:
		return decode_stacks(g, &format_trie);
	case INGEST_TREE:
		return decode_stacks(g, &format_tree);
	case INGEST_LINES:
		return decode_stacks(g, &format_lines);
	case INGEST_FOLDED:
		return decode_stacks(g, &format_folded);
	case INGEST_JFR:
		return decode_jfr(g);
	case INGEST_SPEEDSCOPE:
		return decode_speedscope(g);
	case INGEST_PPROF:
	case INGEST_MULTIPART_PPROF:
		if (!g->params.boundary.p)
			return decode_pprof(g, g->request->body);
		rc = read_ingest_form(g);
		if (!rc && !g->profile.p)
			return err_set(g->e, -EBADMSG, "expected a part \"profile\" in the form");
		return rc ? rc : decode_pprof(g, g->profile);
	case INGEST_BY_CONTENT:
		return decode_by_content(g);
	}
	return -EINVAL;
}

/* Set the labels: those of the name, and those that Pyroscope adds. */
static int set_labels(struct ingest *g)
{
	struct ingest_params *p = &g->params;
	bool has_service = !p->app.n;
	int rc;

	for (uint32_t i = 0; i < p->labels.n; i++)
		has_service |= str_eq(p->labels.at[i].key, STR("service_name"));
	rc = vec_reserve(g->arena, &p->labels, 3);
	if (rc)
		return rc;
	if (!has_service)
		p->labels.at[p->labels.n++] =
			(struct keyvalue){STR("service_name"), VALUE_OF_STR(p->app)};
	if (p->named)
		p->labels.at[p->labels.n++] =
			(struct keyvalue){STR("pyroscope_spy"), VALUE_OF_STR(p->spy_name)};
	if (g->name.n)
		p->labels.at[p->labels.n++] =
			(struct keyvalue){STR("__name__"), VALUE_OF_STR(g->name)};
	/* Without name= the profile itself may contain the service. */
	return p->named ? fixup_resource(g->out, p->labels.at, p->labels.n)
			: profile_set_resource(g->out, p->labels.at, p->labels.n);
}

/* Apply the headers; they take precedence over the body. */
static int apply_headers(struct ingest *g)
{
	static const struct link none;
	const struct ingest_params *p = &g->params;

	if (p->metric.name.n)
		g->name = p->metric.name;
	if (p->time)
		fixup_shift(g->out, p->time);
	return memcmp(&p->trace, &none, sizeof(none)) != 0 ? fixup_trace(g->out, &p->trace) : 0;
}

int ingest_decode(struct profile_batch *out, struct arena *arena,
		  const struct ingest_request *request, struct err *e)
{
	struct ingest g = {.out = out, .arena = arena, .request = request, .e = e};
	int rc = ingest_params_parse(&g.params, arena, request->query, request->content_type,
				     request->now, e);

	if (!rc)
		rc = ingest_headers_parse(&g.params, &request->headers, request->now, e);
	if (rc)
		return rc;
	rc = decode_as(&g, g.params.format);
	if (rc == -EINVAL)
		rc = -EBADMSG; /* the profile, not the parameters */
	if (!rc)
		rc = apply_headers(&g);
	if (rc)
		return rc;
	rc = set_labels(&g);
	fixup_time(out, g.params.from, g.params.until);
	fixup_ids(out, request->key);
	return rc;
}
