/* SPDX-License-Identifier: Apache-2.0 */
/*
 * varve encrypt and varve decrypt: files of any size in the binary form, or base64, which is kept
 * in memory. Only authenticated data is written; a file is replaced when all of it is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/input.h"
#include "cli/output.h"
#include "seal/sealed_file.h"

enum { READ_BYTES = 256 * 1024 };

struct seal_options {
	struct common_options common;
	const char *key_file, *output;
	bool base64;
};

#define AT(field) offsetof(struct seal_options, field)

static const struct option encrypt_options[] = {
	{"key-file", 'k', OPTION_TEXT, AT(key_file), "FILE", NULL, NULL,
	 "the key: 32 bytes, 64 hexadecimal digits or base64; of several, the first"},
	{"output", 'o', OPTION_TEXT, AT(output), "FILE", NULL, NULL,
	 "output file, - for stdout (default: the input with the extension .sealed)"},
	{"base64", 0, OPTION_FLAG, AT(base64), NULL, NULL, NULL,
	 "write base64 of nonce, ciphertext and tag instead of the binary form"},
	{0},
};

static const struct option decrypt_options[] = {
	{"key-file", 'k', OPTION_TEXT, AT(key_file), "FILE", NULL, NULL,
	 "the key, or several of which one fits"},
	{"output", 'o', OPTION_TEXT, AT(output), "FILE", NULL, NULL,
	 "output file, - for stdout (default: the input without the extension .sealed)"},
	{0},
};

static const struct option_group encrypt_groups[] = {
	{"Options", common_options, AT(common)},
	{"Encryption", encrypt_options, 0},
	{0},
};

static const struct option_group decrypt_groups[] = {
	{"Options", common_options, AT(common)},
	{"Encryption", decrypt_options, 0},
	{0},
};

/* One file on its way through. */
struct seal_job {
	struct cli *cli;
	const struct seal_options *options;
	const char *path;
	int fd;
	struct key_ring *keys;
	struct buf in, out;
};

/* Read until `n` bytes are in job->in. Return 1 at the end of the file, 0, or -errno. */
static int read_more(struct seal_job *job, size_t n, struct err *e)
{
	while (job->in.n < n) {
		size_t want = min_size(n - job->in.n, READ_BYTES);
		char *to = buf_reserve(&job->in, want);
		ssize_t got = to ? read(job->fd, to, want) : -1;

		if (!to)
			return err_errno(e, -ENOMEM, "read");
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set(e, -errno, "cannot read: %s", strerror(errno));
		if (!got)
			return 1;
		job->in.n += (size_t)got;
	}
	return 0;
}

static int flush_job(struct seal_job *job, int fd)
{
	int rc = buf_error(&job->out);

	if (!rc)
		rc = output_piece(fd, buf_str(&job->out));
	buf_clear(&job->out);
	return rc;
}

/* ---- encrypt ---- */

static int encrypt_stream(struct seal_job *job, int fd, struct err *e)
{
	struct sealed_stream s;
	int end = 0, rc = sealed_stream_new(&s, &job->out, job->keys, e);

	while (!rc && !end) {
		end = read_more(job, SEALED_CHUNK, e);
		rc = end < 0 ? end
			     : sealed_stream_write(&s, &job->out, buf_str(&job->in), end == 1);
		if (!rc)
			rc = flush_job(job, fd);
		buf_clear(&job->in);
	}
	sealed_stream_fini(&s);
	return rc;
}

static int encrypt_text(struct seal_job *job, int fd, struct err *e)
{
	int rc = read_more(job, SIZE_MAX / 2, e);

	if (rc >= 0)
		rc = sealed_write(&job->out, buf_str(&job->in), SEALED_TEXT, job->keys, e);
	if (!rc)
		buf_put_char(&job->out, '\n');
	return rc ? rc : flush_job(job, fd);
}

static int produce_encrypted(void *arg, int fd, struct err *e)
{
	struct seal_job *job = arg;

	return job->options->base64 ? encrypt_text(job, fd, e) : encrypt_stream(job, fd, e);
}

/* ---- decrypt ---- */

/* Decrypt chunks. One byte more than a chunk is read, to know whether it is the last. */
static int decrypt_stream(struct seal_job *job, int fd, struct err *e)
{
	struct sealed_stream s;
	int end = 0, rc = sealed_stream_open(&s, (const uint8_t *)job->in.p, job->keys, e);

	job->in.n -= KEY_SLOT;
	memmove(job->in.p, job->in.p + KEY_SLOT, job->in.n);
	while (!rc && !end) {
		struct str chunk;

		end = read_more(job, SEALED_CHUNK_TAGGED + 1, e);
		chunk = str_head(buf_str(&job->in), SEALED_CHUNK_TAGGED);
		/* a whole chunk at the end of the file is not the last one: that is missing */
		rc = end < 0 ? end
			     : sealed_stream_read(&s, &job->out, chunk,
						  end == 1 && chunk.n < SEALED_CHUNK_TAGGED, e);
		if (!rc && end == 1 && chunk.n == SEALED_CHUNK_TAGGED && chunk.n == job->in.n)
			rc = err_set(e, -EBADMSG,
				     "the encrypted data is incomplete: its end is missing");
		if (!rc)
			rc = flush_job(job, fd);
		job->in.n -= chunk.n;
		memmove(job->in.p, job->in.p + chunk.n, job->in.n);
		if (!rc && end == 1 && job->in.n)
			end = 0;
	}
	sealed_stream_fini(&s);
	return rc;
}

