/* SPDX-License-Identifier: Apache-2.0 */
/* Disks, from /proc/diskstats, and network interfaces and connections, from /proc/net. */
#include <stdio.h>

#include "pipeline/receivers/hostmetrics/host_reading.h"

/* A row of numbers with its name, NUL-terminated. */
struct device_row {
	const char *name;
	double at[16];
};

struct device_rows {
	struct device_row *at;
	uint32_t n;
};

enum { DEVICES_MAX = 4096, SECTOR = 512 };

static struct device_row *add_device(struct host_reading *r, struct device_rows *rows,
				     struct str name, enum host_filter filter)
{
	struct device_row *row;
	struct str copy;

	if (!rows->at)
		rows->at = arena_zalloc(&r->arena, DEVICES_MAX, sizeof(*rows->at));
	r->failed |= !rows->at;
	if (r->failed || rows->n == DEVICES_MAX ||
	    !name_filter_passes(&r->state->filters[filter], name))
		return NULL;
	if (arena_copy_str(&r->arena, name, &copy)) {
		r->failed = true;
		return NULL;
	}
	row = &rows->at[rows->n++];
	row->name = copy.p;
	return row;
}

/* Write two columns of all devices as the two directions of a metric. */
static void put_directions(struct host_reading *r, const struct device_rows *rows,
			   enum host_metric_id metric, const char *const directions[2],
			   const unsigned columns[2], double factor)
{
	if (!rows->n || !host_metric(r, metric))
		return;
	for (uint32_t i = 0; i < rows->n; i++)
		for (unsigned k = 0; k < 2; k++)
			host_point(r, rows->at[i].at[columns[k]] * factor, "device",
				   rows->at[i].name, "direction", directions[k], NULL);
}

static void put_column(struct host_reading *r, const struct device_rows *rows,
		       enum host_metric_id metric, unsigned column, double factor)
{
	if (!rows->n || !host_metric(r, metric))
		return;
	for (uint32_t i = 0; i < rows->n; i++)
		host_point(r, rows->at[i].at[column] * factor, "device", rows->at[i].name, NULL);
}

/* ---- disks ---- */

void scrape_disk(struct host_reading *r)
{
	static const char *const ways[2] = {"read", "write"};
	struct device_rows rows = {0};
	struct str rest, line;

	if (!host_file(r, "/proc/diskstats", &rest))
		return;
	while (str_next_line(&rest, &line)) {
		struct device_row *row;

		(void)host_word(&line); /* major and minor number */
		(void)host_word(&line);
		row = add_device(r, &rows, host_word(&line), FILTER_DISKS);
		for (unsigned i = 0; row && i < 11; i++)
			row->at[i] = (double)host_number(&line);
	}
	/* reads, merged, sectors, ms, writes, merged, sectors, ms, in progress, ms, weighted ms */
	put_directions(r, &rows, DISK_IO, ways, (const unsigned[]){2, 6}, SECTOR);
	put_directions(r, &rows, DISK_OPERATIONS, ways, (const unsigned[]){0, 4}, 1);
	put_directions(r, &rows, DISK_MERGED, ways, (const unsigned[]){1, 5}, 1);
	put_directions(r, &rows, DISK_OPERATION_TIME, ways, (const unsigned[]){3, 7}, 1e-3);
	put_column(r, &rows, DISK_IO_TIME, 9, 1e-3);
	put_column(r, &rows, DISK_WEIGHTED_IO_TIME, 10, 1e-3);
	put_column(r, &rows, DISK_PENDING_OPERATIONS, 8, 1);
}

/* ---- network ---- */

static void scrape_interfaces(struct host_reading *r)
{
	static const char *const ways[2] = {"receive", "transmit"};
	struct device_rows rows = {0};
	struct str rest, line;

	if (!host_file(r, "/proc/net/dev", &rest) || !str_next_line(&rest, &line) ||
	    !str_next_line(&rest, &line))
		return;
	while (str_next_line(&rest, &line)) {
		struct str name = str_trim(str_cut(&line, ':'));
		struct device_row *row = add_device(r, &rows, name, FILTER_INTERFACES);

		for (unsigned i = 0; row && i < 16; i++)
			row->at[i] = (double)host_number(&line);
	}
	put_directions(r, &rows, NETWORK_IO, ways, (const unsigned[]){0, 8}, 1);
	put_directions(r, &rows, NETWORK_PACKETS, ways, (const unsigned[]){1, 9}, 1);
	put_directions(r, &rows, NETWORK_ERRORS, ways, (const unsigned[]){2, 10}, 1);
	put_directions(r, &rows, NETWORK_DROPPED, ways, (const unsigned[]){3, 11}, 1);
}

/* By the number of the kernel, from 1 on. */
static const char *const tcp_states[] = {
	"ESTABLISHED", "SYN_SENT",   "SYN_RECV", "FIN_WAIT_1", "FIN_WAIT_2", "TIME_WAIT",
	"CLOSE",       "CLOSE_WAIT", "LAST_ACK", "LISTEN",     "CLOSING",    "DELETE",
};

static void count_connections(struct host_reading *r, const char *path,
			      double counts[countof(tcp_states)])
{
	struct str rest, line;

	if (!host_file(r, path, &rest) || !str_next_line(&rest, &line))
		return;
	while (str_next_line(&rest, &line)) {
		uint64_t state;

		for (unsigned i = 0; i < 3; i++)
			(void)host_word(&line); /* number, local and remote address */
		if (!str_to_u64(host_word(&line), 16, &state) && state >= 1 &&
		    state <= countof(tcp_states))
			counts[state - 1]++;
	}
}

static void scrape_connections(struct host_reading *r)
{
	double counts[countof(tcp_states)] = {0};

	if (!r->state->settings->scrapers.written[NETWORK_CONNECTIONS])
		return;
	count_connections(r, "/proc/net/tcp", counts);
	count_connections(r, "/proc/net/tcp6", counts);
	if (host_metric(r, NETWORK_CONNECTIONS))
		for (size_t i = 0; i < countof(tcp_states); i++)
			host_point(r, counts[i], "protocol", "tcp", "state", tcp_states[i], NULL);
}

static void put_conntrack(struct host_reading *r, enum host_metric_id metric, const char *path)
{
	struct str text;

	if (r->state->settings->scrapers.written[metric] && host_file(r, path, &text) &&
	    str_next_line(&text, &text) && host_metric(r, metric))
		host_point(r, (double)host_number(&text), NULL);
}

void scrape_network(struct host_reading *r)
{
	scrape_interfaces(r);
	scrape_connections(r);
	put_conntrack(r, NETWORK_CONNTRACK_COUNT, "/proc/sys/net/netfilter/nf_conntrack_count");
	put_conntrack(r, NETWORK_CONNTRACK_MAX, "/proc/sys/net/netfilter/nf_conntrack_max");
}
