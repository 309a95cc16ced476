/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filters follow profile.FilterSamplesByName() and ShowFrom() in google/pprof: focus and ignore
 * apply to whole locations, hide and show to single (inlined) lines, and a matching module applies
 * to all lines of its locations. One difference: show_from removes a location's inlined callers
 * only in stacks where that location is the outermost match.
 */
#include "query/tree/frames.h"

/* The line that is being resolved. */
struct frame {
	struct str name, file, module;
	uint32_t name_id, file_id, module_id; /* string ids of these; name_id 0: generated name */
	int64_t line, start;		      /* start of the function */
	uint64_t address;
};

enum names_key frames_key(enum group_by group)
{
	switch (group) {
	case GROUP_FILE_FUNCTION:
	case GROUP_LINE:
		return NAMES_BY_FILE;
	case GROUP_FUNCTION:
	case GROUP_ADDRESS:
		return NAMES_BY_MODULE;
	default:
		return NAMES_BY_TEXT;
	}
}

static struct regex *filter_at(const struct frame_filters *filters, unsigned which)
{
	struct regex *const all[FRAME_FILTERS] = {filters->focus, filters->ignore, filters->hide,
						  filters->show, filters->show_from};

	return all[which];
}

enum { FOCUS, IGNORE, HIDE, SHOW, SHOW_FROM };

/* Return whether a frame's name depends only on its function, not on the line or address. */
static bool names_are_functions(enum group_by group)
{
	return group == GROUP_FUNCTION || group == GROUP_FILE_FUNCTION || group == GROUP_NAME;
}

int frames_init(struct frames *f, const struct profile_batch *batch,
		const struct frame_filters *filters, enum group_by group, struct names *names,
		struct arena *arena)
{
	*f = (struct frames){
		.batch = batch, .filters = filters, .group = group, .names = names, .arena = arena};
	return frames_extend(f);
}

/* Grow *array to n elements, zeroing the new ones. */
static int extend_array(struct arena *arena, void **array, uint32_t old_n, uint32_t n, size_t size)
{
	char *grown = arena_resize(arena, *array, old_n, n, size);

	if (!grown)
		return -ENOMEM;
	memset(grown + old_n * size, 0, (n - old_n) * size);
	*array = grown;
	return 0;
}

int frames_extend(struct frames *f)
{
	uint32_t locations = f->batch->locations.n, strings = f->batch->strings.n;
	int rc = 0;

	/* Grow by half, so that a slowly growing dictionary does not cause a copy each time. */
	if (locations > f->location_n) {
		uint32_t n = f->location_n ? locations + locations / 2 : locations;

		rc = extend_array(f->arena, (void **)&f->locations, f->location_n, n,
				  sizeof(*f->locations));
		if (!rc)
			f->location_n = n;
	}
	if (rc || strings <= f->string_n)
		return rc;

	uint32_t n = f->string_n ? strings + strings / 2 : strings;

	if (names_are_functions(f->group))
		rc = extend_array(f->arena, (void **)&f->cached, f->string_n, n,
				  sizeof(*f->cached));
	for (unsigned i = 0; i < FRAME_FILTERS && !rc; i++)
		if (filter_at(f->filters, i))
			rc = extend_array(f->arena, (void **)&f->matches[i], f->string_n, n, 1);
	if (!rc)
		f->string_n = n;
	return rc;
}

/* Return 1 if the string matches, 0 if not, or -errno. An empty (unknown) string never matches. */
static int string_matches(struct frames *f, unsigned which, uint32_t id, struct err *e)
{
	uint8_t *known = &f->matches[which][id];

	if (!*known) {
		struct str text = string_of(f->batch, id);
		int rc = text.n ? regex_match(filter_at(f->filters, which), text, e) : 0;

		if (rc < 0)
			return rc;
		*known = rc ? 2 : 1;
	}
	return *known == 2;
}

static int frame_matches(struct frames *f, unsigned which, const struct frame *frame, struct err *e)
{
	int rc = string_matches(f, which, frame->module_id, e);

	if (!rc)
		rc = string_matches(f, which, frame->file_id, e);
	if (!rc && frame->name_id)
		rc = string_matches(f, which, frame->name_id, e);
	else if (!rc) /* a generated name is visible to the user, so filters apply to it */
		rc = regex_match(filter_at(f->filters, which), frame->name, e);
	return rc;
}

