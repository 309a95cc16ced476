/* SPDX-License-Identifier: Apache-2.0 */
/* The operator time_parser, and the key `timestamp` of parsers. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "pipeline/receivers/filelog/operators/parser.h"

#define TIME_SETTINGS(struct_, member)                                                             \
	SET_CUSTOM(struct_, member from, "parse_from", operator_field_read, "field",               \
		   "The field with the time."),                                                    \
		SET_STRING(struct_, member layout, "layout", NULL,                                 \
			   "%Y-%m-%d %H:%M:%S, 2006-01-02 15:04:05, or the unit of an epoch."),    \
		SET_STRING(struct_, member layout_type, "layout_type", "strptime",                 \
			   "strptime, gotime or epoch."),                                          \
		SET_STRING(struct_, member location, "location", NULL,                             \
			   "The time zone of times without offset; default: Local, or UTC for a "  \
			   "layout that ends with Z.")

const struct setting time_settings_table[] = {
	TIME_SETTINGS(struct time_settings, ),
	SET_END,
};

/* ---- settings ---- */

static const struct {
	struct str layout;
	int64_t unit;
	bool fraction;
} epoch_layouts[] = {
	{STR_INIT("s"), 1000000000, false}, {STR_INIT("ms"), 1000000, false},
	{STR_INIT("us"), 1000, false},	    {STR_INIT("ns"), 1, false},
	{STR_INIT("s.ms"), 1000000, true},  {STR_INIT("s.us"), 1000, true},
	{STR_INIT("s.ns"), 1, true},
};

static int init_epoch(struct time_parser *p, struct str layout, struct err *e)
{
	for (size_t i = 0; i < countof(epoch_layouts); i++) {
		if (!str_eq(layout, epoch_layouts[i].layout))
			continue;
		p->epoch = true;
		p->unit = epoch_layouts[i].unit;
		p->fraction = epoch_layouts[i].fraction;
		return 0;
	}
	return err_set(e, -EINVAL,
		       "invalid \"layout\" for layout_type epoch: use s, ms, us, ns, s.ms, s.us or "
		       "s.ns");
}

int time_parser_init(struct time_parser *p, const struct time_settings *s, struct err *e)
{
	struct str location = s->location;
	int rc;

	if (!s->from.set)
		return err_set(e, -EINVAL, "missing required key \"parse_from\" of the time");
	if (!s->layout.n)
		return err_set(e, -EINVAL, "missing required key \"layout\"");
	if (str_eq(s->layout_type, STR("epoch")))
		return init_epoch(p, s->layout, e);
	if (str_eq(s->layout_type, STR("strptime")))
		rc = time_layout_strptime(&p->layout, s->layout, e);
	else if (str_eq(s->layout_type, STR("gotime")))
		rc = time_layout_go(&p->layout, s->layout, e);
	else
		rc = err_set(e, -EINVAL,
			     "unsupported layout_type \"%.*s\": use strptime, gotime or epoch",
			     STR_ARG(str_head(s->layout_type, 40)));
	if (rc)
		return rc;
	if (!location.n)
		location = time_layout_is_zulu(&p->layout) ? STR("UTC") : STR("Local");
	return time_zone_load(&p->zone, location, e);
}

void time_parser_fini(struct time_parser *p)
{
	time_zone_free(p->zone);
	p->zone = NULL;
}

/* ---- parsing ---- */

/* Parse digits and a fraction of `digits` digits as nanoseconds. */
static bool epoch_fraction(struct str text, int64_t unit, int64_t *ns)
{
	struct str rest = text, whole = str_cut(&rest, '.');
	int64_t seconds, part = 0;

	if (str_to_i64(whole, &seconds) || (rest.n && str_to_i64(rest, &part)))
		return false;
	return !__builtin_mul_overflow(seconds, (int64_t)NS_PER_SECOND, ns) &&
	       !__builtin_mul_overflow(part, unit, &part) && !__builtin_add_overflow(*ns, part, ns);
}

