/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of a terminal, whole and in parts. */
#include "cli/live/live_terminal.h"

#include <string.h>

#include "test/test.h"

static void keys_are_taken_out_of_bytes(void **state)
{
	static const struct {
		const char *bytes;
		size_t used;
		int key;
	} cases[] = {
		{"a", 1, 'a'},
		{"\n", 1, KEY_ENTER},
		{"\r", 1, KEY_ENTER},
		{"\b", 1, KEY_BACKSPACE},
		{"\177", 1, KEY_BACKSPACE},
		{"\033[A", 3, KEY_UP},
		{"\033OB", 3, KEY_DOWN},
		{"\033[5~q", 4, KEY_PAGE_UP},
		{"\033[Hq", 3, KEY_HOME},
		{"\033[1;5Cq", 6, KEY_NONE}, /* Ctrl-Right: unknown, and skipped whole */
		{"\033q", 2, KEY_NONE},	     /* Alt-q */
		{"\303\244", 1, 0xc3},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		size_t n = strlen(cases[i].bytes);
		int key;

		assert_int_equal(live_key_parse(cases[i].bytes, n, false, &key), cases[i].used);
		assert_int_equal(key, cases[i].key);
	}
}

static void a_part_of_a_sequence_needs_more_bytes(void **state)
{
	static const char *const parts[] = {"\033", "\033[", "\033[5", "\033O", "\033[1;5"};
	int key;

	(void)state;
	for (size_t i = 0; i < countof(parts); i++) {
		size_t n = strlen(parts[i]);

		assert_int_equal(live_key_parse(parts[i], n, false, &key), 0);
		assert_int_equal(key, KEY_NONE);
		/* nothing follows: the key Escape */
		assert_int_equal(live_key_parse(parts[i], n, true, &key), n);
		assert_int_equal(key, KEY_ESCAPE);
	}
	assert_int_equal(live_key_parse("", 0, true, &key), 0);
}

TEST_MAIN(test(keys_are_taken_out_of_bytes), test(a_part_of_a_sequence_needs_more_bytes))
