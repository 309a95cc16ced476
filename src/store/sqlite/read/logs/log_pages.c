/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search of the pages of merged blocks. Conditions are checked for whole templates first: the text
 * of a record is made only where its template leaves it open.
 */
#include <stdlib.h>

#include "base/regex.h"
#include "store/sqlite/catalog/day.h"
#include "store/sqlite/logs/log_block.h"
#include "store/sqlite/read/logs/log_read.h"
#include "store/sqlite/read/logs/log_units.h"
#include "store/sqlite/read/logs/query_log_counts.h"
#include "store/sqlite/read/logs/query_logs.h"

/* ---- blocks ---- */

/* Set may[i] to whether page i may have all hashes that a match needs. */
static int filter_pages(struct reader *r, const struct log_block_entry *block,
			const struct log_matcher *m, uint8_t *may, struct arena *a, struct err *e)
{
	bool any = block->pages;
	int rc = 0;

	memset(may, 1, block->pages);
	for (uint32_t i = 0; !rc && any && block->shards && i < m->needed.n; i++) {
		uint64_t hash = m->needed.at[i];
		uint64_t id = block->data + 1 + block->pages +
			      log_shard_of(hash, (uint32_t)block->shards);
		struct str shard;

		rc = reader_blob(r, id, FRAME_LOG_FILTER, a, &shard, e);
		any = false;
		for (uint32_t p = 0; !rc && p < block->pages; p++) {
			may[p] = may[p] && log_shard_has(shard, hash, p);
			any |= may[p];
		}
	}
	return rc;
}

/* Set *last to the newest time of the wanted segments of a page in the range, or return false. */
static bool page_extent(const struct log_index *index, const struct log_page_entry *page,
			const struct log_streams *streams, const struct store_log_select *s,
			uint64_t *last)
{
	bool any = false;

	*last = 0;
	for (uint32_t i = page->first; i < page->first + page->n; i++) {
		const struct log_segment *x = &index->segments[i];

		if (!streams->wanted[x->stream] || x->last < s->from || x->first >= s->to)
			continue;
		any = true;
		*last = x->last > *last ? x->last : *last;
	}
	return any;
}

int log_units_expand(struct log_units *u, struct reader *r, const struct log_unit *block,
		     struct log_matcher *m, struct err *e)
{
	struct open_block open = {.block = block->block};
	uint8_t *may;
	int rc;

	open.index = arena_alloc(u->arena, 1, sizeof(*open.index));
	open.streams = arena_alloc(u->arena, 1, sizeof(*open.streams));
	may = arena_alloc(u->arena, block->block->pages + 1, 1);
	rc = open.index && open.streams && may ? 0 : -ENOMEM;
	if (!rc)
		rc = logs_read_index(r, open.block, open.index, u->arena, e);
	if (!rc)
		rc = log_streams_match(open.streams, open.index->streams, open.index->stream_n, m,
				       u->arena, e);
	if (!rc && !open.streams->any)
		return 0;
	if (!rc)
		rc = filter_pages(r, open.block, m, may, u->arena, e);
	for (uint32_t i = 0; !rc && i < open.index->page_n; i++) {
		struct log_unit unit = {
			.block = open.block, .page = (int32_t)i, .number = u->blocks.n};

		if (may[i] && page_extent(open.index, &open.index->pages[i], open.streams,
					  u->select, &unit.last))
			rc = log_units_push(u, &unit);
	}
	return rc ? rc : vec_push(u->arena, &u->blocks, open);
}

/* ---- rows of a page ---- */

/* The state of the check of one page. */
struct page_search {
	struct log_matcher *m;
	const struct log_streams *streams;
	struct log_page page;
	uint8_t *verdicts; /* of each template: enum log_verdict */
	struct log_details details;
	bool has_details;
	struct buf text, body, message;
	struct err *e;
};

static void search_fini(struct page_search *x)
{
	if (x->has_details)
		log_details_fini(&x->details);
	buf_fini(&x->text);
	buf_fini(&x->body);
	buf_fini(&x->message);
}

static enum log_verdict least(enum log_verdict a, enum log_verdict b)
{
	return a < b ? a : b;
}

static enum log_verdict judge_template(const struct log_matcher *m, struct str template)
{
	const struct store_log_select *s = m->select;
	enum log_verdict v = LOG_ALWAYS;

