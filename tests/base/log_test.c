/* SPDX-License-Identifier: Apache-2.0 */
/* Log records: format, escaping, truncation, rate limit. */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/thread.h"
#include "test/test.h"

struct fixture {
	struct log log;
	char text[1 << 20];
	size_t n;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	FILE *file = tmpfile();

	f->log.fd = dup(fileno(file));
	fcntl(f->log.fd, F_SETFL, O_APPEND);
	fclose(file);
	*state = f;
	return f->log.fd >= 0 ? 0 : -1;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	close(f->log.fd);
	free(f);
	return 0;
}

/* Return everything that was logged. */
static struct str logged(struct fixture *f)
{
	ssize_t n = pread(f->log.fd, f->text, sizeof(f->text), 0);

	assert_true(n >= 0);
	return str_of(f->text, (size_t)n);
}

/* Return the next line without its time, of which only the format is checked. */
static struct str next_record(struct str *rest)
{
	struct str line;

	assert_true(str_next_line(rest, &line));
	assert_true(str_starts(line, STR("ts=20")));
	assert_true(line.n > 28 && line.p[26] == 'Z');
	return str_from_at(line, 28);
}

static void a_record_is_one_line_of_fields(void **state)
{
	struct fixture *f = *state;
	struct err e = {.code = -EBADMSG, .text = "at byte 5: expected more"};
	struct str rest;

	log_info(&f->log, "started");
	log_warn(&f->log, "profile refused", LOG_STR("file", STR("a/b.pb.gz")),
		 LOG_U64("bytes", UINT64_MAX), LOG_I64("delta", INT64_MIN), LOG_ERR(&e));
	rest = logged(f);
	assert_str_equal(next_record(&rest), STR("level=info msg=started"));
	assert_str_equal(next_record(&rest),
			 STR("level=warn msg=\"profile refused\" file=a/b.pb.gz "
			     "bytes=18446744073709551615 delta=-9223372036854775808 "
			     "err=\"at byte 5: expected more\""));
	assert_int_equal(rest.n, 0);
}

static void values_cannot_inject_a_line(void **state)
{
	struct fixture *f = *state;
	struct str rest;

	log_error(&f->log, "x", LOG_STR("a", STR("1\nlevel=info msg=\"forged\"")),
		  LOG_STR("b", STR("")), LOG_STR("c", STR("\x1b[31m\x7f\xff caf\xc3\xa9 \\ =")),
		  LOG_STR("d", STR("k=v")));
	rest = logged(f);
	assert_str_equal(next_record(&rest),
			 STR("level=error msg=x a=\"1\\nlevel=info msg=\\\"forged\\\"\" b=\"\" "
			     "c=\"\\x1b[31m\\x7f\\xff caf\xc3\xa9 \\\\ =\" d=\"k=v\""));
	assert_int_equal(rest.n, 0);
}

static void records_below_the_level_are_not_formatted(void **state)
{
	struct fixture *f = *state;
	const struct log *none = NULL;
	int evaluated = 0;

	f->log.level = LOG_WARN;
	log_info(&f->log, "x", LOG_I64("n", ++evaluated));
	log_error(none, "x", LOG_I64("n", ++evaluated));
	f->log.level = LOG_OFF;
	log_error(&f->log, "x", LOG_I64("n", ++evaluated));
	assert_int_equal(evaluated, 0);
	assert_int_equal(logged(f).n, 0);
}

/* A record of any length is one line within the limit, valid UTF-8, with closed quotes. */
static void long_records_are_truncated_and_marked(void **state)
{
	struct fixture *f = *state;
	char value[6000];

	for (size_t n = 3980; n < 4060; n++) {
		struct log_site site = {0};
		struct str line;

		for (size_t i = 0; i < sizeof(value); i += 3)
			memcpy(value + i, n % 2 ? "\xe2\x82\xac" : "a \"", 3);
		assert_ok(ftruncate(f->log.fd, 0));
		log_write(&f->log, LOG_INFO, &site, &LOG_STR("msg", str_of(value, n)), 1);
		line = logged(f);
		assert_true(line.n <= LOG_LINE_MAX);
		assert_int_equal(str_find(line, '\n'), line.n - 1);
		assert_int_equal(str_utf8_valid(line) < line.n, false);
		assert_true(str_ends(line, STR("\" cut=true\n")) ||
			    (n % 2 && str_ends(line, STR("\"\n"))));
	}
	assert_ok(ftruncate(f->log.fd, 0));
	log_info(&f->log, "m", LOG_STR("v", str_of(value, sizeof(value))), LOG_U64("lost", 1));
	assert_true(str_ends(logged(f), STR("\" cut=true\n")));
}

