// SPDX-License-Identifier: Apache-2.0
// Tests of the queries of log records and of the marks in their text.
import assert from "node:assert/strict";
import { test } from "../tap";
import { LogRecord, logParams, markedParts, markOf, rowsOfAnswer } from "../../src/logs/log_query";
import { roundUp } from "../../src/bars/BarChart";
import { parseUrl } from "../../src/url";

const marked = (line: string, text: string, as: "words" | "part" | "regex") =>
  markedParts(line, markOf(text, as))
    .map((part, i) => (i % 2 ? `[${part}]` : part))
    .join("");

test("logs: the searched text is marked as the server compares it", () => {
  assert.equal(
    marked("Refused: the refusedly refused", "refused", "words"),
    "[Refused]: the refusedly [refused]",
  );
  assert.equal(
    marked("a connection, refused", "connection refused", "words"),
    "a [connection, refused]",
  );
  assert.equal(marked("a.b a-b", "a.b", "part"), "[a.b] a-b");
  assert.equal(marked("A a", "a", "part"), "A [a]");
  assert.equal(marked("id=12 ID=34", "(?i)id=\\d+", "regex"), "[id=12] [ID=34]");
  assert.equal(marked("x", "(", "regex"), "x", "what the browser cannot compile is not marked");
  assert.equal(marked("abc", "x*", "regex"), "abc", "empty matches are not marked");
  assert.equal(marked("x", "...", "words"), "x");
});

test("logs: the address is converted into parameters", () => {
  const state = parseUrl(
    new URL(
      "http://h/logs?service=a&service=b&severity=warn&text=x&as=regex&where=k%3Dv&trace=1&from=5&to=6",
    ),
  );
  assert.deepEqual(logParams(state), {
    from: "5",
    to: "6",
    service: ["a", "b"],
    severity: "warn",
    trace: "1",
    span: "",
    match: ["k=v"],
    regex: "x",
  });
  assert.equal(logParams(parseUrl(new URL("http://h/logs?text=x&as=part"))).contains, "x");
});

const record = (time: string): LogRecord => ({
  time,
  severity: 9,
  level: "info",
  service: "s",
  text: time,
  attributes: {},
  resource: 0,
  scope: 0,
});

test("logs: records of the same time have different keys, also on the next page", () => {
  const answer = (times: string[]) => ({
    from: 0,
    to: 1,
    logs: times.map(record),
    resources: [{ attributes: {} }],
    scopes: [],
  });
  const first = rowsOfAnswer(answer(["3000000", "2000000", "2000000"]), []);
  const second = rowsOfAnswer(answer(["2000000", "1500000"]), first);
  assert.deepEqual(
    [...first, ...second].map((r) => r.key),
    ["3000000", "2000000", "2000000-1", "2000000-2", "1500000"],
  );
  assert.equal(second[1].at, 1.5);
});

test("bars: the top of the axis is a round number", () => {
  assert.deepEqual([0, 1, 3, 11, 50, 51, 0.03].map(roundUp), [1, 1, 5, 20, 50, 100, 0.05]);
});
