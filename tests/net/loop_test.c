/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a loop closes and frees connections that are still in its mailbox. */
#include "net/conn.h"
#include "test/net.h"

static const struct http_app app = {0};

/* A connection is accepted and mailed just when the loop is stopped. */
static void a_mailed_connection_is_closed_when_the_loop_ends(void **state)
{
	struct sockaddr_storage peer = {.ss_family = AF_INET};
	struct budget memory = {.limit = 512 * MIB};
	struct net_options o;
	struct loop l;
	struct conn *c;
	int pair[2];
	char byte;

	(void)state;
	net_options_init(&o);
	assert_ok(loop_init(&l, NULL, &o, &memory, NULL));
	assert_ok(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair));
	c = conn_new(&l, pair[0], NULL, &app, &peer);
	assert_non_null(c);
	atomic_fetch_add(&l.stats.connections_open, 1);
	assert_true(atomic_load(&memory.used) > 0);
	atomic_store(&l.draining, true);
	atomic_store(&l.closing, true);
	atomic_store(&l.ending, true);
	loop_mail(&l, &c->mail);
	loop_run(&l);
	assert_null(l.conns);
	assert_null(l.dead);
	assert_int_equal(atomic_load(&l.stats.connections_open), 0);
	assert_int_equal(recv(pair[1], &byte, 1, 0), 0); /* its socket is closed */
	assert_int_equal(atomic_load(&memory.used), 0);
	close(pair[1]);
	loop_fini(&l);
}

TEST_MAIN(test(a_mailed_connection_is_closed_when_the_loop_ends))
