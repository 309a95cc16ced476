/* SPDX-License-Identifier: Apache-2.0 */
#include "query/promql/profiles/promql_profile_frames.h"

#include "base/container/hash.h"

int profile_classes_init(struct profile_classes *c, const struct profile_plan *plan,
			 struct arena *a)
{
	*c = (struct profile_classes){.plan = plan, .arena = a};
	return idset_init(&c->index, a, 256);
}

/* Return the package as a label: "net/http" of "net/http.", "std" of "std::". */
static struct str package_of(struct str name)
{
	struct str package = names_package(name);

	while (package.n && (package.p[package.n - 1] == '.' || package.p[package.n - 1] == ':' ||
			     package.p[package.n - 1] == '/'))
		package.n--;
	return package;
}

static struct profile_class labels_of(const struct frame_name *name)
{
	return (struct profile_class){{
		[PROFILE_FUNCTION] = name->text,
		[PROFILE_PACKAGE] = package_of(name->text),
		[PROFILE_MODULE] = names_module(name->module),
		[PROFILE_FILE] = name->file,
	}};
}

/* Return whether the matchers of labels of functions hold: 1, 0 or -errno. */
static int matches_class(const struct profile_plan *p, const struct profile_class *c, struct err *e)
{
	for (uint32_t i = 0; i < p->select->matcher_count; i++) {
		const struct promql_matcher *m = &p->select->matchers[i];
		enum profile_frame_label label = profile_frame_label_find(m->name);
		int yes;

		if (label == PROFILE_FRAME_LABELS)
			continue;
		yes = promql_matches(m, c->labels[label], e);
		if (yes <= 0)
			return yes;
	}
	return 1;
}

static bool same_class(const struct profile_class *a, const struct profile_class *b)
{
	for (unsigned i = 0; i < PROFILE_FRAME_LABELS; i++)
		if (!str_eq(a->labels[i], b->labels[i]))
			return false;
	return true;
}

static int add_class(struct profile_classes *c, const struct profile_class *row, uint32_t hash,
		     struct err *e)
{
	struct profile_class copy;
	int rc = 0;

	if (c->rows.n == PROFILE_CLASSES_MAX)
		return err_set(e, -EDOM,
			       "%.*s: the selector has more than %d functions: add a matcher of "
			       "service, function, package, module or file, or sum up by a label",
			       STR_ARG(c->plan->metric), PROFILE_CLASSES_MAX);
	for (unsigned i = 0; i < PROFILE_FRAME_LABELS && !rc; i++)
		rc = arena_copy_str(c->arena, row->labels[i], &copy.labels[i]);
	if (!rc)
		rc = idset_add(&c->index, hash, c->rows.n);
	return rc ? rc : vec_push(c->arena, &c->rows, copy);
}

/* Set *out to the class of a function. */
static int class_of(struct profile_classes *c, const struct frame_name *name, uint32_t *out,
		    struct err *e)
{
	struct profile_class row = labels_of(name);
	uint64_t hash = 0;
	int rc = matches_class(c->plan, &row, e);

	*out = PROFILE_NO_CLASS;
	if (rc <= 0)
		return rc;
	for (unsigned i = 0; i < PROFILE_FRAME_LABELS; i++) {
		if (!c->plan->frame_needed[i])
			row.labels[i] = (struct str){0};
		hash = hash_u64(hash << 32 | hash32(row.labels[i]));
	}
	for (struct idset_cursor at = idset_seek(&c->index, (uint32_t)hash);
	     idset_next(&c->index, &at, out);)
		if (same_class(&c->rows.at[*out], &row))
			return 0;
	*out = c->rows.n;
	return add_class(c, &row, (uint32_t)hash, e);
}

