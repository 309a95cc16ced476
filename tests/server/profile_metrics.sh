#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Profiles as metrics: PromQL over profiles that were pushed has the numbers of varve query top, in
# queries, lists and the terminal.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
trap 'kill "$SERVER" 2>/dev/null; rm -rf "$work"' EXIT

ask() { # query
	curl -gsf "$URL/prometheus/api/v1/query" --data-urlencode "query=$1" >out 2>err
	code=$?
}

start_server
printf 'main;parse 30\nmain;parse;parse 20\nmain;serve;parse 7\nmain;serve 5\n' >one.folded
printf 'main;parse 100\nmain;serve 1\n' >two.folded
run push one.folded --url "$URL" --service checkout --label service.version=v1 --time now-20m
expect 'a profile is stored' 0
run push two.folded --url "$URL" --service checkout --label service.version=v2 --time now-2m
expect 'and another one' 0
run query types checkout --url "$URL"
type=$(sed -n '1s/:.*//p' out)
curl -gsf "$URL/prometheus/api/v1/label/__name__/values" >out 2>err
code=$?
expect 'the metric is in the list of names' 0 '"profile_[a-z_]*"'
metric=$(sed -n 's/.*"\(profile_[a-z_]*\)".*/\1/p' out)
ask "sum by (function) (increase(${metric}{service=\"checkout\"}[1h]))"
expect 'self values' 0 '"function":"parse"\},"value":\[[0-9.]*,"157"' '"function":"serve"\},"value":\[[0-9.]*,"6"'
ask "sum by (function) (increase(${metric}{service=\"checkout\",scope=\"total\"}[1h]))"
expect 'total values' 0 '"function":"parse"\},"value":\[[0-9.]*,"157"' '"function":"serve"\},"value":\[[0-9.]*,"13"' '"function":"main"\},"value":\[[0-9.]*,"163"'
ask "sum by (version) (increase(${metric}{function=\"parse\"}[1h]))"
expect 'by version' 0 '"version":"v1"\},"value":\[[0-9.]*,"57"' '"version":"v2"\},"value":\[[0-9.]*,"100"'
ask "sum(increase(${metric}[10m])) / sum(increase(${metric}[10m] offset 15m))"
expect 'compared with an earlier time' 0 '\[[0-9.]*,"1.629'
ask "topk(1, sum by (function) (increase(${metric}[1h])))"
expect 'the largest function' 0 '"result":\[\{"metric":\{"function":"parse"\},"value":\[[0-9.]*,"157"\]\}\]'
run query promql --url "$URL" --instant "increase(${metric}{service=\"checkout\",function=\"serve\"}[10m])"
expect 'varve query promql' 0 '^ *1  .*function="serve"'
run query top checkout --url "$URL" --type "$type" -n 0
expect 'varve query top has the same numbers' 0 '157 .*157 .*parse' '6 .*13 .*serve'
curl -gsf "$URL/prometheus/api/v1/label/function/values?match[]=${metric}{service=\"checkout\"}" >out 2>err
code=$?
expect 'functions are listed' 0 '"data":\["parse","serve"\]'
curl -gsf "$URL/prometheus/api/v1/metadata?metric=$metric" >out 2>err
code=$?
expect 'the metric has a help text' 0 '"type":"counter","help":".* of profiles'
ask "profile_nothing_seconds{service=\"checkout\"}"
expect 'a metric that does not exist has no series' 0 '"result":\[\]'
run query promql --url "$URL" --instant "sum(${metric}x)"
expect 'a name that is nearly right has a suggestion' 0 "no profiles have the metric \"${metric}x\"; did you mean \"$metric\"\?"
expect_that 'the server ends' stop_server
finish
