/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/demo/large_names.h"

static const char *const areas[] = {"checkout", "catalog", "search", "payments", "shipping",
				    "identity", "pricing", "ledger", "notify",	 "media"};
static const char *const things[] = {"order",	"cart",	   "price", "stock",  "refund", "invoice",
				     "profile", "address", "offer", "review", "basket"};
static const char *const works[] = {"pipeline", "gateway", "worker", "indexer", "cache", "router"};
static const char *const verbs[] = {"validate", "encode", "lookup", "merge",
				    "apply",	"render", "parse",  "dispatch"};

#define PICK(list, n) ((list)[(n) % countof(list)])

uint64_t large_mix(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t x = a * 0x9e3779b97f4a7c15u ^ b * 0xbf58476d1ce4e5b9u ^ c * 0x94d049bb133111ebu;

	x ^= x >> 31;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 29;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

void large_service(struct buf *out, unsigned service)
{
	buf_printf(out, "com.bigcompany.%s.platform.%s-%s-%u", PICK(areas, service),
		   PICK(things, service / 3), PICK(works, service / 7), service);
}

void large_function(struct buf *out, unsigned service, unsigned number)
{
	buf_printf(out, "com.bigcompany.%s.platform.internal.%s%s.%s%u", PICK(areas, service),
		   PICK(things, number), PICK(works, number / 5), PICK(verbs, number / 2), number);
}

/* 30 labels that are the same for a whole service, as deployment tools add them. */
static void put_team_labels(struct buf *out, unsigned service)
{
	for (unsigned i = 0; i < 28; i++)
		buf_printf(out, ",org.bigcompany.annotation_%02u=value-%u", i,
			   (service + i) % (2 + i % 5));
}

void large_labels(struct buf *out, unsigned service, unsigned pod, unsigned version)
{
	uint64_t hash = large_mix(service, pod, 1);

	buf_printf(out, "{k8s.pod.name=%s-%s-%u-%08x-%05x", PICK(things, service / 3),
		   PICK(works, service / 7), service,
		   (unsigned)(large_mix(service, version, 2) >> 32), (unsigned)hash & 0xfffff);
	buf_printf(out, ",k8s.node.name=ip-10-%u-%u-%u.eu-central-1.compute.internal",
		   (unsigned)(hash >> 20) % 8, (unsigned)(hash >> 24) & 255,
		   (unsigned)(hash >> 32) & 255);
	buf_printf(out, ",k8s.namespace.name=%s-prod", PICK(areas, service));
	buf_printf(out, ",k8s.deployment.name=%s-%s-%u", PICK(things, service / 3),
		   PICK(works, service / 7), service);
	buf_printf(out, ",service.version=2026.11.%u-build.%u", version,
		   41000 + service * 10 + version);
	buf_printf(out, ",cloud.region=eu-central-%u,cloud.zone=eu-central-%u%c",
		   1 + (unsigned)(hash >> 41 & 1), 1 + (unsigned)(hash >> 41 & 1),
		   'a' + (char)(hash >> 40 & 1));
	buf_printf(out, ",host.arch=%s,deployment.environment=prod", pod % 9 ? "amd64" : "arm64");
	put_team_labels(out, service);
	buf_put_char(out, '}');
}
