/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shop-orders PORT [VERSION]: processes orders. Known problems:
 *  - remember_audit() leaks 48 KiB per order;
 *  - reserve_stock() holds stock_lock while it writes to a slow disk, so concurrent orders wait for
 *    each other;
 *  - v2 has a regression: find_discount() searches linearly where v1 used binary search.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <varve/varve.h>

#include "shop.h"

enum {
	ITEMS = 24,
	DISCOUNTS = 4096,
	AUDIT_BYTES = 48 * 1024,
};

struct discount {
	unsigned item, percent;
};

static struct discount discounts[DISCOUNTS]; /* sorted by item */
static bool is_v2;

static pthread_mutex_t stock_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned stock[64];

struct audit {
	struct audit *next;
	char text[AUDIT_BYTES];
};
static struct audit *audits; /* the leak: never read or freed */
static pthread_mutex_t audit_lock = PTHREAD_MUTEX_INITIALIZER;

/* v2: linear search. */
SHOP_FUNCTION unsigned search_list(unsigned item)
{
	for (unsigned i = 0; i < DISCOUNTS; i++)
		if (*(volatile unsigned *)&discounts[i].item == item)
			return discounts[i].percent;
	return 0;
}

/* v1: binary search. */
SHOP_FUNCTION unsigned look_up(unsigned item)
{
	unsigned low = 0, high = DISCOUNTS;

	while (low + 1 < high) {
		unsigned middle = (low + high) / 2;

		if (discounts[middle].item <= item)
			low = middle;
		else
			high = middle;
	}
	return discounts[low].item == item ? discounts[low].percent : 0;
}

SHOP_FUNCTION unsigned find_discount(unsigned item)
{
	return is_v2 ? search_list(item) : look_up(item);
}

/* The same work in both versions. */
SHOP_FUNCTION unsigned add_taxes(unsigned price)
{
	volatile unsigned cents = price;

	for (unsigned i = 0; i < 10000; i++)
		cents = cents * 119 / 100 % 100000 + i % 7;
	return cents;
}

SHOP_FUNCTION unsigned price_cart(unsigned order)
{
	VARVE_SPAN(span, "price-cart");
	unsigned total = 0;

	varve_span_set_int(span, "cart.items", ITEMS);
	for (unsigned i = 0; i < ITEMS; i++) {
		unsigned item = (order * 131 + i * 977) % DISCOUNTS * 3;

		for (unsigned coupon = 0; coupon < 256; coupon++)
			total += 100 - find_discount(item + coupon % 3);
		total += add_taxes(item);
	}
	return total;
}

static void write_to_slow_disk(void)
{
	struct timespec pause = {0, 8 * 1000000};

	nanosleep(&pause, NULL);
}

SHOP_FUNCTION void reserve_stock(unsigned order)
{
	VARVE_SPAN(span, "reserve-stock");

	pthread_mutex_lock(&stock_lock);
	stock[order % 64]++;
	write_to_slow_disk(); /* with the lock held */
	pthread_mutex_unlock(&stock_lock);
}

SHOP_FUNCTION void remember_audit(unsigned order)
{
	struct audit *a = malloc(sizeof(*a));

	if (!a)
		return;
	memset(a->text, 'x', sizeof(a->text));
	snprintf(a->text, sizeof(a->text), "order %u", order);
	pthread_mutex_lock(&audit_lock);
	a->next = audits;
	audits = a;
	pthread_mutex_unlock(&audit_lock);
}

static void handle(const struct shop_request *request, struct shop_answer *answer)
{
	const char *slash = strrchr(request->path, '/');
	unsigned order = slash ? (unsigned)strtoul(slash + 1, NULL, 10) : 0, total;
	struct varve_span *span;

	span = varve_span_start("place-order",
				request->traceparent[0] ? request->traceparent : NULL);
	varve_span_set_kind(span, VARVE_SPAN_SERVER);
	varve_span_set_int(span, "order.id", order);
	total = price_cart(order);
	reserve_stock(order);
	remember_audit(order);
	snprintf(answer->body, sizeof(answer->body), "order %u: \"%u\" <cents> & thank you", order,
		 total);
	varve_span_end(span);
}

int main(int argc, char **argv)
{
	const char *version = argc > 2 ? argv[2] : "v1";

	if (argc < 2) {
		fprintf(stderr, "usage: shop-orders PORT [v1|v2]\n");
		return 2;
	}
	is_v2 = strcmp(version, "v2") == 0;
	for (unsigned i = 0; i < DISCOUNTS; i++)
		discounts[i] = (struct discount){i * 3, i % 50};
	shop_profile("shop-orders", version);
	return shop_serve("shop-orders", atoi(argv[1]), 4, handle);
}
