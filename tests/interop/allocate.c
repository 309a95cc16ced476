/* SPDX-License-Identifier: Apache-2.0 */
/* Holds some memory and uses some CPU time, to be profiled by third-party profilers. */
#include <stdlib.h>
#include <string.h>

static volatile unsigned sink;

static __attribute__((noinline)) void burn(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i * i;
}

static __attribute__((noinline)) void *keep(size_t n)
{
	void *p = malloc(n);

	if (p)
		memset(p, 1, n);
	return p;
}

int main(void)
{
	static void *kept[4096];

	for (unsigned i = 0; i < 4096; i++) {
		kept[i] = keep(1000 + i);
		burn(100000);
	}
	return kept[7] == NULL;
}
