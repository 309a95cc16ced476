/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/rule_list.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>

static bool has_path(const struct rule_paths *p, const char *path)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (!strcmp(p->at[i], path))
			return true;
	return false;
}

static int add_path(struct rule_paths *p, const char *path, struct err *e)
{
	char **at;

	if (has_path(p, path))
		return 0;
	if (p->n >= RULE_FILES_MAX)
		return err_set(e, -E2BIG, "more than %d rule files", RULE_FILES_MAX);
	at = realloc(p->at, (p->n + 1) * sizeof(*at));
	if (!at)
		return -ENOMEM;
	p->at = at;
	p->at[p->n] = strdup(path);
	if (!p->at[p->n])
		return -ENOMEM;
	p->n++;
	return 0;
}

static int find_pattern(struct rule_paths *p, const char *pattern, struct err *e)
{
	glob_t found;
	int rc;

	if (!strpbrk(pattern, "*?["))
		return add_path(p, pattern, e);
	rc = glob(pattern, 0, NULL, &found);
	if (rc == GLOB_NOMATCH)
		return 0;
	if (rc)
		return rc == GLOB_NOSPACE ? -ENOMEM
					  : err_set(e, -EIO, "%s: cannot be searched", pattern);
	for (size_t i = 0; i < found.gl_pathc && !rc; i++)
		rc = add_path(p, found.gl_pathv[i], e);
	globfree(&found);
	return rc;
}

int rule_paths_find(struct rule_paths *p, const struct str *patterns, uint32_t n, struct err *e)
{
	int rc = 0;

	*p = (struct rule_paths){0};
	for (uint32_t i = 0; i < n && !rc; i++) {
		char *pattern = strndup(patterns[i].p, patterns[i].n);

		rc = pattern ? find_pattern(p, pattern, e) : -ENOMEM;
		free(pattern);
	}
	return rc;
}

void rule_paths_fini(struct rule_paths *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		free(p->at[i]);
	free(p->at);
	*p = (struct rule_paths){0};
}

int rule_list_read(struct rule_list *s, const struct rule_paths *paths, unsigned flags,
		   struct budget *budget, struct err *e)
{
	int rc = 0;

	*s = (struct rule_list){.files = calloc((size_t)paths->n + 1, sizeof(struct rule_file *))};
	if (!s->files)
		return -ENOMEM;
	for (uint32_t i = 0; i < paths->n; i++) {
		struct err one = {0};
		int failed = rule_file_read(&s->files[s->n], paths->at[i], flags, budget, &one);

		s->n += s->files[s->n] != NULL;
		if (failed && !rc)
			rc = err_set(e, failed, "%s", one.text);
	}
	return rc;
}

void rule_list_fini(struct rule_list *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		rule_file_unref(s->files[i]);
	free(s->files);
	*s = (struct rule_list){0};
}
