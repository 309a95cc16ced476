#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve rules check and varve rules test, with the output and exit codes of promtool.
. "$SOURCE_ROOT/tests/cli/lib.sh"

cat >rules.yml <<'END'
groups:
  - name: example
    rules:
      - record: job:up:sum
        expr: sum by (job) (up)
      - alert: Down
        expr: up == 0
        for: 2m
        labels: {severity: page}
        annotations:
          summary: "Instance {{ $labels.instance }} down for {{ $value }}"
      - record: hist
        expr: histogram_count(sum(h))
END
cat >test.yml <<'END'
rule_files: ['*les.yml']
evaluation_interval: 1m
group_eval_order: [example]
tests:
  - name: one
    interval: 1m
    external_labels: {zone: west}
    external_url: http://example.com
    input_series:
      - {series: 'up{job="a",instance="x"}', values: '1 1 0x5 stale'}
      - {series: 'up{job="a",instance="y"}', values: '1+0x10'}
      - {series: 'h', values: '{{schema:1 sum:4 count:3 buckets:[1 2]}}+{{schema:1 sum:1 count:1 buckets:[1]}}x10'}
    alert_rule_test:
      - eval_time: 5m
        alertname: Down
        exp_alerts:
          - exp_labels: {job: a, instance: x, severity: page}
            exp_annotations: {summary: Instance x down for 0}
      - {eval_time: 3m, alertname: Down}
    promql_expr_test:
      - {expr: job:up:sum, eval_time: 4m, exp_samples: [{labels: 'job:up:sum{job="a"}', value: 1}]}
      - {expr: hist, eval_time: 2m, exp_samples: [{labels: hist, value: 5}]}
      - expr: h
        eval_time: 1m
        exp_samples: [{labels: h, histogram: '{{schema:1 sum:5 count:4 buckets:[2 2]}}'}]
      - {expr: 'up{instance="x"}', eval_time: 8m}
END
run rules check rules.yml
expect_out 'a correct file' 'Checking rules.yml
  SUCCESS: 3 rules found
'
run rules test test.yml
expect_out 'tests pass' 'Unit Testing:  test.yml
  SUCCESS
'
sed 's/down for 0/down for 1/; s/value: 1}/value: 2}/' test.yml >bad.yml
run rules test bad.yml test.yml
expect 'tests fail' 1 '^  FAILED:$' 'alertname: Down, time: 5m, $' '^    name: one,$' \
	'^              Annotations:\{summary="Instance x down for 1"\}$' \
	'^    expr: "job:up:sum", time: 4m,$' '^        exp: \{__name__="job:up:sum", job="a"\} 2E\+00$' \
	'^  SUCCESS$'
run rules test --json bad.yml
expect 'failures as JSON' 1 '^\{"files":\[\{"file":"bad.yml","failures":\["    name: one,'

printf 'groups:\n- name: a\n  rules:\n  - {record: b, expr: sum(, for: 5m}\n  - {alert: c, exr: up}\n' >wrong.yml
run rules check wrong.yml rules.yml
expect 'all errors are listed' 1 '^wrong.yml:4:23: group "a", rule 1, "b": could not parse expression' \
	'^wrong.yml:4:29: group "a", rule 1, "b": invalid field .for. in recording rule' \
	'^wrong.yml:5:16: group "a", rule 2, "c": unknown key "exr"; did you mean "expr"\?' '3 rules found'
run rules check --json wrong.yml
expect 'errors as JSON' 1 '"file":"wrong.yml","rules":0,"errors":\["wrong.yml:4:23: '
run rules check nothing.yml
expect 'a missing file' 1 'nothing.yml: No such file'
printf 'groups:\n- name: a\n  rules:\n  - {record: b, expr: up}\n  - {record: b, expr: up}\n' >double.yml
run rules check double.yml
expect 'duplicates' 0 '1 duplicate rule' 'Metric: b'
run rules check --lint-fatal double.yml
expect 'duplicates as an error' 1
sed 's/values: .1 1 0x5 stale./values: "1 x"/' test.yml >notation.yml
run rules test notation.yml
expect 'a wrong series' 1 '^notation.yml:10:9: .*column'
sed 's/interval: 1m/intervall: 1m/' test.yml >key.yml
run rules test key.yml
expect 'an unknown key' 1 'key.yml:2:1: .*"evaluation_intervall"; did you mean "evaluation_interval"'
run rules test rules.yml
expect 'a file that is not a test' 1 'unknown key "groups"'
run rules
expect 'usage' 2 'expected check or test'
run rules check
expect 'no files' 2 'missing argument'
finish
