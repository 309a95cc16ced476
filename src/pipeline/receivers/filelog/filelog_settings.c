/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of the receiver, and their checks. */
#include "pipeline/receivers/filelog/filelog_settings.h"

#include <errno.h>

#include "base/clock.h"
#include "base/regex.h"
#include "pipeline/receivers/filelog/tail/glob.h"

#define LOG_SIZE_MIN 16
#define LOG_SIZE_MAX (256 * MIB)
#define FINGERPRINT_MIN 16
#define FINGERPRINT_MAX (64 * KIB)

static int values_read(const struct config_node *n, const char *what, void *to, struct arena *arena,
		       struct err *e)
{
	struct filelog_values *out = to;
	struct log_node map;
	int rc;

	if (n->kind != CONFIG_MAP)
		return config_fail(n, e, "%s: \"%.*s\" has to be a map", what, STR_ARG(n->key));
	rc = log_node_of_yaml(&map, n, arena);
	if (rc == -EINVAL)
		return config_fail(n, e, "%s: \"%.*s\" is nested too deeply", what,
				   STR_ARG(n->key));
	for (uint32_t i = 0; i < map.n && !rc; i++)
		if (map.pairs[i].value.kind == VALUE_STRING &&
		    str_starts(map.pairs[i].value.s, STR("EXPR(")))
			rc = config_fail(n, e,
					 "%s: \"%.*s\": EXPR(...) is supported by the operator add "
					 "only",
					 what, STR_ARG(n->key));
	*out = (struct filelog_values){map.pairs, map.n};
	return rc;
}

static const struct setting multiline_table[] = {
	SET_STRING(struct filelog_multiline, start, "line_start_pattern", NULL,
		   "A regular expression that matches the begin of an entry."),
	SET_STRING(struct filelog_multiline, end, "line_end_pattern", NULL,
		   "A regular expression that matches the end of an entry."),
	SET_BOOL(struct filelog_multiline, omit, "omit_pattern", "false",
		 "Leave out what the expression matches."),
	SET_END,
};

static const struct setting retry_table[] = {
	SET_BOOL(struct filelog_retry, enabled, "enabled", "true",
		 "No effect: what is refused is always delivered again."),
	SET_DURATION(struct filelog_retry, initial_interval, "initial_interval", "1s",
		     "Time before the first repetition."),
	SET_DURATION(struct filelog_retry, max_interval, "max_interval", "30s",
		     "The longest time between two repetitions."),
	SET_IGNORED("max_elapsed_time", "repetitions go on until the data is accepted"),
	SET_END,
};

