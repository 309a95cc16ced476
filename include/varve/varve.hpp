/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_VARVE_HPP
#define VARVE_VARVE_HPP

/*
 * varve.h for C++ (11 and later): spans and contexts that end with their scope.
 *
 *     varve::span s("process-order");
 *     s.set("order.id", id).set("items", 3);
 *     if (!ok) s.error("no stock");
 *
 * Nothing here throws or allocates.
 */

#include <cstdint>
#include <string>

#include "varve/varve.h"

namespace varve
{

/* A context by value; converts to false when it is "none". */
class context
{
	::varve_context c_{};

public:
	context() = default;
	explicit context(const ::varve_context &c) : c_(c)
	{
	}
	/* Return what is current on this thread. */
	static context current() noexcept
	{
		context c;
		varve_context_current(&c.c_);
		return c;
	}
	static context parse(const char *traceparent, const char *tracestate = nullptr) noexcept
	{
		context c;
		varve_context_parse(&c.c_, traceparent, tracestate);
		return c;
	}
	explicit operator bool() const noexcept
	{
		for (auto b : c_.span_id)
			if (b)
				return true;
		return false;
	}
	const ::varve_context &get() const noexcept
	{
		return c_;
	}
};

/* A span that ends with this object, if not before. May be moved, also to another thread. */
class span
{
	::varve_span *s_;

public:
	explicit span(const char *name, const char *traceparent = nullptr) noexcept
	    : s_(varve_span_start(name, traceparent))
	{
	}
	span(const char *name, enum varve_span_kind kind, const context &parent) noexcept
	    : s_(varve_span_start_with(name, kind, parent ? &parent.get() : nullptr))
	{
	}
	span(const span &) = delete;
	span &operator=(const span &) = delete;
	span(span &&other) noexcept : s_(other.s_)
	{
		other.s_ = nullptr;
	}
	span &operator=(span &&other) noexcept
	{
		if (this != &other) {
			end();
			s_ = other.s_;
			other.s_ = nullptr;
		}
		return *this;
	}
	~span()
	{
		end();
	}
	void end() noexcept
	{
		varve_span_end(s_);
		s_ = nullptr;
	}
	span &set(const char *key, const char *value) noexcept
	{
		varve_span_set_str(s_, key, value);
		return *this;
	}
	span &set(const char *key, const std::string &value) noexcept
	{
		return set(key, value.c_str());
	}
	span &set(const char *key, bool value) noexcept
	{
		varve_span_set_bool(s_, key, value);
		return *this;
	}
	span &set(const char *key, double value) noexcept
	{
		varve_span_set_double(s_, key, value);
		return *this;
	}
	span &set(const char *key, std::int64_t value) noexcept
	{
		varve_span_set_int(s_, key, value);
		return *this;
	}
	span &set(const char *key, int value) noexcept
	{
		return set(key, static_cast<std::int64_t>(value));
	}
	span &kind(enum varve_span_kind k) noexcept
	{
		varve_span_set_kind(s_, k);
		return *this;
	}
	span &ok() noexcept
	{
		varve_span_set_ok(s_);
		return *this;
	}
	span &error(const char *message) noexcept
	{
		varve_span_set_error(s_, message);
		return *this;
	}
	span &event(const char *name) noexcept
	{
		varve_span_add_event(s_, name);
		return *this;
	}
	span &link(const context &to) noexcept
	{
		varve_span_add_link(s_, &to.get());
		return *this;
	}
	varve::context context() const noexcept
	{
		::varve_context c{};
		varve_context_of(s_, &c);
		return varve::context(c);
	}
};

/*
 * Makes a context current on this thread during the lifetime of this object, for example in a task
 * of a queue.
 */
class attached
{
	::varve_context previous_;

public:
	explicit attached(const context &c) noexcept
	{
		varve_context_attach(&c.get(), &previous_);
	}
	attached(const attached &) = delete;
	attached &operator=(const attached &) = delete;
	~attached()
	{
		varve_context_detach(&previous_);
	}
};

} // namespace varve

#endif
