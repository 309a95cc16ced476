/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of configurations needs a map and expands variables. So the list is indented by a
 * space below a key, which JSON and YAML allow, and each `$` is doubled.
 */
#include "pipeline/receivers/prometheus/file_sd.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>

static void put_indented(struct buf *out, struct str text)
{
	struct str line;
	bool json = str_starts(str_trim(text), STR("["));

	buf_put_str(out, STR("groups:\n"));
	while (str_next_line(&text, &line)) {
		if (str_starts(line, STR("---")))
			continue;
		buf_put_char(out, ' ');
		for (size_t i = 0; i < line.n; i++) {
			if (line.p[i] == '$')
				buf_put_char(out, '$');
			buf_put_char(out, json && line.p[i] == '\t' ? ' ' : line.p[i]);
		}
		buf_put_char(out, '\n');
	}
}

int file_sd_parse(struct target_groups *out, struct str text, const char *source,
		  struct config *config, struct err *e)
{
	const struct config_node *groups;
	struct buf yaml = {0};
	int rc;

	*out = (struct target_groups){0};
	put_indented(&yaml, text);
	rc = buf_error(&yaml);
	if (!rc)
		rc = config_parse(config, buf_str(&yaml), source, NULL, NULL, e);
	buf_fini(&yaml);
	if (rc)
		return rc;
	groups = config_get(config->root, STR("groups"));
	if (!groups || groups->kind == CONFIG_NULL)
		return 0;
	return target_groups_read(groups, "file_sd_configs", out, &config->arena, e);
}

static int read_sd_file(const char *path, struct buf *out, struct err *e)
{
	FILE *file = fopen(path, "re");
	char chunk[16384];
	size_t n;
	int rc = 0;

	if (!file)
		return err_errno(e, -errno, path);
	while ((n = fread(chunk, 1, sizeof(chunk), file)) > 0 && out->n <= CONFIG_TEXT_MAX)
		buf_put(out, chunk, n);
	if (ferror(file))
		rc = err_errno(e, -EIO, path);
	else if (out->n > CONFIG_TEXT_MAX / 2)
		rc = err_set(e, -EFBIG, "%s: larger than %zu bytes", path, CONFIG_TEXT_MAX / 2);
	fclose(file);
	return rc ? rc : buf_error(out);
}

int file_sd_load(struct str pattern,
		 int (*each)(void *arg, struct str path, const struct target_groups *groups),
		 void *arg, struct err *e)
{
	char text[4096];
	glob_t found = {0};
	int rc = 0;

	if ((size_t)snprintf(text, sizeof(text), "%.*s", STR_ARG(pattern)) >= sizeof(text))
		return err_set(e, -ENAMETOOLONG, "the path of a file of targets is too long");
	if (glob(text, 0, NULL, &found))
		found.gl_pathc = 0;
	for (size_t i = 0; i < found.gl_pathc && !rc; i++) {
		struct target_groups groups;
		struct config config;
		struct buf content = {0};

		rc = config_init(&config, NULL);
		if (!rc)
			rc = read_sd_file(found.gl_pathv[i], &content, e);
		if (!rc)
			rc = file_sd_parse(&groups, buf_str(&content), found.gl_pathv[i], &config,
					   e);
		if (!rc)
			rc = each(arg, str_from(found.gl_pathv[i]), &groups);
		config_fini(&config);
		buf_fini(&content);
	}
	globfree(&found);
	return rc;
}