	for (uint32_t i = 0; v && i < s->phrase_count; i++)
		v = least(v, log_template_phrase(template, m->phrases[i]));
	for (uint32_t i = 0; v && i < s->part_count; i++)
		v = least(v, log_template_part(template, s->parts[i]));
	if (v && s->regex && m->literal.n && log_template_part(template, m->literal) == LOG_NEVER)
		return LOG_NEVER;
	return v && s->regex ? LOG_MAYBE : v;
}

/* Judge all templates. Set *any to whether a record may match by its text. */
static int judge_templates(struct page_search *x, struct arena *a, bool *any)
{
	struct log_page *p = &x->page;
	int rc = log_page_read(p, LOG_PIECE_HEAD, x->e);

	*any = false;
	if (rc)
		return rc;
	x->verdicts = arena_alloc(a, p->strings.template_n + (size_t)1, 1);
	if (!x->verdicts)
		return -ENOMEM;
	for (uint32_t t = 0; t < p->strings.template_n; t++) {
		x->verdicts[t] = (uint8_t)judge_template(x->m, p->strings.templates[t].text);
		*any |= x->verdicts[t] != LOG_NEVER;
	}
	x->verdicts[p->strings.template_n] = LOG_MAYBE; /* texts without template */
	*any |= p->strings.plain_n || p->other_n;
	return 0;
}

/* Return whether the text of record i matches: 1, 0 or -errno. */
static int match_row_text(struct page_search *x, uint32_t i)
{
	struct log_page *p = &x->page;
	int rc;

	if (p->body_kinds[i] == LOG_BODY_STRING) {
		uint8_t verdict = x->verdicts[p->strings.numbers[p->body_places[i]]];

		if (verdict != LOG_MAYBE)
			return verdict == LOG_ALWAYS;
	}
	rc = log_page_read(p, LOG_PIECE_TEXT, x->e);
	if (rc)
		return rc;
	rc = log_match_text(x->m, log_page_text(p, i, &x->text));
	return rc < 0 ? err_set(x->e, rc, "%s", x->m->error.text) : rc;
}

static int open_details(struct page_search *x)
{
	if (x->has_details)
		return 0;
	x->has_details = true;
	return log_details_init(&x->details, &x->page, x->e);
}

/* Return whether ids and attributes of record i match: 1, 0 or -errno. */
static int match_row_details(struct page_search *x, uint32_t i, const struct log_stream *s)
{
	static const uint8_t none[TRACE_ID_SIZE];
	const uint8_t *trace, *span;
	struct log_record record;
	int rc = open_details(x);

	if (rc)
		return rc;
	trace = log_details_trace(&x->details, i);
	span = log_details_span(&x->details, i);
	if (!log_match_ids(x->m, trace ? trace : none, span ? span : none))
		return 0;
	if (!x->m->select->match_count)
		return 1;
	rc = log_details_record(&x->details, i, &record);
	if (!rc)
		rc = log_match_attributes(x->m, &record, s);
	return rc < 0 ? err_set(x->e, rc, "%s", x->m->error.text) : rc;
}

static int match_row(struct page_search *x, uint32_t i, const struct log_stream *s)
{
	const struct store_log_select *select = x->m->select;
	int yes = 1;

	if (!log_match_severity(x->m, x->page.severities[i]))
		return 0;
	if (log_match_needs_text(x->m))
		yes = match_row_text(x, i);
	if (yes > 0 && (select->trace_count || select->span_count || select->match_count))
		yes = match_row_details(x, i, s);
	return yes;
}

/* Open a page for a search. Set *any to whether it may have a match. */
static int search_open(struct page_search *x, struct reader *r, const struct open_block *block,
		       uint32_t page, struct arena *a, bool *any)
{
	int rc = logs_read_page(r, block->block, page, &x->page, a, x->e);

	*any = true;
	x->streams = block->streams;
	if (!rc)
		rc = log_page_read(&x->page, LOG_PIECE_CORE, x->e);
	if (!rc && x->page.n != block->index->pages[page].logs)
		rc = err_set(x->e, -EUCLEAN, "a page of log records does not fit its index");
	for (uint32_t i = 0; !rc && i < x->page.segment_n; i++)
		if (x->page.segments[i].stream >= x->streams->n)
			rc = err_set(x->e, -EUCLEAN,
				     "a page of log records does not fit its index");
	if (!rc && log_match_needs_text(x->m))
		rc = judge_templates(x, a, any);
	return rc;
}

/* ---- records ---- */

