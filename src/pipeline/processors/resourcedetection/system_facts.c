/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc, /etc and the kernel say about the machine, with the names of the conventions. */
#include "pipeline/processors/resourcedetection/system_facts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "config/values.h"
#include "pipeline/processors/resourcedetection/host_name.h"
#include "wire/proto.h"

static const char *const fact_names[SYSTEM_FACTS] = {
	[FACT_HOST_NAME] = "host.name",
	[FACT_HOST_ID] = "host.id",
	[FACT_HOST_ARCH] = "host.arch",
	[FACT_HOST_IP] = "host.ip",
	[FACT_HOST_MAC] = "host.mac",
	[FACT_HOST_INTERFACE] = "host.interface",
	[FACT_CPU_VENDOR] = "host.cpu.vendor.id",
	[FACT_CPU_FAMILY] = "host.cpu.family",
	[FACT_CPU_MODEL] = "host.cpu.model.id",
	[FACT_CPU_MODEL_NAME] = "host.cpu.model.name",
	[FACT_CPU_STEPPING] = "host.cpu.stepping",
	[FACT_CPU_CACHE] = "host.cpu.cache.l2.size",
	[FACT_OS_TYPE] = "os.type",
	[FACT_OS_DESCRIPTION] = "os.description",
	[FACT_OS_NAME] = "os.name",
	[FACT_OS_VERSION] = "os.version",
	[FACT_OS_BUILD] = "os.build.id",
};

#define FACT_BIT(fact) (1u << (fact))
#define DEFAULT_FACTS (FACT_BIT(FACT_HOST_NAME) | FACT_BIT(FACT_OS_TYPE))

/* ---- settings ---- */

struct fact_settings {
	bool enabled;
};

static const struct setting fact_table[] = {
	SET_BOOL(struct fact_settings, enabled, "enabled", "false", "Add the attribute."),
	SET_END,
};

/* Reads {NAME: {enabled: true}}; fills the bits of a struct system_settings. */
static int read_fact_settings(const struct config_node *n, const char *what, void *to,
			      struct arena *arena, struct err *e)
{
	struct system_settings *out = to;

	for (const struct config_node *c = n->first; c; c = c->next) {
		struct fact_settings s = {0};
		unsigned i = 0;
		int rc = settings_read(fact_table, c, what, &s, arena, e);

		if (rc)
			return rc;
		while (i < SYSTEM_FACTS && !str_eq(c->key, str_from(fact_names[i])))
			i++;
		if (i == SYSTEM_FACTS) {
			const char *meant = config_suggest(c->key, fact_names, SYSTEM_FACTS,
							   sizeof(fact_names[0]));

			return config_fail(c, e, "%s: unknown attribute \"%.*s\"%s%s%s", what,
					   STR_ARG(c->key), meant ? "; did you mean \"" : "",
					   meant ? meant : "", meant ? "\"?" : "");
		}
		*(s.enabled ? &out->enabled : &out->disabled) |= FACT_BIT(i);
	}
	return 0;
}

const struct setting system_table[] = {
	/* Fills several members: its offset is that of the struct. */
	{.name = "resource_attributes",
	 .type = SETTING_CUSTOM,
	 .help = "Which attributes are added: {NAME: {enabled: true}}.",
	 .unit = "map",
	 .read = read_fact_settings},
	SET_LIST(struct system_settings, hostname_sources, "hostname_sources", "dns,os",
		 "Where host.name is from, the first that has one: dns or cname (the fully "
		 "qualified name by /etc/hosts or DNS), os (the name of the kernel)."),
	SET_END,
};

static bool is_resolver(struct str source)
{
	return str_eq(source, STR("dns")) || str_eq(source, STR("cname"));
}

int system_check(const struct system_settings *s, struct err *e)
{
	for (uint32_t i = 0; i < s->hostname_sources.n; i++) {
		struct str source = s->hostname_sources.at[i];

		if (!is_resolver(source) && !str_eq(source, STR("os")))
			return err_set(e, -EINVAL,
				       "system: hostname_sources: \"%.*s\" is not available: use "
				       "dns, cname or os",
				       STR_ARG(source));
	}
	return 0;
}

/* ---- reading ---- */

struct fact_reader {
	struct attributes *out;
	const struct system_settings *settings;
	struct arena *arena;
	uint64_t timeout_ns;
	uint32_t wanted;
	struct err *e;
};

static int add_fact(struct fact_reader *r, enum system_fact fact, struct str value)
{
	int rc;

	if (!(r->wanted & FACT_BIT(fact)) || !value.n)
		return 0;
	rc = arena_copy_str(r->arena, value, &value);
	return rc ? rc
		  : attributes_set(r->out, r->arena, str_from(fact_names[fact]),
				   &VALUE_OF_STR(value));
}