static int produce_decrypted(void *arg, int fd, struct err *e)
{
	struct seal_job *job = arg;
	int rc = read_more(job, KEY_SLOT, e);

	if (rc < 0)
		return rc;
	if (sealed_form_of(buf_str(&job->in)) == SEALED_BINARY)
		return decrypt_stream(job, fd, e);
	rc = read_more(job, SIZE_MAX / 2, e);
	if (rc >= 0)
		rc = sealed_read(&job->out, buf_str(&job->in), job->keys, e);
	return rc ? rc : flush_job(job, fd);
}

/* ---- both ---- */

/* Return the name of the output, or NULL with text in `e`. */
static const char *output_name(const struct seal_options *o, const char *path, bool decrypts,
			       struct buf *out, struct err *e)
{
	static const struct str extension = STR_INIT(".sealed");
	struct str name = str_from(path);

	if (o->output)
		return o->output;
	if (!strcmp(path, "-"))
		return "-";
	if (decrypts && (!str_ends(name, extension) || name.n == extension.n)) {
		err_set(e, -EINVAL, "its name does not end in .sealed: name the output with -o");
		return NULL;
	}
	buf_put_str(out, decrypts ? str_head(name, name.n - extension.n) : name);
	if (!decrypts)
		buf_put_str(out, extension);
	buf_put_char(out, '\0');
	if (buf_error(out)) {
		err_errno(e, -ENOMEM, "name the output");
		return NULL;
	}
	return out->p;
}

static int run_job(struct seal_job *job, bool decrypts, struct err *e)
{
	output_producer *produce = decrypts ? produce_decrypted : produce_encrypted;
	struct buf name = {0};
	const char *to = output_name(job->options, job->path, decrypts, &name, e);
	int rc = to ? key_ring_open(&job->keys, job->options->key_file, NULL, e) : -EINVAL;

	job->fd = !strcmp(job->path, "-") ? STDIN_FILENO : open(job->path, O_RDONLY | O_CLOEXEC);
	if (!rc && job->fd < 0)
		rc = err_set(e, -errno, "cannot open: %s", strerror(errno));
	if (!rc)
		rc = !strcmp(to, "-") ? produce(job, STDOUT_FILENO, e)
				      : output_produced(to, produce, job, e);
	if (rc)
		err_errno(e, rc, decrypts ? "decrypt" : "encrypt");
	if (job->fd > STDIN_FILENO)
		close(job->fd);
	key_ring_unref(job->keys);
	buf_fini(&job->in);
	buf_fini(&job->out);
	buf_fini(&name);
	return rc;
}

static enum exit_code run_seal(struct cli *cli, const struct command *c,
			       const struct seal_options *o, const struct arguments *args)
{
	struct seal_job job = {.cli = cli, .options = o};
	struct err e = {0};

	if (args->n != 1)
		return cli_usage(cli, c, "name a file, or - for stdin");
	if (!o->key_file)
		return cli_usage(cli, c, "name the key with --key-file");
	job.path = args->at[0];
	buf_init(&job.in, &cli->budget);
	buf_init(&job.out, &cli->budget);
	if (!run_job(&job, c == &command_decrypt, &e))
		return EXIT_DONE;
	err_prefix(&e, "%s", job.path);
	return cli_fail(cli, &e);
}

static enum exit_code run_encrypt(struct cli *cli, void *options, const struct arguments *args)
{
	return run_seal(cli, &command_encrypt, options, args);
}

static enum exit_code run_decrypt(struct cli *cli, void *options, const struct arguments *args)
{
	return run_seal(cli, &command_decrypt, options, args);
}

const struct command command_encrypt = {
	.name = "encrypt",
	.summary = "encrypt a file with AES-256-GCM",
	.arguments = "FILE --key-file KEY",
	.details = "Commands that read profiles open such files with --key-file. The input is not\n"
		   "deleted.\n",
	.examples = "openssl rand -hex 32 >key && chmod 600 key\n"
		    "varve encrypt cpu.pb.gz --key-file key      # cpu.pb.gz.sealed\n"
		    "varve encrypt notes --key-file key --base64 -o -",
	.groups = encrypt_groups,
	.options_size = sizeof(struct seal_options),
	.run = run_encrypt,
};

const struct command command_decrypt = {
	.name = "decrypt",
	.summary = "decrypt a file of varve encrypt, or base64 of nonce, ciphertext and tag",
	.arguments = "FILE --key-file KEY",
	.details =
		"The form is detected. Nothing is written if the file is damaged, incomplete, or\n"
		"encrypted with another key; to a pipe, only chunks that are intact.\n",
	.examples = "varve decrypt cpu.pb.gz.sealed --key-file key\n"
		    "varve decrypt sealed.txt --key-file key -o plain",
	.groups = decrypt_groups,
	.options_size = sizeof(struct seal_options),
	.run = run_decrypt,
};