const struct setting filelog_table[] = {
	SET_LIST(struct filelog_settings, include, "include", NULL,
		 "Patterns of files: *, ?, [a-z], {a,b}, and ** for any directories; required."),
	SET_LIST(struct filelog_settings, exclude, "exclude", NULL,
		 "Patterns of files that are left out."),
	SET_DURATION(struct filelog_settings, exclude_older_than, "exclude_older_than", "0",
		     "Leave out files that were not changed for longer; 0: no limit."),
	SET_STRING(struct filelog_settings, start_at, "start_at", "end",
		   "Where to start in files that exist at the start: beginning or end."),
	SET_DURATION(struct filelog_settings, poll_interval, "poll_interval", "200ms",
		     "How often the patterns are matched and files are read."),
	SET_DURATION(struct filelog_settings, force_flush_period, "force_flush_period", "500ms",
		     "How long an entry without an end waits for more; 0: for ever."),
	SET_BYTES(struct filelog_settings, fingerprint_size, "fingerprint_size", "1000",
		  "The first bytes of a file, by which it is recognized."),
	SET_BYTES(struct filelog_settings, initial_buffer_size, "initial_buffer_size", "64KiB",
		  "The first size of the buffer for reads."),
	SET_BYTES(struct filelog_settings, max_log_size, "max_log_size", "1MiB",
		  "The longest entry."),
	SET_STRING(struct filelog_settings, max_log_size_behavior, "max_log_size_behavior", "split",
		   "Longer entries: split or truncate."),
	SET_INT(struct filelog_settings, max_concurrent_files, "max_concurrent_files", "1024", 2,
		1000000, "files", "Files that are open at the same time."),
	SET_INT(struct filelog_settings, max_batches, "max_batches", "0", 0, 1000000, "batches",
		"Limit of batches of files in a poll; 0: none."),
	SET_STRING(struct filelog_settings, encoding, "encoding", "utf-8",
		   "utf-8, utf-8-raw, ascii, utf-16le, utf-16be or nop."),
	SET_GROUP_ALWAYS(struct filelog_settings, multiline, "multiline", multiline_table,
			 "Entries of several lines."),
	SET_BOOL(struct filelog_settings, preserve_leading, "preserve_leading_whitespaces", "false",
		 "Keep white space at the begin of an entry."),
	SET_BOOL(struct filelog_settings, preserve_trailing, "preserve_trailing_whitespaces",
		 "false", "Keep white space at the end of an entry."),
	SET_BOOL(struct filelog_settings, attach.name, "include_file_name", "true",
		 "The attribute log.file.name."),
	SET_BOOL(struct filelog_settings, attach.path, "include_file_path", "false",
		 "The attribute log.file.path."),
	SET_BOOL(struct filelog_settings, attach.name_resolved, "include_file_name_resolved",
		 "false", "The attribute log.file.name_resolved, after symbolic links."),
	SET_BOOL(struct filelog_settings, attach.path_resolved, "include_file_path_resolved",
		 "false", "The attribute log.file.path_resolved, after symbolic links."),
	SET_BOOL(struct filelog_settings, attach.owner, "include_file_owner_name", "false",
		 "The attribute log.file.owner.name."),
	SET_BOOL(struct filelog_settings, attach.group, "include_file_owner_group_name", "false",
		 "The attribute log.file.owner.group.name."),
	SET_BOOL(struct filelog_settings, attach.permissions, "include_file_permissions", "false",
		 "The attribute log.file.permissions."),
	SET_BOOL(struct filelog_settings, attach.record_number, "include_file_record_number",
		 "false", "The attribute log.file.record_number, from 1."),
	SET_BOOL(struct filelog_settings, attach.record_offset, "include_file_record_offset",
		 "false", "The attribute log.file.record_offset, in bytes."),
	SET_STRING(struct filelog_settings, compression, "compression", "",
		   "gzip: all files; auto: those that begin as gzip does."),
	SET_STRING(struct filelog_settings, on_truncate, "on_truncate", "read_whole_file",
		   "A file became shorter: read_whole_file or read_new; ignore: as the first."),
	SET_STRING(struct filelog_settings, storage, "storage", NULL,
		   "The extension file_storage that keeps the positions."),
	SET_GROUP_ALWAYS(struct filelog_settings, retry, "retry_on_failure", retry_table,
			 "Data that was refused."),
	SET_CUSTOM(struct filelog_settings, attributes, "attributes", values_read, "map",
		   "Attributes of all records."),
	SET_CUSTOM(struct filelog_settings, resource, "resource", values_read, "map",
		   "Attributes of the resource."),
	SET_CUSTOM(struct filelog_settings, operators, "operators", operators_read, "list",
		   "What to do with each entry; docs/collector/filelog.md lists them."),
	SET_IGNORED("delete_after_read", "files are never deleted"),
	SET_IGNORED("acquire_fs_lock", "files are read without locks"),
	SET_IGNORED("file_cache_advise", "the page cache is left to the kernel"),
	SET_IGNORED("skip_unmodified_files", "files without changes are never read"),
	SET_IGNORED("header", "headers of files are entries like others"),
	SET_IGNORED("ordering_criteria", "all files are read"),
	SET_IGNORED("polls_to_archive", "positions of 1,000 closed files are kept"),
	SET_END,
};

/* ---- checks ---- */

static int check_choice(const char *key, struct str value, const char *const *names, size_t count,
			struct err *e)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(value, str_from(names[i])))
			return 0;
	return err_set(e, -EINVAL, "unknown \"%s\"%s", key,
		       config_hint(value, names, count, sizeof(*names)).text);
}