/* Return the text of a small file without blanks at its ends; empty if it cannot be read. */
static struct str read_small_file(const char *path, char *room, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, room, size);

	if (fd >= 0)
		close(fd);
	return str_trim(str_of(room, n > 0 ? (size_t)n : 0));
}

static int add_host_name(struct fact_reader *r)
{
	const struct setting_list *sources = &r->settings->hostname_sources;
	struct str name = {0};
	int rc = -ENOENT;

	if (!(r->wanted & FACT_BIT(FACT_HOST_NAME)))
		return 0;
	for (uint32_t i = 0; i < sources->n && rc; i++) {
		if (is_resolver(sources->at[i]))
			rc = host_name_of_resolver(r->arena, r->timeout_ns, &name);
		else
			rc = host_name_of_system(r->arena, &name);
	}
	if (rc)
		return err_set(r->e, -EIO,
			       "system: no host name by hostname_sources: add the source os");
	return add_fact(r, FACT_HOST_NAME, name);
}

static int add_host_id(struct fact_reader *r)
{
	char room[128];
	struct str id = read_small_file("/etc/machine-id", room, sizeof(room));

	if (!id.n)
		id = read_small_file("/var/lib/dbus/machine-id", room, sizeof(room));
	return add_fact(r, FACT_HOST_ID, id);
}

/* Return the name of an architecture in the conventions. */
static const char *arch_name(const char *machine)
{
	static const char *const names[][2] = {
		{"x86_64", "amd64"}, {"aarch64", "arm64"}, {"i686", "x86"},	 {"i386", "x86"},
		{"armv7l", "arm32"}, {"armv6l", "arm32"},  {"ppc64le", "ppc64"},
	};

	for (size_t i = 0; i < countof(names); i++)
		if (!strcmp(names[i][0], machine))
			return names[i][1];
	return machine;
}

/* ---- the operating system ---- */

/* Return the value of a key in the text of /etc/os-release. */
static struct str release_value(struct str text, struct str key)
{
	struct str line;

	while (str_next_line(&text, &line)) {
		struct str value = line;

		if (!str_eq(str_cut(&value, '='), key))
			continue;
		if (value.n >= 2 && (value.p[0] == '"' || value.p[0] == '\''))
			value = str_of(value.p + 1, value.n - 2);
		return value;
	}
	return (struct str){0};
}

static int add_description(struct fact_reader *r, struct str release, const struct utsname *u)
{
	struct str text, name = release_value(release, STR("PRETTY_NAME"));
	int rc = arena_printf(r->arena, &text, "%.*s (%s %s %s %s %s)",
			      STR_ARG(name.n ? name : STR("Linux")), u->sysname, u->nodename,
			      u->release, u->version, u->machine);

	return rc ? rc : add_fact(r, FACT_OS_DESCRIPTION, text);
}

static int add_system(struct fact_reader *r)
{
	char room[4096];
	struct str release = read_small_file("/etc/os-release", room, sizeof(room));
	struct utsname u;
	int rc = uname(&u) ? -errno : 0;

	if (!rc)
		rc = add_fact(r, FACT_HOST_ARCH, str_from(arch_name(u.machine)));
	if (!rc)
		rc = add_fact(r, FACT_OS_TYPE, STR("linux"));
	if (!rc)
		rc = add_description(r, release, &u);
	if (!rc)
		rc = add_fact(r, FACT_OS_NAME, release_value(release, STR("NAME")));
	if (!rc)
		rc = add_fact(r, FACT_OS_VERSION, release_value(release, STR("VERSION_ID")));
	if (!rc)
		rc = add_fact(r, FACT_OS_BUILD, str_from(u.release));
	return rc;
}

/* ---- the processor ---- */

/* Add the size of the cache in KiB, as a number. */
static int add_cache(struct fact_reader *r, struct str text)
{
	struct value size = {.kind = VALUE_INT};

	if (!(r->wanted & FACT_BIT(FACT_CPU_CACHE)) ||
	    str_to_i64(str_head(text, str_find(text, ' ')), &size.i))
		return 0;
	return attributes_set(r->out, r->arena, str_from(fact_names[FACT_CPU_CACHE]), &size);
}

static int add_processor_line(struct fact_reader *r, struct str line)
{
	static const struct {
		struct str name;
		enum system_fact fact;
	} lines[] = {
		{STR_INIT("vendor_id"), FACT_CPU_VENDOR},
		{STR_INIT("cpu family"), FACT_CPU_FAMILY},
		{STR_INIT("model"), FACT_CPU_MODEL},
		{STR_INIT("model name"), FACT_CPU_MODEL_NAME},
		{STR_INIT("stepping"), FACT_CPU_STEPPING},
	};
	struct str name = str_trim(str_cut(&line, ':')), value = str_trim(line);

	if (str_eq(name, STR("cache size")))
		return add_cache(r, value);
	for (size_t i = 0; i < countof(lines); i++)
		if (str_eq(name, lines[i].name))
			return add_fact(r, lines[i].fact, value);
	return 0;
}