static int add_found(struct page_search *x, struct found_logs *found, uint32_t unit, uint32_t i,
		     const struct log_stream *s)
{
	struct found_log l = {.time = x->page.times[i], .unit = unit, .row = i, .stream = s};
	int rc = 0;

	/* the text decides only among records of the same time */
	if (!found_logs_wants(found, l.time, 0))
		return 0;
	for (unsigned k = LOG_PIECE_HEAD; !rc && k <= LOG_PIECE_TEXT; k++)
		rc = log_page_read(&x->page, (enum log_piece)k, x->e);
	if (rc)
		return rc;
	l.tie = log_tie(log_page_text(&x->page, i, &x->text));
	return found_logs_wants(found, l.time, l.tie) ? found_logs_add(found, &l) : 0;
}

/* Search a segment from its newest record on. */
static int search_segment(struct page_search *x, const struct log_segment *s, uint32_t first,
			  struct found_logs *found, uint32_t unit)
{
	const struct store_log_select *select = x->m->select;
	bool forward = select->match_count; /* the details are read in order */
	int rc = 0;

	for (uint32_t k = 0; !rc && k < s->n; k++) {
		uint32_t i = first + (forward ? k : s->n - 1 - k);
		uint64_t time = x->page.times[i];
		int yes;

		if (time < select->from || time >= select->to)
			continue;
		if (found_logs_is_past(found, time)) {
			if (forward)
				continue;
			break;
		}
		yes = match_row(x, i, &x->streams->at[s->stream]);
		if (yes < 0)
			rc = yes;
		else if (yes)
			rc = add_found(x, found, unit, i, &x->streams->at[s->stream]);
	}
	return rc;
}

int log_unit_search(struct log_units *u, struct reader *r, const struct log_unit *page,
		    struct log_matcher *m, struct found_logs *found, struct arena *block,
		    struct err *e)
{
	struct page_search x = {.m = m, .e = e};
	bool any;
	int rc;

	buf_init(&x.text, found->arena->budget);
	rc = search_open(&x, r, &u->blocks.at[page->number], (uint32_t)page->page, block, &any);
	for (uint32_t s = 0, row = 0; !rc && any && s < x.page.segment_n; s++) {
		if (x.streams->wanted[x.page.segments[s].stream])
			rc = search_segment(&x, &x.page.segments[s], row, found, u->searched.n);
		row += x.page.segments[s].n;
	}
	search_fini(&x);
	return rc ? rc : vec_push(u->arena, &u->searched, *page);
}

