#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prometheus' promtool and varve rules: the same verdict on rule files, and the same output of unit
# tests.
set -eu
command -v promtool >/dev/null || {
	echo "no promtool"
	exit 77
}
cd "$SCRATCH"
failed=0

# check NAME: both tools accept rules.yml, or both refuse it
check() {
	ours=0 theirs=0
	"$VARVE" rules check rules.yml >ours.out 2>&1 || ours=1
	promtool check rules rules.yml >theirs.out 2>&1 || theirs=1
	[ $ours = $theirs ] || {
		echo "$1: varve $ours, promtool $theirs"
		cat rules.yml ours.out theirs.out
		failed=1
	}
}
rule() { # YAML of one rule
	printf 'groups:\n- name: g\n  rules:\n  - %s\n' "$1" >rules.yml
	check "$1"
}
file() { # YAML
	printf '%b' "$1" >rules.yml
	check "$1"
}

rule '{record: a, expr: up}'
rule '{record: "a:b", expr: "sum(up)", labels: {x: y}}'
rule '{record: a}'
rule '{expr: up}'
rule '{record: a, alert: b, expr: up}'
rule '{record: a, expr: "sum("}'
rule '{record: a, expr: up, for: 5m}'
rule '{record: a, expr: up, annotations: {a: b}}'
rule '{record: "a{b}", expr: up}'
rule '{record: a, expr: up, labels: {__name__: b}}'
rule '{record: a, expr: up, nope: 1}'
rule '{alert: a, expr: up, for: 5m, keep_firing_for: 1h, labels: {a: "{{ $value }}"}}'
rule '{alert: a, expr: up, for: 5x}'
rule '{alert: a, expr: up, for: -5m}'
rule '{alert: a, expr: up, for: 0}'
rule '{alert: a, expr: up, annotations: {a: "{{ $labels.x | humanize }}"}}'
rule '{alert: a, expr: up, annotations: {a: "{{ $nope }}"}}'
rule '{alert: a, expr: up, annotations: {a: "{{ if }}"}}'
rule '{alert: a, expr: up, annotations: {a: "{{ nope 1 }}"}}'
rule '{alert: a, expr: up, annotations: {a: "{{ range query \"up\" }}{{ .Labels.job }}{{ end }}"}}'
rule '{alert: a, expr: up, annotations: {a: "{{ end }}"}}'
rule '{alert: "with spaces", expr: "up == 0 unless on(x) y"}'
rule '{alert: a, expr: "up[5m]"}'
rule '{alert: a, expr: 1}'
file ''
file 'groups:\n'
file 'groups: []\n'
file 'group: []\n'
file 'groups:\n- name: a\n- name: a\n'
file 'groups:\n- name: ""\n'
file 'groups:\n- name: a\n  interval: 5m\n  limit: 3\n  rules: []\n'
file 'groups:\n- name: a\n  interval: x\n'
file 'groups:\n- name: a\n  nope: x\n'
file 'groups:\n- name: a\n  rules:\n  - record: a\n    expr: |\n      sum by (x) (\n        up)\n'
file 'groups: [\n'

# both tools have the same output and exit code for these tests
compare() { # NAME, with rules.yml and test.yml
	ours=0 theirs=0
	"$VARVE" rules test test.yml >ours.out 2>ours.err || ours=$?
	promtool test rules test.yml >theirs.out 2>theirs.err || theirs=$?
	if [ $ours != $theirs ] || ! cmp -s ours.out theirs.out || ! cmp -s ours.err theirs.err; then
		echo "$1: varve $ours, promtool $theirs"
		diff ours.out theirs.out || true
		diff ours.err theirs.err || true
		failed=1
	fi
}
cat >rules.yml <<'END'
groups:
  - name: one
    rules:
      - record: job:requests:rate5m
        expr: sum by (job) (rate(requests_total[5m]))
      - alert: Slow
        expr: job:requests:rate5m < 1
        for: 3m
        keep_firing_for: 2m
        labels: {severity: '{{ if lt $value 0.5 }}page{{ else }}ticket{{ end }}'}
        annotations:
          text: '{{ $labels.job }} has {{ $value | humanize }}/s, {{ $externalLabels.zone }}'
          all: '{{ range query "sum by (instance) (requests_total)" | sortByLabel "instance" }}{{ .Labels.instance }}={{ .Value }} {{ end }}'
          url: '{{ $externalURL }}'
  - name: two
    rules:
      - alert: Absent
        expr: absent(nothing)
      - record: twice
        expr: job:requests:rate5m * 2
        labels: {a: b}
END
cat >test.yml <<'END'
rule_files: [rules.yml]
evaluation_interval: 30s
group_eval_order: [one, two]
tests:
  - name: first
    interval: 1m
    external_labels: {zone: west}
    external_url: http://example.com/x
    input_series:
      - {series: 'requests_total{job="a",instance="1"}', values: '0+120x10 1200x10'}
      - {series: 'requests_total{job="a",instance="2"}', values: '0+60x10 _x5 stale'}
      - {series: 'requests_total{job="b",instance="1"}', values: '0+3x20'}
    alert_rule_test:
      - {eval_time: 2m, alertname: Slow}
      - {eval_time: 4m15s, alertname: Slow, exp_alerts: [{exp_labels: {job: b, severity: page}, exp_annotations: {text: wrong}}]}
      - {eval_time: 20m, alertname: Slow}
      - {eval_time: 0m, alertname: Absent, exp_alerts: [{}]}
      - {eval_time: 5m, alertname: Unknown}
    promql_expr_test:
      - {expr: 'twice', eval_time: 8m, exp_samples: [{labels: 'twice{a="b",job="a"}', value: 6}, {labels: 'twice{a="b",job="b"}', value: 0.1}]}
      - {expr: 'twice', eval_time: 8m, exp_samples: [{labels: 'twice{a="b",job="a"}', value: 6.0000000000001}]}
      - {expr: 'count(ALERTS) by (alertname, alertstate)', eval_time: 6m}
      - {expr: 'ALERTS_FOR_STATE', eval_time: 6m}
      - {expr: 'requests_total{instance="2"}', eval_time: 16m}
      - {expr: '1 + 1', eval_time: 1m, exp_samples: [{value: 2}]}
      - {expr: 'nothing / 0', eval_time: 1m}
      - {expr: 'vector(1) / 0', eval_time: 1m, exp_samples: [{labels: '{}', value: 1}]}
  - interval: 5s
    input_series:
      - {series: 'requests_total{job="c"}', values: '1-1x3 NaN -Inf 5'}
    promql_expr_test:
      - {expr: 'requests_total', eval_time: 5s, exp_samples: [{labels: 'requests_total{job="c"}', value: 0}]}
      - {expr: 'requests_total', eval_time: 20s, exp_samples: [{labels: 'requests_total{job="c"}', value: .nan}]}
      - {expr: 'requests_total', eval_time: 25s, exp_samples: [{labels: 'requests_total{job="c"}', value: -.inf}]}
END
compare 'all kinds of tests'
sed -n '/^rule_files/,/^    external_url/p' test.yml >first.yml
cp first.yml test.yml
compare 'no cases'
sed -i 's/zone: west/zone: 1/; s/^evaluation_interval.*/evaluation_interval: 0s/' test.yml
compare 'the interval is 0'
exit $failed
