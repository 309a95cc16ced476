/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are no strings get the text that they have in logs of the collector. */
#include "pipeline/convert/prometheus/prom_attributes.h"

#include <stdlib.h>

#include "signal/otlp/value_text.h"

static int attribute_text(const struct prom_text *t, const struct value *v, struct str *out)
{
	struct buf text = {0};
	int rc;

	if (v->kind == VALUE_STRING) {
		*out = v->s;
		return 0;
	}
	rc = otlp_value_text(&text, v);
	if (!rc)
		rc = buf_error(&text);
	if (!rc)
		rc = arena_copy_str(t->arena, buf_str(&text), out);
	buf_fini(&text);
	return rc;
}

/* Add the label of an attribute. Attributes that get the same name are joined by `;`. */
static int add_attribute(const struct prom_text *t, struct prom_labels *l, uint32_t from,
			 struct str key, const struct value *value)
{
	struct str name, text, joined;
	int rc = prom_label_name(&name, t->strategy, key, t->arena);

	if (!rc)
		rc = attribute_text(t, value, &text);
	if (rc || str_eq(name, STR("__name__")) || !name.n)
		return rc;
	for (uint32_t i = from; i < l->list.n; i++)
		if (str_eq(l->list.at[i].name, name)) {
			rc = arena_printf(t->arena, &joined, "%.*s;%.*s",
					  STR_ARG(l->list.at[i].value), STR_ARG(text));
			l->list.at[i].value = rc ? text : joined;
			return rc;
		}
	return vec_push(t->arena, &l->list, (struct prom_label){name, text});
}

static int compare_keys(const void *a, const void *b)
{
	return str_cmp(((const struct otlp_attribute *)a)->key,
		       ((const struct otlp_attribute *)b)->key);
}

int prom_add_attributes(const struct prom_text *t, struct prom_labels *l,
			struct attributes *attributes)
{
	uint32_t from = l->list.n;
	int rc = 0;

	if (attributes->list.n > 1)
		qsort(attributes->list.at, attributes->list.n, sizeof(attributes->list.at[0]),
		      compare_keys);
	for (uint32_t i = 0; i < attributes->list.n && !rc; i++)
		rc = add_attribute(t, l, from, attributes->list.at[i].key,
				   &attributes->list.at[i].value);
	return rc;
}
