/* SPDX-License-Identifier: Apache-2.0 */
/* HPACK: examples of RFC 7541, blocks of nghttp2's encoder, and malformed blocks. */
#include "wire/hpack.h"

#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <stdlib.h>

#include "test/test.h"

/* Append "name: value\n" for each header. */
static void keep(void *arg, struct str name, struct str value)
{
	buf_printf(arg, "%.*s: %.*s\n", STR_ARG(name), STR_ARG(value));
}

static void assert_block(struct hpack *h, const char *hex, const char *expected)
{
	struct buf block = {0}, got = {0};

	for (; *hex; hex += 2) {
		unsigned byte;

		assert_int_equal(sscanf(hex, "%2x", &byte), 1);
		buf_put_char(&block, (char)byte);
	}
	assert_ok(hpack_decode(h, buf_str(&block), keep, &got));
	assert_str_equal(buf_str(&got), str_from(expected));
	buf_fini(&block);
	buf_fini(&got);
}

/* RFC 7541, C.4 and C.6: Huffman codes and a dynamic table, which evicts entries in C.6. */
static void examples_of_the_rfc_are_decoded(void **state)
{
	struct hpack h;

	(void)state;
	hpack_init(&h);
	assert_block(&h, "828684418cf1e3c2e5f23a6ba0ab90f4ff",
		     ":method: GET\n:scheme: http\n:path: /\n:authority: www.example.com\n");
	assert_block(&h, "828684be5886a8eb10649cbf",
		     ":method: GET\n:scheme: http\n:path: /\n:authority: www.example.com\n"
		     "cache-control: no-cache\n");
	assert_int_equal(h.size, 110);
	hpack_init(&h);
	assert_block(&h,
		     "3fe101" /* table size update to 256 */
		     "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff"
		     "6e919d29ad171863c78f0b97c8e9ae82ae43d3",
		     ":status: 302\ncache-control: private\ndate: Mon, 21 Oct 2013 20:13:21 GMT\n"
		     "location: https://www.example.com\n");
	assert_int_equal(h.size, 222);
	assert_block(&h, "4883640effc1c0bf",
		     ":status: 307\ncache-control: private\ndate: Mon, 21 Oct 2013 20:13:21 GMT\n"
		     "location: https://www.example.com\n");
	assert_int_equal(h.size, 222);
}

/* Random headers of another encoder, with a table that is full and evicts continuously. */
static void blocks_of_nghttp2_are_decoded(void **state)
{
	nghttp2_hd_deflater *deflater;
	struct hpack h;

	(void)state;
	srand(1);
	hpack_init(&h);
	assert_ok(nghttp2_hd_deflate_new(&deflater, HPACK_TABLE_MAX));
	for (unsigned round = 0; round < 2000; round++) {
		char names[4][8], values[4][700];
		struct buf expected = {0}, got = {0};
		nghttp2_nv headers[4];
		uint8_t block[8192];
		ssize_t n;

		for (unsigned i = 0; i < 4; i++) {
			size_t length = (size_t)rand() % (rand() % 8 ? 20 : sizeof(values[i]));

			snprintf(names[i], sizeof(names[i]), "x-%u", (unsigned)rand() % 50);
			for (size_t k = 0; k < length; k++)
				values[i][k] = (char)(rand() % 3 ? 'a' + rand() % 26 : rand());
			headers[i] = (nghttp2_nv){(uint8_t *)names[i], (uint8_t *)values[i],
						  strlen(names[i]), length, NGHTTP2_NV_FLAG_NONE};
			keep(&expected, str_from(names[i]), str_of(values[i], length));
		}
		if (round % 100 == 99) /* sometimes with another table size */
			assert_ok(nghttp2_hd_deflate_change_table_size(
				deflater, (size_t)rand() % (HPACK_TABLE_MAX + 1)));
		n = nghttp2_hd_deflate_hd(deflater, block, sizeof(block), headers, 4);
		assert_true(n > 0);
		assert_ok(hpack_decode(&h, str_of((char *)block, (size_t)n), keep, &got));
		assert_str_equal(buf_str(&got), buf_str(&expected));
		buf_fini(&expected);
		buf_fini(&got);
	}
	nghttp2_hd_deflate_del(deflater);
}

static void encoded_blocks_are_decoded(void **state)
{
	struct buf block = {0}, got = {0};
	char large[5000];
	struct hpack h;

	(void)state;
	memset(large, 'v', sizeof(large));
	hpack_init(&h);
	hpack_put(&block, STR(":path"), STR("/x"));
	hpack_put(&block, STR("empty"), STR(""));
	hpack_put(&block, STR("at-the-edge"), str_of(large, 127));
	hpack_put(&block, STR("large"), str_of(large, sizeof(large)));
	assert_ok(hpack_decode(&h, buf_str(&block), keep, &got));
	assert_true(str_starts(buf_str(&got), STR(":path: /x\nempty: \nat-the-edge: vvv")));
	assert_int_equal(got.n,
			 strlen(":path: /x\nempty: \nat-the-edge: \nlarge: \n") + 127 + 5000);
	assert_int_equal(h.count, 0);
	/* truncated within a header: an error, and never more headers than before */
	for (size_t n = 1; n < 30; n++) {
		int rc;

		buf_clear(&got);
		rc = hpack_decode(&h, str_head(buf_str(&block), n), keep, &got);
		assert_true(rc == 0 || rc == -EPROTO);
		assert_int_equal(rc == 0, n == 10 || n == 18);
	}
	buf_fini(&block);
	buf_fini(&got);
}

static void malformed_blocks_are_rejected(void **state)
{
	static const struct str blocks[] = {
		STR_INIT("\x80"),			   /* index 0 */
		STR_INIT("\xbe"),			   /* a nonexistent entry */
		STR_INIT("\x00\x01"),			   /* a missing name */
		STR_INIT("\x7f\xff\xff\xff\xff\xff"),	   /* an unterminated index */
		STR_INIT("\x3f\xe2\x1f"),		   /* a table larger than ours: 4097 */
		STR_INIT("\x00\x81\xff\x01z"),		   /* Huffman: eight bits of padding */
		STR_INIT("\x00\x81\x00\x01z"),		   /* Huffman: padding of zeros */
		STR_INIT("\x00\x84\xff\xff\xff\xff\x01z"), /* Huffman: the end of string */
	};
	struct buf got = {0};
	struct hpack h;

	(void)state;
	for (size_t i = 0; i < countof(blocks); i++) {
		hpack_init(&h);
		assert_int_equal(hpack_decode(&h, blocks[i], keep, &got), -EPROTO);
	}
	assert_int_equal(got.n, 0);
	buf_fini(&got);
}

TEST_MAIN(test(examples_of_the_rfc_are_decoded), test(blocks_of_nghttp2_are_decoded),
	  test(encoded_blocks_are_decoded), test(malformed_blocks_are_rejected))
