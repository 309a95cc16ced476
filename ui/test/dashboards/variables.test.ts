// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {
  allValues,
  chosenValues,
  filteredOptions,
  substitute,
  substituteText,
  urlOfValues,
  valuesOfUrl,
} from "../../src/dashboards/variables";
import { test } from "../tap";

test("variables: values are quoted for strings and for regular expressions", () => {
  const one = { job: ["a.b"], q: ['x"y\\'] };
  const cases: [string, Record<string, string[]>, string][] = [
    ['up{job="$job"}', one, 'up{job="a.b"}'],
    ['up{job=~"$job"}', one, 'up{job=~"a\\\\.b"}'],
    ['up{job=~"$job|c"}', one, 'up{job=~"a\\\\.b|c"}'],
    ["up{job=~'${job}'}", one, "up{job=~'a\\\\.b'}"],
    ['up{job=~"${job:regex}"}', one, 'up{job=~"a\\\\.b"}'],
    ['up{q="$q"}', one, 'up{q="x\\"y\\\\"}'],
    ['up{q="z-$q"}', one, 'up{q="z-x\\"y\\\\"}'],
    // several values, and all of them
    ['up{job="$job"}', { job: ["a", "b"] }, 'up{job=~"(a|b)"}'],
    ['up{job!="$job"}', { job: ["a", "b"] }, 'up{job!~"(a|b)"}'],
    ['up{job=~"$job"}', { job: ["a", "b"] }, 'up{job=~"(a|b)"}'],
    ['up{job="$job"}', { job: [allValues] }, 'up{job=~".*"}'],
    ['up{job=~"x-$job"}', { job: [allValues] }, 'up{job=~"x-.*"}'],
    ['up{job="$job"}', { job: [] }, 'up{job=~"()"}'],
    // outside of strings
    ["topk($n, up[$step])", { n: ["5"], step: ["1m"] }, "topk(5, up[1m])"],
    ["$unknown + $job", { job: ["a"] }, "$unknown + a"],
    // TraceQL and selectors of profiles
    [
      '{ resource.service.name = "$job" }',
      { job: ["a", "b"] },
      '{ resource.service.name =~ "(a|b)" }',
    ],
    ['{service_name="$job"}', { job: ["a"] }, '{service_name="a"}'],
  ];
  for (const [query, values, expected] of cases)
    assert.equal(substitute(query, values), expected, query);
});

test("variables: a value cannot end the string it is in", () => {
  const values = { v: ['"} or up{a="'] };
  assert.equal(substitute('x{a="$v"}', values), 'x{a="\\"} or up{a=\\""}');
  assert.equal(substitute('x{a=~"$v"}', values), 'x{a=~"\\"\\\\} or up\\\\{a=\\""}');
  assert.equal(substitute("x{a=`$v`}", { v: ["`b"] }), "x{a=`b`}");
});

test("variables: texts show the values", () => {
  assert.equal(substituteText("CPU of $job", { job: ["a", "b"] }), "CPU of a, b");
  assert.equal(substituteText("CPU of $job", { job: [allValues] }), "CPU of all");
});

test("variables: the address has the chosen values", () => {
  const values = valuesOfUrl(["a=1", "a=2=3", "b=", "bad"]);
  assert.deepEqual(values, { a: ["1", "2=3"], b: [""] });
  assert.deepEqual(urlOfValues(values), ["a=1", "a=2=3", "b="]);
});

test("variables: initial values are those of the document, all, or the first", () => {
  const variable = { name: "a", type: "list" } as const;
  assert.deepEqual(chosenValues(variable, {}, ["x", "y"]), ["x"]);
  assert.deepEqual(chosenValues({ ...variable, all: true }, {}, ["x", "y"]), [allValues]);
  assert.deepEqual(chosenValues({ ...variable, value: ["y"] }, {}, ["x", "y"]), ["y"]);
  assert.deepEqual(chosenValues(variable, { a: ["z", "w"] }, ["x"]), ["z"]);
  assert.deepEqual(
    chosenValues({ ...variable, multi: true }, { a: ["z", "w"] }, ["x"]),
    ["z", "w"],
  );
  assert.deepEqual(chosenValues(variable, {}, undefined), []);
});

test("variables: a regular expression selects and shortens values", () => {
  assert.deepEqual(filteredOptions(["a-1", "a-2", "b-1"], "/^a-(.*)$/"), ["1", "2"]);
  assert.deepEqual(filteredOptions(["a", "b"], "b"), ["b"]);
  assert.deepEqual(filteredOptions(["a"], "("), ["a"]);
});
