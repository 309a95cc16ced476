#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Recording and alerting rules of a running server: results, the API, a crash, reloads, bad files.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"

get() {
	curl -gsS "$URL/prometheus/api/v1/$1" >out 2>err
	code=$?
}
# wait_for PATH REGEX: until the answer has it
wait_for() {
	tries=200
	while get "$1" && ! grep -Eq -e "$2" out; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}
# wait_log REGEX
wait_log() {
	tries=200
	while ! grep -Eq -e "$1" "$SCRATCH/server.log"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}
value() { # metric regex: print its value
	curl -gsS "$URL/metrics" | sed -n "s/^$1 //p"
}

mkdir -p data/rules
cat >data/rules/main.yml <<'END'
groups:
  - name: main
    interval: 1s
    labels: {team: base}
    rules:
      - record: one
        expr: vector(1)
      - record: two
        expr: sum(one) + 1
      - alert: Always
        expr: two > 1
        for: 2s
        annotations: {summary: "it is {{ $value }} in {{ $externalLabels.zone }}"}
      - alert: Never
        expr: two > 5
      - record: broken
        expr: one / on(nothing) group_left(a) (one or label_replace(one, "b", "c", "", ""))
  - name: slow
    rules:
      - {record: rare, expr: one}
END
# alerts whose "for" is short are restored only without the grace period
GRACE='--set service.rules.for_grace_period=0s --set service.rules.external_labels.zone=west'
# shellcheck disable=SC2086
start_server $GRACE
wait_for 'query?query=ALERTS{alertstate="firing"}' '"alertname":"Always"'
expect 'an alert fires' 0 '"team":"base"'
get 'query?query=two'
expect 'a rule reads the result of an earlier one' 0 '"metric":\{"__name__":"two","team":"base"\},"value":\[[0-9.]*,"2"\]'
get rules
expect 'the rules are listed' 0 '"name":"main","file":"[^"]*main.yml"' '"query":"sum\(one\) \+ 1"' \
	'"state":"firing","name":"Always".*"duration":2,.*"health":"ok".*"type":"alerting"' \
	'"name":"broken".*"health":"err","lastError":"found duplicate series' '"name":"slow".*"interval":60'
expect_that 'alerts have texts' grep -q '"annotations":{"summary":"it is 2 in west"},"state":"firing"' out
get 'rules?type=record&rule_name[]=two'
expect_that 'rules are filtered' sh -c 'grep -q "\"name\":\"two\"" out && ! grep -q Always out && ! grep -q slow out'
get 'rules?exclude_alerts=true&rule_group[]=main&match[]={team="base"}'
expect_that 'alerts are left out' sh -c 'grep -q "\"alerts\":\[\]" out && ! grep -q activeAt out'
get 'rules?match[]={team="other"}'
expect_that 'labels are matched' grep -q '"groups":\[\]' out
get 'rules?group_limit=1'
expect 'a page' 0 '"name":"main".*"groupNextToken":"[0-9a-f]+"'
token=$(sed 's/.*groupNextToken":"\([0-9a-f]*\).*/\1/' out)
get "rules?group_limit=1&group_next_token=$token"
expect_that 'the next page is the last' sh -c 'grep -q "\"name\":\"slow\"" out && ! grep -q groupNextToken out'
get 'rules?group_next_token=1'
expect 'a token needs a limit' 0 'group_limit needs to be present'
get 'rules?type=x'
expect 'an unknown type' 0 '"errorType":"bad_data","error":"invalid parameter'
curl -gsS "$URL/api/v1/alerts" >out 2>err
expect 'alerts are listed' 0 '"labels":\{"alertname":"Always","team":"base"\}.*"value":"2e\+00"'
active=$(sed 's/.*"activeAt":"\([^"]*\)".*/\1/' out)
expect_that 'evaluations are counted' test "$(value 'prometheus_rule_evaluations_total.*main"}')" -gt 5
expect_that 'failures are counted' test "$(value 'prometheus_rule_evaluation_failures_total.*main"}')" -gt 1

# after a crash the alert goes on
expect_that 'the server is killed' stop_server KILL
# shellcheck disable=SC2086
start_server $GRACE
wait_for alerts '"state":"firing"'
expect 'the alert fires again' 0 "\"activeAt\":\"$(echo "$active" | sed 's/\..*//')\.000Z\""

# a file that is wrong is reported, and the rules before go on
cat >data/rules/more.yml <<'END'
groups:
  - name: more
    rulez: []
END
expect_that 'a bad file is reported' wait_log 'old rules go on.*more.yml:3:5: .*unknown key.*did you mean'
get rules
expect 'the old rules go on' 0 '"name":"main".*"lastEvaluation":"20'
expect_that 'it is counted' test "$(value varve_rules_last_load_successful)" = 0
cat >data/rules/more.yml <<'END'
groups:
  - name: more
    interval: 1s
    rules:
      - {record: extra, expr: one * 7}
END
expect_that 'a new file is used' wait_for 'query?query=extra' '"7"'
get alerts
expect 'the state of alerts is kept' 0 "\"activeAt\":\"$(echo "$active" | sed 's/\..*//')\.000Z\""
rm data/rules/more.yml
kill -HUP "$SERVER"
expect_that 'its series end' wait_for 'query?query=extra' '"result":\[\]'
expect_that 'the server stops' stop_server

# a wrong file at the start is an error
echo 'groups: [{name: a, rules: [{record: b, expr: "sum("}]}]' >wrong.yml
run up --data data2 --listen 127.0.0.1:0 --otlp-grpc 127.0.0.1:0 --otlp-http 127.0.0.1:0 --rules wrong.yml
expect 'a wrong file at the start' 2 'wrong.yml:1:47: group "a", rule 1, "b": could not parse expression: 1:5'
printf 'receivers: {otlp: {protocols: {http: }}}\nexporters: {store: }\nservice:\n  rules: {file: [a]}\n  pipelines: {metrics: {receivers: [otlp], exporters: [store]}}\n' >c.yaml
run config check c.yaml
expect 'an unknown setting' 2 'c.yaml:4:11: service rules: unknown option "file"; did you mean "files"'
run config help rules
expect 'settings are listed' 0 evaluation_interval for_grace_period alertmanagers
finish
