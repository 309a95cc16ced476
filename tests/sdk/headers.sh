#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The installed headers compile on their own, as C99 and as C++11 and later, without warnings.
. "$SOURCE_ROOT/tests/cli/lib.sh"
cat >a.c <<'END_C'
#include <varve/varve.h>
int main(void)
{
	struct varve_options o = {.service_name = "a", .cpu_hz = 100};
	VARVE_SPAN(span, "block");
	varve_span_set_int(span, "n", varve_start(&o));
	struct varve_attribute a[] = {varve_str("k", "v"), varve_int("n", 1), varve_double("d", 0.5), varve_bool("b", 1)};
	varve_add(varve_bind(varve_counter("c", "1", ""), a, 4), 1);
	varve_log_with(VARVE_INFO, "x", a, 4);
	return 0;
}
END_C
cat >a.cpp <<'END_CPP'
#include <varve/varve.hpp>
#include <utility>
int main()
{
	varve::span s("a");
	s.set("i", 1).set("b", true).set("d", 1.5).set("s", std::string("x")).set("t", "y").kind(VARVE_SPAN_SERVER).ok();
	varve::attached here(s.context());
	varve::span child("b", VARVE_SPAN_CLIENT, varve::context::current()), moved(std::move(child));
	moved.link(s.context()).event("e").error("no");
	moved.event("e", {{"k", "v"}, {"n", 1}}).exception(std::exception(), "e", {{"b", true}}).runtime();
	static const varve::counter orders("orders", "{order}", "Orders", {{"channel", std::string("web")}});
	orders.add();
	varve::up_down_counter("open").add(-1);
	varve::gauge("g").set(0.5);
	varve::histogram("h").record(1);
	varve::log(VARVE_WARN, "slow", {{"d", 0.5}});
	varve::baggage b = varve::baggage::parse("a=1").with("b", "2"), copied(b);
	varve::baggage_attached with_baggage(copied);
	int n = varve::inject([](const char *, const char *) {});
	varve::context c = varve::extract([](const char *) -> const char * { return nullptr; }, &b);
	auto read = [](varve::observation out) { out.set(0.5, {{"pool", "a"}}); };
	varve::observable<decltype(read)> pools(VARVE_GAUGE, "pools", "1", read);
	varve::label tenant("tenant", std::string("acme")), job("job", "nightly");
	varve::operation work(VARVE_CPU);
	work.stop();
	if (varve::should_profile() && varve::sampling_rate() > 0 && !varve::set_load(0.5) && c && copied)
		return n + (int)copied.get("a").size();
	return varve::context::parse("x") ? 1 : 0;
}
END_CPP
check() { # name compiler options...
	what=$1
	shift
	command -v "$1" >/dev/null || { report ok "$what # SKIP no $1" && return; }
	if "$@" -Wall -Wextra -Wpedantic -Werror -I"$SOURCE_ROOT/include" -fsyntax-only 2>err; then
		report ok "$what"
	else
		sed 's/^/# /' err
		report 'not ok' "$what"
	fi
}
check 'C99' cc -std=c99 a.c
check 'C17, clang' clang -std=c17 a.c
check 'C++11' g++ -std=c++11 a.cpp
check 'C++20' g++ -std=c++20 a.cpp
check 'C++17, clang' clang++ -std=c++17 a.cpp
finish
