/* SPDX-License-Identifier: Apache-2.0 */
/* The output of commands that write profiles: format and compression by its name. */
#include "cli/output_target.h"

#include <errno.h>
#include <unistd.h>

#include "cli/output.h"

void output_target_by_path(struct output_target *t)
{
	static const struct {
		struct str extension;
		enum compress_kind kind;
	} rows[] = {{STR_INIT(".gz"), COMPRESS_GZIP},
		    {STR_INIT(".zst"), COMPRESS_ZSTD},
		    {STR_INIT(".lz4"), COMPRESS_LZ4}};
	struct str path = str_from(t->path);

	t->format = format_by_path(path);
	for (size_t i = 0; i < countof(rows); i++) {
		if (!str_ends(path, rows[i].extension))
			continue;
		t->compress = rows[i].kind;
		if (!t->format)
			t->format = format_by_path(str_head(path, path.n - rows[i].extension.n));
	}
}

int output_compress(struct buf *out, const struct output_target *t, struct err *e)
{
	struct buf plain = *out;
	int rc;

	if (!t->compress || compress_detect(buf_str(out)) == t->compress)
		return 0;
	buf_init(out, plain.budget);
	rc = compress_bytes(out, t->compress, 0, buf_str(&plain), e);
	buf_fini(&plain);
	return rc;
}

static bool is_plain_text(struct str bytes)
{
	struct str head = str_head(bytes, 4096);

	for (size_t i = 0; i < head.n; i++)
		if ((uint8_t)head.p[i] < 0x20 && !strchr("\n\r\t", head.p[i]))
			return false;
	return bytes.n > head.n || str_utf8_valid(head) == head.n;
}

enum exit_code output_put(struct cli *cli, const struct output_target *t, const struct buf *out)
{
	struct err e = {0};
	int rc;

	progress_stop(&cli->progress);
	if (t->path)
		return output_file(t->path, buf_str(out), &e) ? cli_fail(cli, &e) : EXIT_DONE;
	if (cli->out.tty && !is_plain_text(buf_str(out))) {
		err_set(&e, -EINVAL,
			"%s is binary and not printed to a terminal; use -o FILE or a pipe",
			t->format ? t->format->name : "the output");
		return cli_fail(cli, &e);
	}
	rc = output_bytes(STDOUT_FILENO, buf_str(out));
	if (rc == -EPIPE)
		return EXIT_COULD_NOT; /* the output is incomplete, but the reader wanted no more */
	if (!rc)
		return EXIT_DONE;
	err_set(&e, rc, "cannot write to stdout: %s", strerror(-rc));
	return cli_fail(cli, &e);
}
