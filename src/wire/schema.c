/* SPDX-License-Identifier: Apache-2.0 */
/* Lookup of fields; schema_in.c and schema_out.c convert. */
#include "wire/schema.h"

const struct schema_field *schema_field_by_name(const struct schema_message *m, struct str name)
{
	for (size_t i = 0; i < m->field_count; i++)
		if (str_eq(m->fields[i].name, name) || str_eq(m->fields[i].snake, name))
			return &m->fields[i];
	return NULL;
}

const struct schema_field *schema_field_by_number(const struct schema_message *m, uint32_t number)
{
	for (size_t i = 0; i < m->field_count; i++)
		if (m->fields[i].number == number && !(m->fields[i].flags & SCHEMA_OLD_NAME))
			return &m->fields[i];
	return NULL;
}

int schema_json_to_proto(struct buf *out, const struct schema_message *m, struct str json,
			 struct arena *scratch, struct err *e)
{
	struct json doc;
	int rc;

	if (!str_trim(json).n)
		return 0;
	json_init(&doc, scratch);
	rc = json_parse(&doc, json, e);
	return rc ? rc : schema_to_proto(out, m, &doc, e);
}
