/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks up the values of dimensions in the attributes of a span and of its resource, and encodes
 * them as a key.
 */
#include "pipeline/connectors/spanmetrics/span_dimensions.h"

#include <errno.h>

#include "signal/otlp/attributes.h"

static const struct {
	struct str name;
	enum span_basic basic;
} basic_names[] = {
	{STR_INIT("service.name"), BASIC_SERVICE},
	{STR_INIT("span.name"), BASIC_NAME},
	{STR_INIT("span.kind"), BASIC_KIND},
	{STR_INIT("status.code"), BASIC_STATUS},
};

/* ---- settings ---- */

static const struct setting dimension_table[] = {
	SET_STRING(struct span_dimension, name, "name", NULL, "Attribute of the span or resource."),
	SET_STRING(struct span_dimension, fallback, "default", NULL,
		   "Value for spans without the attribute."),
	SET_END,
};

static int read_dimension(struct span_dimension *d, const struct config_node *n, const char *what,
			  struct arena *arena, struct err *e)
{
	const struct config_node *fallback = config_get(n, STR("default"));
	int rc;

	if (n->kind != CONFIG_MAP)
		return config_fail(n, e, "%s: a dimension has to be {name: ATTRIBUTE}", what);
	if (config_get(n, STR("glob")))
		return config_fail(n, e,
				   "%s: patterns of dimensions (glob) are not supported; list "
				   "the names",
				   what);
	rc = settings_read(dimension_table, n, what, d, arena, e);
	if (!rc && !d->name.n)
		return config_fail(n, e, "%s: a dimension has no name", what);
	d->has_fallback = fallback && fallback->kind == CONFIG_SCALAR;
	return rc;
}

int span_dimensions_read(const struct config_node *n, const char *what, void *to,
			 struct arena *arena, struct err *e)
{
	struct span_dimension_list *out = to;
	struct span_dimension *at = arena_zalloc(arena, SPAN_DIMENSIONS_MAX, sizeof(*at));
	uint32_t count = 0;
	int rc = 0;

	if (!at)
		return -ENOMEM;
	if (n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: expected a list of {name, default}", what);
	for (const struct config_node *child = n->first; child && !rc; child = child->next) {
		if (count == SPAN_DIMENSIONS_MAX)
			return config_fail(child, e, "%s: more than %d dimensions", what,
					   SPAN_DIMENSIONS_MAX);
		rc = read_dimension(&at[count++], child, what, arena, e);
	}
	*out = (struct span_dimension_list){at, count};
	return rc;
}

int span_basics_of(struct setting_list excluded, unsigned *basics, struct err *e)
{
	*basics = BASIC_ALL;
	for (uint32_t i = 0; i < excluded.n; i++) {
		size_t k = 0;

		while (k < countof(basic_names) && !str_eq(basic_names[k].name, excluded.at[i]))
			k++;
		if (k == countof(basic_names))
			return err_set(e, -EINVAL,
				       "\"exclude_dimensions\": \"%.*s\" is not one of "
				       "service.name, span.name, span.kind, status.code",
				       STR_ARG(excluded.at[i]));
		*basics &= ~(unsigned)basic_names[k].basic;
	}
	return 0;
}

/* Return whether one of the first `count` dimensions of all lists has that name. */
static bool named_before(const struct span_dimension_list *lists, size_t list, uint32_t at)
{
	struct str name = lists[list].at[at].name;

	for (size_t i = 0; i <= list; i++)
		for (uint32_t k = 0; k < (i == list ? at : lists[i].n); k++)
			if (str_eq(lists[i].at[k].name, name))
				return true;
	return false;
}

int span_dimensions_check(const struct span_dimension_list *lists, size_t count, unsigned basics,
			  struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		for (uint32_t k = 0; k < lists[i].n; k++) {
			bool twice = named_before(lists, i, k);

			for (size_t b = 0; b < countof(basic_names); b++)
				twice |= (basics & basic_names[b].basic) &&
					 str_eq(basic_names[b].name, lists[i].at[k].name);
			if (twice)
				return err_set(e, -EINVAL, "duplicate dimension name \"%.*s\"",
					       STR_ARG(lists[i].at[k].name));
		}
	}
	return 0;
}

/* ---- values ---- */

static void write_text(struct proto_writer *w, size_t name, struct str text)
{
	struct value v = VALUE_OF_STR(text);

	otlp_attribute_write(w, 1, basic_names[name].name, &v);
}

static void write_dimension(struct proto_writer *w, const struct span_dimension *d,
			    const struct span_fields *span, struct str resource)
{
	struct value v = VALUE_OF_STR(d->fallback);

	if (otlp_attribute_find(span->message, OTLP_SPAN_ATTRIBUTES, d->name, &v) ||
	    otlp_attribute_find(resource, OTLP_RESOURCE_ATTRIBUTES, d->name, &v) || d->has_fallback)
		otlp_attribute_write(w, 1, d->name, &v);
}

void span_dimensions_write(struct proto_writer *w, unsigned basics,
			   const struct span_dimension_list *lists, size_t count,
			   const struct span_fields *span, struct str resource, struct str service)
{
	for (size_t i = count; i-- > 0;)
		for (uint32_t k = lists[i].n; k-- > 0;)
			write_dimension(w, &lists[i].at[k], span, resource);
	if (basics & BASIC_STATUS)
		write_text(w, 3, span_status_name(span->status));
	if (basics & BASIC_KIND)
		write_text(w, 2, span_kind_name(span->kind));
	if (basics & BASIC_NAME)
		write_text(w, 1, span->name);
	if (basics & BASIC_SERVICE)
		write_text(w, 0, service);
}
