/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_VARVE_HPP
#define VARVE_VARVE_HPP

/*
 * varve.h for C++ (11 and later): spans, contexts, baggage and profiles that end with their scope,
 * metrics and logs.
 *
 *     varve::span s("process-order");
 *     s.set("order.id", id).set("items", 3);
 *     if (!ok) s.error("no stock");
 *
 *     static const varve::counter orders("shop.orders", "{order}", "Orders", {{"channel", "web"}});
 *     orders.add(1);
 *     varve::log(VARVE_WARN, "slow", {{"items", 3}});
 *
 * Nothing here throws or, except for baggage::get(), allocates.
 */

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <string>
#ifdef __GXX_RTTI
#include <typeinfo>
#include <utility>
#endif

#include "varve/varve.h"

namespace varve
{

/* An attribute: {"key", value}. It borrows its strings. */
struct attribute : ::varve_attribute {
	attribute(const char *key, const char *v) noexcept : ::varve_attribute(varve_str(key, v))
	{
	}
	attribute(const char *key, const std::string &v) noexcept
	    : ::varve_attribute(varve_str(key, v.c_str()))
	{
	}
	attribute(const char *key, bool v) noexcept : ::varve_attribute(varve_bool(key, v))
	{
	}
	attribute(const char *key, double v) noexcept : ::varve_attribute(varve_double(key, v))
	{
	}
	attribute(const char *key, std::int64_t v) noexcept : ::varve_attribute(varve_int(key, v))
	{
	}
	attribute(const char *key, int v) noexcept : ::varve_attribute(varve_int(key, v))
	{
	}
};
using attributes = std::initializer_list<attribute>;
static_assert(sizeof(attribute) == sizeof(::varve_attribute),
	      "an array of one is an array of both");

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
	span &event(const char *name, attributes a) noexcept
	{
		varve_span_add_event_with(s_, name, a.begin(), a.size());
		return *this;
	}
	/* Record an exception as an event; the status is set by error(). */
	span &exception(const std::exception &e, const char *type = nullptr,
			attributes a = {}) noexcept
	{
#ifdef __GXX_RTTI
		type = type ? type : typeid(e).name();
#endif
		varve_span_record_exception(s_, type, e.what(), nullptr, a.begin(), a.size());
		return *this;
	}
	/* Set runtime.heap_alloc, runtime.heap_objects and runtime.threads. */
	span &runtime() noexcept
	{
		varve_span_set_runtime(s_);
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

/* Baggage: a counted reference, which may be passed to other threads. */
class baggage
{
	::varve_baggage *b_ = nullptr;

	explicit baggage(::varve_baggage *owned) noexcept : b_(owned)
	{
	}

      public:
	baggage() = default;
	baggage(const baggage &other) noexcept : b_(varve_baggage_ref(other.b_))
	{
	}
	baggage(baggage &&other) noexcept : b_(other.b_)
	{
		other.b_ = nullptr;
	}
	baggage &operator=(baggage other) noexcept
	{
		::varve_baggage *b = b_;

		b_ = other.b_;
		other.b_ = b;
		return *this;
	}
	~baggage()
	{
		varve_baggage_release(b_);
	}
	static baggage parse(const char *header) noexcept
	{
		return baggage(varve_baggage_parse(header));
	}
	static baggage current() noexcept
	{
		return baggage(varve_baggage_current());
	}
	/* Take ownership of a reference, such as that of varve_extract(). */
	static baggage adopt(::varve_baggage *owned) noexcept
	{
		return baggage(owned);
	}
	/* Return a copy with this entry; a null value removes it. */
	baggage with(const char *key, const char *value) const noexcept
	{
		return baggage(varve_baggage_with(b_, key, value));
	}
	/* Return the decoded value, or "" if there is none. Allocates, and may throw bad_alloc. */
	std::string get(const char *key) const
	{
		std::string value(VARVE_BAGGAGE_SIZE, '\0');
		int n = varve_baggage_get(b_, key, &value[0], value.size());

		value.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
		return value;
	}
	explicit operator bool() const noexcept
	{
		return b_ != nullptr;
	}
	::varve_baggage *get() const noexcept
	{
		return b_;
	}
};

/* Makes baggage current on this thread during the lifetime of this object. */
class baggage_attached
{
	::varve_baggage *previous_;

      public:
	explicit baggage_attached(const baggage &b) noexcept
	{
		varve_baggage_attach(b.get(), &previous_);
	}
	baggage_attached(const baggage_attached &) = delete;
	baggage_attached &operator=(const baggage_attached &) = delete;
	~baggage_attached()
	{
		varve_baggage_detach(previous_);
	}
};

/* Call set(name, value) with each header that passes the current span and baggage on. */
template <typename F> int inject(F set)
{
	return varve_inject([](void *arg, const char *name,
			       const char *value) { (*static_cast<F *>(arg))(name, value); },
			    &set);
}

/* Read a context and, unless null, baggage; get(name) returns a header's value or nullptr. */
template <typename F> context extract(F get, baggage *b = nullptr)
{
	::varve_context c{};
	::varve_baggage *found = nullptr;

	varve_extract(
		&c, b ? &found : nullptr,
		[](void *arg, const char *name) -> const char * {
			return (*static_cast<F *>(arg))(name);
		},
		&get);
	if (b)
		*b = baggage::adopt(found);
	return context(c);
}

/*
 * A series of an instrument, bound when it is made. Copies are of the same series; all are usable
 * on any thread, as long as the process runs.
 */
class series
{
      protected:
	::varve_series *s_;

	series(::varve_instrument *i, attributes a) noexcept
	    : s_(varve_bind(i, a.begin(), a.size()))
	{
	}

      public:
	explicit operator bool() const noexcept
	{
		return s_ != nullptr;
	}
};

class counter : public series
{
      public:
	explicit counter(const char *name, const char *unit = nullptr,
			 const char *description = nullptr, attributes a = {}) noexcept
	    : series(varve_counter(name, unit, description), a)
	{
	}
	void add(std::int64_t value = 1) const noexcept
	{
		varve_add(s_, value);
	}
};

class up_down_counter : public series
{
      public:
	explicit up_down_counter(const char *name, const char *unit = nullptr,
				 const char *description = nullptr, attributes a = {}) noexcept
	    : series(varve_up_down_counter(name, unit, description), a)
	{
	}
	void add(std::int64_t value) const noexcept
	{
		varve_add(s_, value);
	}
};

class gauge : public series
{
      public:
	explicit gauge(const char *name, const char *unit = nullptr,
		       const char *description = nullptr, attributes a = {}) noexcept
	    : series(varve_gauge(name, unit, description), a)
	{
	}
	void set(double value) const noexcept
	{
		varve_set(s_, value);
	}
};

class histogram : public series
{
      public:
	explicit histogram(const char *name, const char *unit = nullptr,
			   const char *description = nullptr, attributes a = {}) noexcept
	    : series(varve_histogram(name, unit, description), a)
	{
	}
	/* With other bounds, exponential, ...: an instrument made by varve_instrument_new(). */
	explicit histogram(::varve_instrument *i, attributes a = {}) noexcept : series(i, a)
	{
	}
	void record(double value) const noexcept
	{
		varve_record(s_, value);
	}
};

/* The output of an observable instrument's function. */
class observation
{
	::varve_observation *out_;

      public:
	explicit observation(::varve_observation *out) noexcept : out_(out)
	{
	}
	/* Set the value of a series; for a counter its total since the start. */
	void set(double value, attributes a = {}) const noexcept
	{
		varve_observe(out_, value, a.begin(), a.size());
	}
};

/*
 * Calls f(observation) before each export and scrape, on a thread of the library, until this object
 * ends. `kind` is a counter, an up-down counter or a gauge; f must not throw.
 */
template <class Function> class observable
{
	Function f_;
	::varve_instrument *i_;

	static void call(void *self, ::varve_observation *out) noexcept
	{
		static_cast<observable *>(self)->f_(observation(out));
	}

      public:
	observable(enum varve_instrument_kind kind, const char *name, const char *unit, Function f)
	    : f_(std::move(f)), i_(nullptr)
	{
		::varve_instrument_options o = ::varve_instrument_options();

		o.kind = kind;
		o.name = name;
		o.unit = unit;
		o.real = 1;
		o.observe = call;
		o.arg = this;
		i_ = varve_instrument_new(&o);
	}
	observable(const observable &) = delete;
	observable &operator=(const observable &) = delete;
	~observable()
	{
		if (i_)
			varve_instrument_unobserve(i_);
	}
	explicit operator bool() const noexcept
	{
		return i_ != nullptr;
	}
};

/* Sets a label of this thread's samples, and removes it at the end of the block. */
class label
{
	std::string key_;

      public:
	label(const char *key, const char *value) : key_(key)
	{
		(void)varve_label(key, value);
	}
	label(const char *key, const std::string &value) : label(key, value.c_str())
	{
	}
	label(const label &) = delete;
	label &operator=(const label &) = delete;
	~label()
	{
		(void)varve_label(key_.c_str(), nullptr);
	}
};

/* Log a message with the ids of the current span. */
inline int log(enum varve_severity severity, const char *message, attributes a = {}) noexcept
{
	return varve_log_with(severity, message, a.begin(), a.size());
}

inline int log(enum varve_severity severity, const std::string &message, attributes a = {}) noexcept
{
	return log(severity, message.c_str(), a);
}

/* Profiles a piece of work: ends with this object, if stop() did not end it before. */
class operation
{
	::varve_operation *o_;

      public:
	explicit operation(enum varve_profile kind, enum varve_scope scope = VARVE_THIS_THREAD,
			   const char *path = nullptr) noexcept
	    : o_(varve_profile_start(kind, scope, path))
	{
	}
	operation(const operation &) = delete;
	operation &operator=(const operation &) = delete;
	~operation()
	{
		stop();
	}
	explicit operator bool() const noexcept
	{
		return o_ != nullptr;
	}
	/* End it. *pprof is freed with varve_free(); null: only the file is written. */
	int stop(void **pprof = nullptr, std::size_t *size = nullptr) noexcept
	{
		::varve_operation *o = o_;

		o_ = nullptr;
		return varve_profile_stop(o, pprof, size);
	}
};

inline double sampling_rate() noexcept
{
	return varve_sampling_rate();
}

inline bool should_profile() noexcept
{
	return varve_should_profile() != 0;
}

inline int set_load(double load) noexcept
{
	return varve_set_load(load);
}

} // namespace varve

#endif