/* Generate a name: "libc.so.6+0x2a1b0", or "0x7f12a1b0" if no module is known. */
static int unnamed_text(struct frames *f, const struct location *location, struct str *text)
{
	const struct mapping *m = &f->batch->mappings.at[location->mapping];
	struct str module = names_base(string_of(f->batch, m->filename));
	uint64_t address = location->address;

	if (!module.n)
		return arena_printf(f->arena, text, "0x%llx", (unsigned long long)address);
	/* If addresses are relative to the file, start is 0 or above the address. */
	if (address >= m->start && m->start)
		address = address - m->start + m->offset;
	return arena_printf(f->arena, text, "%.*s+0x%llx", STR_ARG(module),
			    (unsigned long long)address);
}

/* Return the text of the frame's name for this grouping. 0 or -ENOMEM. */
static int frame_text(struct frames *f, const struct frame *frame, struct str *text)
{
	switch (f->group) {
	case GROUP_FILE:
		if (frame->file.n)
			*text = frame->file;
		else if (frame->module.n)
			return arena_printf(f->arena, text, "[%.*s]",
					    STR_ARG(names_base(frame->module)));
		else
			*text = STR("[unknown file]");
		return 0;
	case GROUP_MODULE:
		*text = frame->module.n ? frame->module : STR("[unknown module]");
		return 0;
	case GROUP_LINE:
		*text = frame->name;
		return frame->line > 0 ? arena_printf(f->arena, text, "%.*s:%lld",
						      STR_ARG(frame->name), (long long)frame->line)
				       : 0;
	case GROUP_ADDRESS:
		*text = frame->name;
		if (!frame->name_id) /* a generated name contains the address */
			return 0;
		return frame->line > 0 ? arena_printf(f->arena, text, "0x%llx %.*s:%lld",
						      (unsigned long long)frame->address,
						      STR_ARG(frame->name), (long long)frame->line)
				       : arena_printf(f->arena, text, "0x%llx %.*s",
						      (unsigned long long)frame->address,
						      STR_ARG(frame->name));
	default:
		*text = frame->name;
		return 0;
	}
}

bool frames_join(enum group_by group)
{
	return group == GROUP_FILE || group == GROUP_MODULE;
}

static int frame_name(struct frames *f, const struct frame *frame, uint32_t *id)
{
	struct str text;
	int rc = frame_text(f, frame, &text);

	return rc ? rc : names_add(f->names, text, frame->file, frame->module, id);
}

/* The same, with the id cached per function name. */
static int function_name(struct frames *f, const struct frame *frame, uint32_t *id)
{
	struct cached_name *c = &f->cached[frame->name_id];
	int rc;

	if (c->name && c->file == frame->file_id && c->module == frame->module_id) {
		*id = c->name - 1;
		return 0;
	}
	rc = frame_name(f, frame, id);
	if (!rc)
		*c = (struct cached_name){*id + 1, frame->file_id, frame->module_id};
	return rc;
}

static int push_frame(struct frames *f, struct location_frames *out, const struct frame *frame)
{
	uint32_t id;
	int rc = f->cached && frame->name_id ? function_name(f, frame, &id)
					     : frame_name(f, frame, &id);

	if (rc)
		return rc;
	if (frames_join(f->group) && out->names.n && f->pool.at[f->pool.n - 1] == id)
		return 0;
	if (!frames_join(f->group)) /* files and modules have no line */
		names_note_line(f->names, id, frame->file,
				names_are_functions(f->group) ? frame->start : 0, frame->line);
	rc = vec_push(f->arena, &f->pool, id);
	out->names.n += !rc;
	return rc;
}

/* Apply the filters to one line of a location and append it if it passes. */
static int filter_frame(struct frames *f, struct location_frames *out, const struct frame *frame,
			struct err *e)
{
	int hit[FRAME_FILTERS] = {0};

	for (unsigned i = 0; i < FRAME_FILTERS; i++) {
		if (!f->matches[i])
			continue;
		hit[i] = frame_matches(f, i, frame, e);
		if (hit[i] < 0)
			return hit[i];
	}
	out->focus |= hit[FOCUS];
	out->ignore |= hit[IGNORE];
	if (hit[HIDE] || (f->matches[SHOW] && !hit[SHOW]))
		return 0;

	int rc = push_frame(f, out, frame);

	if (!rc && hit[SHOW_FROM])
		out->keep_from = out->names.n;
	return rc;
}

static int fill_frame(struct frames *f, const struct location *location, const struct line *line,
		      struct frame *frame)
{
	const struct profile_batch *b = f->batch;
	const struct function *function = &b->functions.at[line ? line->function : 0];