/* Read the description of the first processor. */
static int add_processor_facts(struct fact_reader *r)
{
	char room[4096];
	struct str text = read_small_file("/proc/cpuinfo", room, sizeof(room)), line;
	int rc = 0;

	while (!rc && str_next_line(&text, &line) && line.n)
		rc = add_processor_line(r, line);
	return rc;
}

/* ---- network interfaces ---- */

/* Texts that become the value of an attribute, a list. */
struct text_list {
	VEC(struct str) list;
};

static int add_fact_text(struct fact_reader *r, struct text_list *l, struct str text)
{
	for (uint32_t i = 0; i < l->list.n; i++)
		if (str_eq(l->list.at[i], text))
			return 0;
	if (arena_copy_str(r->arena, text, &text))
		return -ENOMEM;
	return vec_push(r->arena, &l->list, text) ? -ENOMEM : 0;
}

static int add_list_fact(struct fact_reader *r, enum system_fact fact, const struct text_list *l)
{
	struct value value = {.kind = VALUE_LIST};
	struct proto_writer w;
	int rc;

	if (!(r->wanted & FACT_BIT(fact)) || !l->list.n)
		return 0;
	proto_writer_init(&w, NULL);
	for (uint32_t i = l->list.n; i-- > 0;) {
		size_t end = proto_mark(&w);

		proto_put_entry(&w, 1, l->list.at[i]); /* AnyValue.string_value */
		proto_put_header(&w, 1, end);	       /* ArrayValue.values */
	}
	proto_put_header(&w, 5, 0); /* AnyValue.array_value */
	rc = proto_writer_error(&w);
	if (!rc)
		rc = arena_copy_str(r->arena, proto_writer_str(&w), &value.s);
	proto_writer_fini(&w);
	return rc ? rc : attributes_set(r->out, r->arena, str_from(fact_names[fact]), &value);
}

/* Return the address as text, or an empty string for one that is no IP address. */
static struct str address_text(const struct sockaddr *a, char *room, socklen_t size)
{
	const void *bytes;

	if (a->sa_family == AF_INET)
		bytes = &((const struct sockaddr_in *)(const void *)a)->sin_addr;
	else if (a->sa_family == AF_INET6)
		bytes = &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;
	else
		return (struct str){0};
	return inet_ntop(a->sa_family, bytes, room, size) ? str_from(room) : (struct str){0};
}

/* Return the hardware address as text: "AC-DE-48-23-45-67"; empty if it has none. */
static struct str hardware_text(const struct sockaddr *a, char *room, size_t size)
{
	const struct sockaddr_ll *link = (const void *)a;
	const uint8_t *b = link->sll_addr;

	if (a->sa_family != AF_PACKET || link->sll_halen != 6)
		return (struct str){0};
	snprintf(room, size, "%02X-%02X-%02X-%02X-%02X-%02X", b[0], b[1], b[2], b[3], b[4], b[5]);
	return str_from(room);
}

static int add_interfaces(struct fact_reader *r)
{
	struct text_list ips = {0}, macs = {0}, names = {0};
	struct ifaddrs *all = NULL;
	char room[INET6_ADDRSTRLEN];
	int rc = 0;

	if (getifaddrs(&all))
		return 0;
	for (const struct ifaddrs *i = all; i && !rc; i = i->ifa_next) {
		struct str text;

		if (!i->ifa_addr || i->ifa_flags & IFF_LOOPBACK || !(i->ifa_flags & IFF_UP))
			continue;
		rc = add_fact_text(r, &names, str_from(i->ifa_name));
		text = address_text(i->ifa_addr, room, sizeof(room));
		if (!rc && text.n)
			rc = add_fact_text(r, &ips, text);
		text = hardware_text(i->ifa_addr, room, sizeof(room));
		if (!rc && text.n)
			rc = add_fact_text(r, &macs, text);
	}
	freeifaddrs(all);
	if (!rc)
		rc = add_list_fact(r, FACT_HOST_IP, &ips);
	if (!rc)
		rc = add_list_fact(r, FACT_HOST_MAC, &macs);
	return rc ? rc : add_list_fact(r, FACT_HOST_INTERFACE, &names);
}

int system_facts(struct attributes *out, const struct system_settings *s, uint64_t timeout_ns,
		 struct arena *arena, struct err *e)
{
	struct fact_reader r = {.out = out,
				.settings = s,
				.arena = arena,
				.timeout_ns = timeout_ns,
				.wanted = (DEFAULT_FACTS & ~s->disabled) | s->enabled,
				.e = e};
	int rc = add_host_name(&r);

	if (!rc)
		rc = add_host_id(&r);
	if (!rc)
		rc = add_system(&r);
	if (!rc)
		rc = add_processor_facts(&r);
	return rc ? rc : add_interfaces(&r);
}