static int by_place(const void *a, const void *b)
{
	const struct found_log *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Read the messages of the results [first, end), which are in one page. */
static int read_messages(struct log_units *u, struct reader *r, struct found_log *at, uint32_t n,
			 struct arena *block, struct arena *a, struct err *e)
{
	const struct log_unit *unit = &u->searched.at[at->unit];
	struct page_search x = {.e = e};
	int rc = logs_read_page(r, unit->block, (uint32_t)unit->page, &x.page, block, e);

	buf_init(&x.body, a->budget);
	buf_init(&x.message, a->budget);
	for (unsigned i = 0; !rc && i < LOG_PIECE_DETAILS; i++)
		rc = log_page_read(&x.page, (enum log_piece)i, e);
	if (!rc)
		rc = open_details(&x);
	for (uint32_t i = 0; !rc && i < n; i++) {
		buf_clear(&x.message);
		rc = log_page_message(&x.page, &x.details, at[i].row, &x.body, &x.message);
		if (!rc)
			rc = arena_copy_str(a, buf_str(&x.message), &at[i].message);
	}
	search_fini(&x);
	arena_reset(block);
	return rc;
}

int log_units_read_found(struct log_units *u, struct reader *r, struct found_logs *found,
			 struct arena *block, struct err *e)
{
	struct found_log *at = found->heap.at;
	int rc = 0;

	if (found->heap.n)
		qsort(at, found->heap.n, sizeof(*at), by_place);
	for (uint32_t i = 0, end; !rc && i < found->heap.n; i = end) {
		end = i + 1;
		if (at[i].message.p)
			continue;
		while (end < found->heap.n && !at[end].message.p && at[end].unit == at[i].unit)
			end++;
		rc = read_messages(u, r, at + i, end - i, block, found->arena, e);
	}
	return rc;
}

/* ---- counts ---- */

static int visit_count(struct log_counting *c, uint64_t time, enum severity_class severity,
		       uint64_t n, struct str service)
{
	struct store_log_count count = {time - time % c->step, n, severity, service};

	return n ? c->visit(c->context, &count) : 0;
}

/* Return whether the records of a minute are counted alike: in the range, and of one step. */
static bool is_whole_minute(const struct log_counting *c, uint64_t minute)
{
	uint64_t end = minute + 60 * NS_PER_SECOND;

	return minute >= c->select->from && end <= c->select->to &&
	       minute / c->step == (end - 1) / c->step;
}

static bool is_minute_outside(const struct log_counting *c, uint64_t minute)
{
	return minute + 60 * NS_PER_SECOND <= c->select->from || minute >= c->select->to;
}

/* Return whether the threshold is the least severity of a class, so that counts by class suffice. */
static bool is_class_border(uint32_t severity)
{
	return severity % 4 == 1 || !severity;
}

/* Count a segment by its counts. Set *rest if a minute of it has to be read. */
static int count_segment(struct log_counting *c, const struct log_index *index, uint32_t segment,
			 uint64_t hour, struct str service, bool *rest)
{
	enum severity_class lowest = severity_class_of(c->select->severity);
	int rc = 0;

	for (uint32_t k = index->counts_at[segment]; !rc && k < index->counts_at[segment + 1];
	     k++) {
		const struct log_count *n = &index->counts[k];
		uint64_t minute = hour + n->minute * 60 * NS_PER_SECOND;

		if (n->severity < lowest || is_minute_outside(c, minute))
			continue;
		if (is_whole_minute(c, minute))
			rc = visit_count(c, minute, (enum severity_class)n->severity, n->n,
					 service);
		else
			*rest = true;
	}
	return rc;
}

/* Count the records of a page one by one; `rest`: only those that count_segment() has left. */
static int count_page(struct log_counting *c, struct reader *r, const struct open_block *block,
		      uint32_t page, bool rest, struct arena *a, struct err *e)
{
	struct page_search x = {.m = &c->matcher, .e = e};
	bool any;
	int rc;

	buf_init(&x.text, a->budget);
	rc = search_open(&x, r, block, page, a, &any);
	for (uint32_t s = 0, row = 0; !rc && any && s < x.page.segment_n; s++) {
		const struct log_segment *g = &x.page.segments[s];
		const struct log_stream *of = &x.streams->at[g->stream];

		for (uint32_t k = 0; !rc && k < g->n; k++, row++) {
			uint64_t time = x.page.times[row];
			int yes;

			if (!x.streams->wanted[g->stream] || time < c->select->from ||
			    time >= c->select->to ||
			    (rest && is_whole_minute(c, time - time % (60 * NS_PER_SECOND))))
				continue;
			yes = match_row(&x, row, of);
			if (yes < 0)
				rc = yes;
			else if (yes)
				rc = visit_count(c, time, severity_class_of(x.page.severities[row]),
						 1, of->service);
		}
	}
	search_fini(&x);
	return rc;
}

int log_block_count(struct log_counting *c, struct reader *r, const struct log_block_entry *entry,
		    struct err *e)
{
	bool plain = !log_match_needs_more(&c->matcher) && is_class_border(c->select->severity);
	uint64_t hour = r->partition->day * NS_PER_DAY + entry->hour * NS_PER_HOUR;
	struct log_index index;
	struct log_streams streams;
	struct open_block open = {entry, &index, &streams};
	uint8_t *may = arena_alloc(&c->block, entry->pages + 1, 1);
	struct arena page;
	int rc = may ? logs_read_index(r, entry, &index, &c->block, e) : -ENOMEM;

	arena_init(&page, c->select->limits.budget);
	if (!rc)
		rc = log_streams_match(&streams, index.streams, index.stream_n, &c->matcher,
				       &c->block, e);
	if (!rc)
		rc = filter_pages(r, entry, &c->matcher, may, &c->block, e);
	for (uint32_t i = 0; !rc && streams.any && i < index.page_n; i++) {
		const struct log_page_entry *p = &index.pages[i];
		bool rest = false;
		uint64_t last;

		if (!may[i] || !page_extent(&index, p, &streams, c->select, &last))
			continue;
		for (uint32_t s = p->first; !rc && plain && s < p->first + p->n; s++)
			if (streams.wanted[index.segments[s].stream])
				rc = count_segment(c, &index, s, hour,
						   streams.at[index.segments[s].stream].service,
						   &rest);
		if (!rc && (rest || !plain))
			rc = count_page(c, r, &open, i, plain, &page, e);
		arena_reset(&page);
	}
	arena_fini(&page);
	return rc;
}
