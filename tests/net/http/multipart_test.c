/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of multipart/form-data bodies. */
#include "net/http/multipart.h"

#include <errno.h>

#include "base/buf.h"
#include "test/test.h"

#define TYPE STR("multipart/form-data; boundary=XX")

/* A profile and its configuration as Go's mime/multipart writes them. */
static const struct str profile = STR_INIT(
	"--XX\r\nContent-Disposition: form-data; name=\"profile\"; filename=\"profile.pprof\"\r\n"
	"Content-Type: application/octet-stream\r\n\r\n\x1f\x8b\r\n--X\r\n\0binary\r\n"
	"--XX\r\nContent-Disposition: form-data; name=\"sample_type_config\"; "
	"filename=\"c.json\"\r\n"
	"Content-Type: application/octet-stream\r\n\r\n{}\r\n--XX--\r\n");

static void parts_are_slices_of_the_body(void **state)
{
	struct multipart m;
	struct multipart_part part;

	(void)state;
	assert_ok(multipart_begin(&m, TYPE, profile, NULL));
	assert_int_equal(multipart_next(&m, &part, NULL), 1);
	assert_str_equal(part.name, STR("profile"));
	assert_str_equal(part.filename, STR("profile.pprof"));
	assert_str_equal(part.content_type, STR("application/octet-stream"));
	assert_str_equal(part.bytes, STR("\x1f\x8b\r\n--X\r\n\0binary"));
	assert_true(part.bytes.p > profile.p && part.bytes.p < profile.p + profile.n);
	assert_int_equal(multipart_next(&m, &part, NULL), 1);
	assert_str_equal(part.name, STR("sample_type_config"));
	assert_str_equal(part.bytes, STR("{}"));
	assert_int_equal(multipart_next(&m, &part, NULL), 0);
	assert_int_equal(multipart_next(&m, &part, NULL), 0);
}

static void a_part_is_found_by_name(void **state)
{
	struct multipart_part part;

	(void)state;
	assert_ok(multipart_find(STR("Multipart/Form-Data; charset=x; boundary=\"XX\""), profile,
				 STR("sample_type_config"), &part, NULL));
	assert_str_equal(part.bytes, STR("{}"));
	assert_int_equal(multipart_find(TYPE, profile, STR("prev_profile"), &part, NULL), -ENOENT);
}

/*
 * Bodies are searched blockwise: a delimiter is found at each offset, and partial delimiters are
 * skipped.
 */
static void the_end_of_a_part_is_found_at_every_offset(void **state)
{
	static const char like_an_end[] = "\r\n--X";
	struct multipart_part part;
	struct buf body;

	(void)state;
	buf_init(&body, NULL);
	for (size_t n = 1; n < 1100; n++) {
		buf_clear(&body);
		buf_put_str(&body, STR("--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n"));

		size_t start = body.n;

		for (size_t i = 0; i < n; i++)
			buf_put_char(&body, like_an_end[i % 5]);
		buf_put_str(&body, STR("\r\n--XX--"));
		assert_ok(buf_error(&body));
		assert_ok(multipart_find(TYPE, buf_str(&body), STR("a"), &part, NULL));
		assert_true(part.bytes.p == body.p + start && part.bytes.n == n);
		assert_int_equal(multipart_find(TYPE, str_head(buf_str(&body), start + n), STR("a"),
						&part, NULL),
				 -EBADMSG);
	}
	buf_fini(&body);
}

static void preamble_epilogue_and_empty_or_missing_parts_are_valid(void **state)
{
	struct multipart_part part;
	struct multipart m;

	(void)state;
	assert_ok(multipart_find(TYPE,
				 STR("for old readers\r\n--XX  \r\ncontent-disposition: form-data; "
				     "name=a\r\n\r\n\r\n--XX--\r\nmore"),
				 STR("a"), &part, NULL));
	assert_int_equal(part.bytes.n, 0);
	/* Some clients write an empty part without the line break before the delimiter. */
	assert_ok(multipart_find(
		TYPE, STR("--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n--XX--"), STR("a"),
		&part, NULL));
	assert_int_equal(part.bytes.n, 0);
	assert_ok(multipart_begin(&m, TYPE, STR("--XX--\r\n"), NULL));
	assert_int_equal(multipart_next(&m, &part, NULL), 0);
}

static void malformed_forms_are_rejected(void **state)
{
	static const struct {
		const char *type;
		struct str body;
		int rc;
		const char *says;
	} cases[] = {
		{"text/plain; boundary=XX", STR_INIT("--XX--"), -EINVAL, "multipart/form-data"},
		{"multipart/form-data", STR_INIT("--XX--"), -EBADMSG, "boundary"},
		{"multipart/form-data; boundary=", STR_INIT("--XX--"), -EBADMSG, "boundary"},
		{"multipart/form-data; boundary=XX", STR_INIT(""), -EBADMSG, "at byte 0"},
		{"multipart/form-data; boundary=XX", STR_INIT("--YY--"), -EBADMSG, "at byte 0"},
		{"multipart/form-data; boundary=XX", STR_INIT("--XXY\r\n\r\n"), -EBADMSG,
		 "at byte 4"},
		{"multipart/form-data; boundary=XX", STR_INIT("--XX\r\na: b"), -EBADMSG,
		 "at byte 6"},
		{"multipart/form-data; boundary=XX", STR_INIT("--XX\r\na: b\r\n\r\nabc"), -EBADMSG,
		 "found the end"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct multipart_part part;
		struct err e = {0};

		assert_int_equal(
			multipart_find(str_from(cases[i].type), cases[i].body, STR("a"), &part, &e),
			cases[i].rc);
		assert_err_says(&e, cases[i].says);
	}
}

static void limits_are_enforced(void **state)
{
	struct multipart_part part;
	struct buf b = {0};

	(void)state;
	for (int i = 0; i < MULTIPART_PARTS_MAX + 1; i++)
		buf_put_str(&b, STR("--XX\r\n\r\n\r\n"));
	buf_put_str(&b, STR("--XX--"));
	assert_int_equal(multipart_find(TYPE, buf_str(&b), STR("a"), &part, NULL), -EFBIG);
	buf_clear(&b);
	buf_put_str(&b, STR("--XX\r\n"));
	for (int i = 0; i < 2000; i++)
		buf_put_str(&b, STR("a: b\r\n"));
	buf_put_str(&b, STR("\r\n\r\n--XX--"));
	assert_int_equal(multipart_find(TYPE, buf_str(&b), STR("a"), &part, NULL), -EFBIG);
	buf_fini(&b);
}

/* Truncation anywhere before the last delimiter is an error, never a shorter form. */
static void a_truncated_form_is_an_error(void **state)
{
	size_t last = profile.n - STR("--\r\n").n;

	(void)state;
	for (size_t n = 0; n < last; n++) {
		struct multipart_part part;
		int rc = multipart_find(TYPE, str_head(profile, n), STR("none"), &part, NULL);

		assert_int_equal(rc, -EBADMSG);
	}
}

TEST_MAIN(test(parts_are_slices_of_the_body), test(a_part_is_found_by_name),
	  test(the_end_of_a_part_is_found_at_every_offset),
	  test(preamble_epilogue_and_empty_or_missing_parts_are_valid),
	  test(malformed_forms_are_rejected), test(limits_are_enforced),
	  test(a_truncated_form_is_an_error))
