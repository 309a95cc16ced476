/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_TEST_H
#define VARVE_TEST_TEST_H

/*
 * cmocka and common assertions. A test program is
 *
 *	TEST_MAIN(test(this_holds), test(that_holds))
 *
 * and test functions are named after the behavior they check.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/str.h"

#define test(name) cmocka_unit_test(name)
#define test_with(fixture, name)                                                                   \
	cmocka_unit_test_setup_teardown(name, fixture##_setup, fixture##_teardown)

#define TEST_MAIN(...)                                                                             \
	int main(void)                                                                             \
	{                                                                                          \
		const struct CMUnitTest tests[] = {__VA_ARGS__};                                   \
		return cmocka_run_group_tests(tests, NULL, NULL);                                  \
	}

/* Assert that the call returns 0. */
#define assert_ok(call) assert_int_equal((call), 0)

/* Assert that the call returns 0; otherwise show its error text. */
#define assert_ok_err(call, e)                                                                     \
	do {                                                                                       \
		int rc_ = (call);                                                                  \
		if (rc_)                                                                           \
			fail_msg("%s: %d: %s", #call, rc_, (e)->text);                             \
	} while (0)

#define assert_str_equal(a, b)                                                                     \
	do {                                                                                       \
		struct str a_ = (a), b_ = (b);                                                     \
		if (!str_eq(a_, b_))                                                               \
			fail_msg("%s is \"%.*s\", expected \"%.*s\"", #a, STR_ARG(a_),             \
				 STR_ARG(b_));                                                     \
	} while (0)

/* Assert that the error text contains `part`. */
#define assert_err_says(e, part)                                                                   \
	do {                                                                                       \
		if (!strstr((e)->text, (part)))                                                    \
			fail_msg("error is \"%s\", expected it to contain \"%s\"", (e)->text,      \
				 (part));                                                          \
	} while (0)

#endif