static int check_choices(const struct filelog_settings *s, struct err *e)
{
	static const char *const starts[] = {"beginning", "end"};
	static const char *const behaviors[] = {"split", "truncate"};
	static const char *const compressions[] = {"", "none", "gzip", "auto"};
	static const char *const truncates[] = {"ignore", "read_whole_file", "read_new"};
	int rc = check_choice("start_at", s->start_at, starts, countof(starts), e);

	if (!rc)
		rc = check_choice("max_log_size_behavior", s->max_log_size_behavior, behaviors,
				  countof(behaviors), e);
	if (!rc)
		rc = check_choice("compression", s->compression, compressions,
				  countof(compressions), e);
	if (!rc)
		rc = check_choice("on_truncate", s->on_truncate, truncates, countof(truncates), e);
	return rc;
}

static int check_pattern(const char *key, struct str pattern, struct err *e)
{
	struct regex *regex = NULL;
	struct err why = {0};
	int rc = pattern.n ? regex_new(&regex, pattern, REGEX_LINES, &why) : 0;

	regex_free(regex);
	return rc ? err_set(e, rc, "\"%s\": %s", key, why.text) : 0;
}

static int check_multiline(const struct filelog_settings *s, struct err *e)
{
	const struct filelog_multiline *m = &s->multiline;
	enum text_encoding encoding = filelog_encoding(s);
	int rc;

	if (!m->start.n && !m->end.n)
		return m->omit ? err_set(e, -EINVAL,
					 "\"omit_pattern\" needs line_start_pattern or "
					 "line_end_pattern")
			       : 0;
	if (m->start.n && m->end.n)
		return err_set(e, -EINVAL,
			       "only one of line_start_pattern or line_end_pattern can be set");
	if (encoding == TEXT_NOP || encoding == TEXT_UTF16LE || encoding == TEXT_UTF16BE)
		return err_set(e, -EINVAL,
			       "line_start_pattern and line_end_pattern cannot be used with the "
			       "encoding %.*s",
			       STR_ARG(s->encoding));
	rc = check_pattern("line_start_pattern", m->start, e);
	return rc ? rc : check_pattern("line_end_pattern", m->end, e);
}

static int check_files(const struct filelog_settings *s, struct err *e)
{
	struct glob_list list = {0};
	int rc;

	if (!s->include.n)
		return err_set(e, -EINVAL, "required argument \"include\" is empty");
	rc = glob_list_init(&list, &s->include, e);
	glob_list_fini(&list);
	if (!rc) {
		rc = glob_list_init(&list, &s->exclude, e);
		glob_list_fini(&list);
	}
	return rc;
}

static int check_sizes(const struct filelog_settings *s, struct err *e)
{
	if (s->max_log_size < LOG_SIZE_MIN || s->max_log_size > LOG_SIZE_MAX)
		return err_set(e, -EINVAL, "\"max_log_size\" has to be 16 bytes to 256 MiB");
	if (s->fingerprint_size < FINGERPRINT_MIN || s->fingerprint_size > FINGERPRINT_MAX)
		return err_set(e, -EINVAL, "\"fingerprint_size\" has to be 16 bytes to 64 KiB");
	if (s->poll_interval < NS_PER_MS)
		return err_set(e, -EINVAL, "\"poll_interval\" has to be 1ms or more");
	return 0;
}

enum text_encoding filelog_encoding(const struct filelog_settings *s)
{
	enum text_encoding encoding = TEXT_UTF8;

	text_encoding_find(s->encoding, &encoding);
	return encoding;
}

int filelog_settings_check(const void *settings, struct err *e)
{
	const struct filelog_settings *s = settings;
	enum text_encoding encoding;
	int rc = check_files(s, e);

	if (!rc && !text_encoding_find(s->encoding, &encoding))
		rc = err_set(e, -EINVAL,
			     "unsupported encoding '%.*s': use utf-8, utf-8-raw, ascii, utf-16le, "
			     "utf-16be or nop",
			     STR_ARG(str_head(s->encoding, 40)));
	if (!rc)
		rc = check_choices(s, e);
	if (!rc)
		rc = check_sizes(s, e);
	return rc ? rc : check_multiline(s, e);
}