static void records_can_be_json(void **state)
{
	static const char head[] = "{\"ts\":\"20";
	struct fixture *f = *state;
	struct str line;
	char value[6000];

	f->log.json = true;
	log_warn(&f->log, "profile \"refused\"", LOG_STR("file", STR("a\n\x01\xff\xc3\xa9")),
		 LOG_U64("bytes", 7), LOG_I64("delta", -1));
	line = logged(f);
	assert_true(str_starts(line, STR("{\"ts\":\"20")));
	assert_true(line.n > 34 && line.p[30] == 'Z');
	assert_str_equal(str_from_at(line, 32),
			 STR(",\"level\":\"warn\",\"msg\":\"profile \\\"refused\\\"\","
			     "\"file\":\"a\\n\\u0001\\ufffd\xc3\xa9\",\"bytes\":7,"
			     "\"delta\":-1}\n"));
	/* of any length it is one object */
	memset(value, 'x', sizeof(value));
	for (size_t n = 3900; n < 4100; n++) {
		struct log_site site = {0};
		const struct log_field fields[] = {LOG_STR("msg", str_of(value, n)),
						   LOG_U64("n", n)};

		assert_ok(ftruncate(f->log.fd, 0));
		log_write(&f->log, LOG_INFO, &site, fields, countof(fields));
		line = logged(f);
		assert_true(line.n <= LOG_LINE_MAX);
		assert_true(str_starts(line, str_of(head, sizeof(head) - 1)));
		assert_true(str_ends(line, STR("\",\"cut\":true}\n")) ||
			    str_ends(line, STR("}\n")));
		assert_true(n < 4050 || str_ends(line, STR("\",\"cut\":true}\n")));
	}
}

static size_t count_lines(struct str rest)
{
	struct str line;
	size_t n = 0;

	while (str_next_line(&rest, &line))
		n++;
	return n;
}

static void a_repeated_record_is_rate_limited_and_counted(void **state)
{
	struct fixture *f = *state;
	struct log_site site = {0};

	for (int i = 0; i < 100; i++)
		log_write(&f->log, LOG_INFO, &site, &LOG_STR("msg", STR("again")), 1);
	/* a second may end meanwhile */
	assert_in_range(count_lines(logged(f)), LOG_BURST, 2 * LOG_BURST);
	assert_true(site.suppressed >= 100 - 2 * LOG_BURST);
	site.second = 1; /* long ago */
	assert_ok(ftruncate(f->log.fd, 0));

	char expected[64];

	snprintf(expected, sizeof(expected), "level=info suppressed=%u msg=again",
		 (unsigned)site.suppressed);
	log_write(&f->log, LOG_INFO, &site, &LOG_STR("msg", STR("again")), 1);

	struct str rest = logged(f);

	assert_str_equal(next_record(&rest), str_from(expected));
	assert_int_equal(site.suppressed, 0);
}

struct writer {
	const struct log *log;
	struct log_site *shared;
	struct thread thread;
	uint64_t id;
};

enum { WRITERS = 4, RECORDS = 200 };

static void write_records(void *arg)
{
	struct writer *w = arg;

	for (uint64_t i = 0; i < RECORDS; i++) {
		struct log_site own = {0};
		struct log_field fields[] = {LOG_STR("msg", STR("from a thread")),
					     LOG_U64("id", w->id), LOG_U64("i", i)};

		log_write(w->log, LOG_INFO, &own, fields, countof(fields));
		log_write(w->log, LOG_INFO, w->shared, fields, 1);
	}
}

static void lines_of_threads_do_not_interleave(void **state)
{
	struct fixture *f = *state;
	struct log_site shared = {0};
	struct writer writers[WRITERS];
	size_t own = 0;
	struct str rest;

	for (uint64_t i = 0; i < WRITERS; i++) {
		writers[i] = (struct writer){.log = &f->log, .shared = &shared, .id = i};
		assert_ok(thread_start(&writers[i].thread, "writer", write_records, &writers[i],
				       NULL));
	}
	for (size_t i = 0; i < WRITERS; i++)
		thread_join(&writers[i].thread);
	rest = logged(f);
	while (rest.n) {
		struct str record = next_record(&rest);

		own += str_find_str(record, STR(" id=")) < record.n;
		assert_true(str_find_str(record, STR("msg=\"from a thread\"")) < record.n);
	}
	assert_int_equal(own, WRITERS * RECORDS);
}

TEST_MAIN(test_with(fixture, a_record_is_one_line_of_fields),
	  test_with(fixture, values_cannot_inject_a_line),
	  test_with(fixture, records_below_the_level_are_not_formatted),
	  test_with(fixture, long_records_are_truncated_and_marked),
	  test_with(fixture, records_can_be_json),
	  test_with(fixture, a_repeated_record_is_rate_limited_and_counted),
	  test_with(fixture, lines_of_threads_do_not_interleave))