	*frame = (struct frame){
		.name_id = function->name ? function->name : function->system_name,
		.file_id = function->filename,
		.module_id = b->mappings.at[location->mapping].filename,
		.line = line ? line->line : 0,
		.start = function->start_line,
		.address = location->address,
	};
	/* Some senders refer to an empty string with a non-zero id. */
	if (!string_of(b, frame->name_id).n)
		frame->name_id = function->system_name;
	if (!string_of(b, frame->name_id).n)
		frame->name_id = 0;
	frame->file = string_of(b, frame->file_id);
	frame->module = string_of(b, frame->module_id);
	if (!frame->name_id)
		return unnamed_text(f, location, &frame->name);
	frame->name = string_of(b, frame->name_id);
	return 0;
}

int frames_resolve(struct frames *f, uint32_t id, struct err *e)
{
	const struct location *location = &f->batch->locations.at[id];
	struct location_frames out = {.names.at = f->pool.n, .known = true};
	struct frame frame;
	uint32_t first = 0; /* the innermost line that is kept */
	int rc = f->prune ? prune_lines(f->prune, location, e) : 0;

	if (rc < 0)
		return rc;
	out.pruned = rc && (uint32_t)rc == location->lines.n;
	out.prune_beneath = rc && !out.pruned;
	if (out.prune_beneath)
		first = (uint32_t)rc;
	rc = 0;
	if (!location->lines.n) {
		rc = fill_frame(f, location, NULL, &frame);
		if (!rc)
			rc = filter_frame(f, &out, &frame, e);
	}
	for (uint32_t i = first; i < location->lines.n && !rc; i++) {
		rc = fill_frame(f, location, &f->batch->lines.at[location->lines.at + i], &frame);
		if (!rc)
			rc = filter_frame(f, &out, &frame, e);
	}
	if (!rc)
		f->locations[id] = out;
	return rc;
}

/* Append the first `n` names of a location to the path. */
static int push_path(struct frames *f, struct list names, uint32_t n)
{
	int rc = vec_reserve(f->arena, &f->path, n);

	for (uint32_t i = 0; i < n && !rc; i++) {
		uint32_t id = f->pool.at[names.at + i];

		if (frames_join(f->group) && f->path.n && f->path.at[f->path.n - 1] == id)
			continue;
		f->path.at[f->path.n++] = id;
	}
	return rc;
}

/* Samples without frames get a name of their own, so that tables add up. */
int frames_no_stack(struct frames *f, uint32_t *name)
{
	int rc;

	if (f->filters->focus || f->filters->show || f->filters->show_from)
		return 0;
	rc = names_add(f->names, STR("[no stack]"), (struct str){0}, (struct str){0}, name);
	return rc ? rc : 1;
}

static int push_no_stack(struct frames *f)
{
	uint32_t id;
	int rc = frames_no_stack(f, &id);

	if (rc <= 0)
		return rc;
	rc = vec_push(f->arena, &f->path, id);
	return rc ? rc : 1;
}

static int resolve_stack(struct frames *f, const uint32_t *ids, uint32_t n, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < n && !rc; i++)
		if (!f->locations[ids[i]].known)
			rc = frames_resolve(f, ids[i], e);
	return rc;
}

/* Return the innermost location that the profile's own filter keeps. */
static uint32_t first_kept(const struct frames *f, const uint32_t *ids, uint32_t n)
{
	bool found = false; /* a frame that is not dropped */

	for (uint32_t i = n; i-- > 0;) {
		const struct location_frames *l = &f->locations[ids[i]];

		if (!l->pruned && !l->prune_beneath)
			found = true;
		else if (found)
			return l->pruned ? i + 1 : i;
	}
	return 0;
}

int frames_of_stack(struct frames *f, uint32_t stack, struct err *e)
{
	uint32_t n, cut = UINT32_MAX; /* the outermost location that show_from matches */
	const uint32_t *ids = stack_of(f->batch, stack, &n);
	bool focus = !f->filters->focus;
	int rc = resolve_stack(f, ids, n, e);

	f->path.n = 0;
	if (rc)
		return rc;
	if (!n)
		return push_no_stack(f);

	uint32_t first = first_kept(f, ids, n);

	for (uint32_t i = first; i < n; i++) {
		struct location_frames *l = &f->locations[ids[i]];

		if (l->ignore)
			return 0;
		focus |= l->focus;
		if (l->keep_from)
			cut = i;
	}
	if (!focus || (f->filters->show_from && cut == UINT32_MAX))
		return 0;
	for (uint32_t i = first; i < n && i <= cut && !rc; i++) {
		struct location_frames *l = &f->locations[ids[i]];

		rc = push_path(f, l->names, i == cut ? l->keep_from : l->names.n);
	}
	return rc ? rc : f->path.n > 0;
}