int profile_frames_init(struct profile_frames *f, struct profile_classes *classes,
			const struct stack_tree *tree, struct budget *budget)
{
	const struct profile_plan *p = classes->plan;
	bool by_file = p->frame_needed[PROFILE_FILE] || p->frame_matched[PROFILE_FILE];
	enum group_by group = by_file ? GROUP_FILE_FUNCTION : GROUP_FUNCTION;
	int rc;

	*f = (struct profile_frames){.classes = classes, .tree = tree};
	arena_init(&f->arena, budget);
	rc = names_init(&f->names, &f->arena, frames_key(group));
	if (!rc)
		rc = frames_init(&f->frames, &tree->dictionary, &f->filters, group, &f->names,
				 &f->arena);
	return rc;
}

void profile_frames_fini(struct profile_frames *f)
{
	arena_fini(&f->arena);
}

int profile_frames_extend(struct profile_frames *f)
{
	return frames_extend(&f->frames);
}

/* Extend a zeroed array to n elements, and by half more. */
static int extend(struct arena *a, void **at, uint32_t *cap, uint32_t n, size_t size)
{
	char *grown;

	if (n <= *cap)
		return 0;
	n += n / 2;
	grown = arena_resize(a, *at, *cap, n, size);
	if (!grown)
		return -ENOMEM;
	memset(grown + *cap * size, 0, (n - *cap) * size);
	*at = grown;
	*cap = n;
	return 0;
}

static int class_of_name(struct profile_frames *f, uint32_t name, uint32_t *out, struct err *e)
{
	int rc = extend(&f->arena, (void **)&f->of_name, &f->of_name_n, name + 1,
			sizeof(*f->of_name));

	if (rc)
		return rc;
	if (!f->of_name[name]) {
		rc = class_of(f->classes, &f->names.rows.at[name], out, e);
		if (rc)
			return rc;
		f->of_name[name] = *out == PROFILE_NO_CLASS ? PROFILE_NO_CLASS : *out + 1;
	}
	*out = f->of_name[name] == PROFILE_NO_CLASS ? PROFILE_NO_CLASS : f->of_name[name] - 1;
	return 0;
}

static int class_of_no_stack(struct profile_frames *f, uint32_t *out, struct err *e)
{
	uint32_t name;
	int rc = f->no_stack ? 1 : frames_no_stack(&f->frames, &name);

	if (rc < 0)
		return rc;
	if (!f->no_stack)
		f->no_stack = name + 1;
	return class_of_name(f, f->no_stack - 1, out, e);
}

int profile_frames_self(struct profile_frames *f, uint32_t node, uint32_t *out, struct err *e)
{
	for (; node; node = f->tree->nodes.at[node].parent) {
		const struct location_frames *l;
		int rc = frames_of_location(&f->frames, f->tree->nodes.at[node].location, &l, e);

		if (rc)
			return rc;
		if (l->names.n)
			return class_of_name(f, f->frames.pool.at[l->names.at], out, e);
	}
	return class_of_no_stack(f, out, e);
}

/* Visit the class of a name unless it was met on this stack. */
static int visit_name(struct profile_frames *f, uint32_t name, profile_visit_class *visit,
		      void *ctx, struct err *e)
{
	uint32_t class;
	int rc = class_of_name(f, name, &class, e);

	if (rc || class == PROFILE_NO_CLASS)
		return rc;
	rc = extend(&f->arena, (void **)&f->met, &f->met_n, class + 1, sizeof(*f->met));
	if (rc || f->met[class] == f->stacks)
		return rc;
	f->met[class] = f->stacks;
	return visit(ctx, class);
}

int profile_frames_each(struct profile_frames *f, uint32_t node, profile_visit_class *visit,
			void *ctx, struct err *e)
{
	uint32_t class;
	int rc = 0;

	f->stacks++;
	if (!node) {
		rc = class_of_no_stack(f, &class, e);
		return rc || class == PROFILE_NO_CLASS ? rc : visit(ctx, class);
	}
	for (; node && !rc; node = f->tree->nodes.at[node].parent) {
		const struct location_frames *l;

		rc = frames_of_location(&f->frames, f->tree->nodes.at[node].location, &l, e);
		for (uint32_t i = 0; !rc && i < l->names.n; i++)
			rc = visit_name(f, f->frames.pool.at[l->names.at + i], visit, ctx, e);
	}
	return rc;
}
