/* SPDX-License-Identifier: Apache-2.0 */
/* Pyroscope's trie and tree formats. */
#include "format/folded/folded.h"

#include "format/decode_helper.h"

/* root -> "main;" -> { "work" 3 -> ";read" 12, "idle" 4 } */
#define TRIE "\x00\x00\x01\x05main;\x00\x02\x04work\x03\x01\x05;read\x0c\x00\x04idle\x04\x00"
/* root -> main 1 -> { work 3 -> { read 12 }, idle 200 } */
#define TREE "\x00\x00\x01\x04main\x01\x02\x04work\x03\x01\x04read\x0c\x00\x04idle\xc8\x01\x00"

static void bytes_on_the_path_are_the_stack(void **state)
{
	(void)state;
	assert_converts(&format_trie, STR(TRIE), &format_folded, STR(""),
			STR("main;idle 4\nmain;work 3\nmain;work;read 12\n"));
	/* a split within a name */
	assert_converts(&format_trie,
			STR("\x00\x00\x01\x02"
			    "ab\x00\x02\x01"
			    "c\x01\x00\x01"
			    "d\x02\x00"),
			&format_folded, STR(""), STR("abc 1\nabd 2\n"));
}

static void nodes_of_a_tree_are_frames(void **state)
{
	(void)state;
	assert_converts(&format_tree, STR(TREE), &format_folded, STR(""),
			STR("main 1\nmain;idle 200\nmain;work 3\nmain;work;read 12\n"));
	assert_converts(&format_tree, STR("\x00\x05\x00"), &format_folded, STR(""),
			STR("[unknown] 5\n"));
}

static void invalid_values_are_reported_with_their_offset(void **state)
{
	(void)state;
	assert_refused(&format_tree, STR("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
		       "at byte 10: expected a name, found the end");
	assert_refused(&format_tree, STR("\x00\x00\xff\xff\xff\xff\x0f"),
		       "at byte 7: expected the length of a name, found the end");
	assert_refused(&format_trie, STR("\x00\x00\x01\x04main"), "at byte 8: expected a value");
	assert_refused(&format_trie,
		       STR("\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00"
			   "0123456789"),
		       "below 2^63");
	assert_refused(&format_tree,
		       STR("\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
			   "0123456789"),
		       "number out of range");
}

static void a_too_deep_tree_is_rejected(void **state)
{
	struct buf in = {0};

	(void)state;
	buf_put(&in, "\x00\x00\x01", 3);
	for (unsigned i = 0; i < 100000; i++)
		buf_put(&in, "\x01x\x00\x01", 4);
	assert_refused(&format_tree, buf_str(&in), "nested more than");
	assert_refused(&format_trie, buf_str(&in), "nested more than");
	buf_fini(&in);
}

static void trie_and_tree_are_distinguished_by_semicolons(void **state)
{
	(void)state;
	assert_true(format_trie.sniff(STR(TRIE)) > 0);
	assert_int_equal(format_tree.sniff(STR(TRIE)), 0);
	assert_true(format_tree.sniff(STR(TREE)) > 0);
	assert_int_equal(format_trie.sniff(STR(TREE)), 0);
	assert_int_equal(format_tree.sniff(STR("\x00\x00\x00")), 0);
	assert_int_equal(format_tree.sniff(STR("\x00\x00\x00\x00\x00\x00\x00\x00")), 0);
	assert_int_equal(format_tree.sniff(STR("main;work 12\n")), 0);
}

static void invalid_input_is_safe(void **state)
{
	(void)state;
	survives_truncation(&format_trie, STR(TRIE));
	survives_truncation(&format_tree, STR(TREE));
	survives_mutation(&format_trie, STR(TRIE), 10000);
	survives_mutation(&format_tree, STR(TREE), 10000);
	survives_lack_of_memory(&format_trie, STR(TRIE));
	survives_failing_allocations(&format_tree, STR(TREE));
}

TEST_MAIN(test(bytes_on_the_path_are_the_stack), test(nodes_of_a_tree_are_frames),
	  test(invalid_values_are_reported_with_their_offset), test(a_too_deep_tree_is_rejected),
	  test(trie_and_tree_are_distinguished_by_semicolons), test(invalid_input_is_safe))