static bool epoch_text(const struct time_parser *p, struct str text, int64_t *ns)
{
	int64_t count;

	if (p->fraction)
		return epoch_fraction(text, p->unit, ns);
	return !str_to_i64(text, &count) && !__builtin_mul_overflow(count, p->unit, ns);
}

/* A double counts seconds if the layout has a fraction, else units without a fraction. */
static bool epoch_double(const struct time_parser *p, double d, int64_t *ns)
{
	int64_t unit = p->fraction ? (int64_t)NS_PER_SECOND : p->unit;
	double whole = trunc(d), limit = (double)INT64_MAX / (double)unit;

	if (!(whole < limit && whole > -limit))
		return false;
	*ns = (int64_t)whole * unit;
	if (p->fraction)
		*ns += (int64_t)round((d - whole) * (double)NS_PER_SECOND / (double)p->unit) *
		       p->unit;
	return true;
}

static int epoch_time(const struct time_parser *p, const struct log_node *value, int64_t *ns,
		      struct err *e)
{
	struct str text;
	bool good = false;

	if (operator_text(value, &text))
		good = epoch_text(p, text, ns);
	else if (value->kind == VALUE_INT)
		good = !__builtin_mul_overflow(value->i,
					       p->fraction ? (int64_t)NS_PER_SECOND : p->unit, ns);
	else if (value->kind == VALUE_DOUBLE)
		good = epoch_double(p, value->d, ns);
	else
		return err_set(e, -EINVAL, "%s cannot be parsed as a time",
			       log_node_kind_name(value));
	return good ? 0 : err_set(e, -EINVAL, "invalid number for a time of the layout");
}

int time_parser_apply(const struct time_parser *p, const struct time_settings *s,
		      struct operator_run *run, struct log_entry *entry, struct err *e)
{
	const struct log_node *value = entry_field_get(entry, &s->from);
	struct str text;
	int64_t ns;
	int rc;

	if (!value)
		return err_set(e, -EINVAL, "the entry has no field %.*s", STR_ARG(s->from.text));
	if (p->epoch)
		rc = epoch_time(p, value, &ns, e);
	else if (operator_text(value, &text))
		rc = time_layout_parse(&p->layout, text, p->zone, run->now, &ns, e);
	else
		rc = err_set(e, -EINVAL, "%s cannot be parsed as a time",
			     log_node_kind_name(value));
	if (!rc && ns < 0)
		rc = err_set(e, -EINVAL, "the time is before 1970");
	if (!rc)
		entry->time = (uint64_t)ns;
	return rc;
}

/* ---- the operator ---- */

struct time_operator_settings {
	struct operator_common common;
	struct time_settings time;
};

static const struct setting time_operator_table[] = {
	OPERATOR_COMMON(struct time_operator_settings, common),
	TIME_SETTINGS(struct time_operator_settings, time.),
	SET_END,
};

static int time_operator_create(void **state, const void *settings, struct operator_build *b,
				struct err *e)
{
	const struct time_operator_settings *s = settings;
	struct time_parser *p = calloc(1, sizeof(*p));

	(void)b;
	if (!p)
		return -ENOMEM;
	*state = p;
	return time_parser_init(p, &s->time, e);
}

static void time_operator_destroy(void *state)
{
	time_parser_fini(state);
	free(state);
}

static int time_operator_process(struct op *op, struct operator_run *run, struct log_entry *entry,
				 struct err *e)
{
	const struct time_operator_settings *s = (const void *)op->settings;

	return time_parser_apply(op->state, &s->time, run, entry, e);
}

const struct operator_type time_parser_operator = {
	.name = "time_parser",
	.table = time_operator_table,
	.settings_size = sizeof(struct time_operator_settings),
	.create = time_operator_create,
	.process = time_operator_process,
	.destroy = time_operator_destroy,
};
