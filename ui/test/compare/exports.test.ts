// SPDX-License-Identifier: Apache-2.0
// Tests of the exports of a comparison.
import assert from "node:assert/strict";
import { test } from "../tap";
import { DiffAnswer } from "../../src/api/types";
import { compareCommand, csvOf, foldedDiff } from "../../src/compare/exports";
import { parseUrl } from "../../src/url";

const origin = "http://profiles:4040";
const at = (text: string) => parseUrl(new URL(text, origin));

test("folded_difference_has_both_values_and_zero_for_missing_stacks", () => {
  assert.equal(
    foldedDiff("main;a 40\nmain;old b 2\n", "main;a 90\nmain;new 5\n"),
    "main;a 40 90\nmain;new 0 5\nmain;old b 2 0\n",
  );
  assert.equal(foldedDiff("", "a 1\na 2\n"), "a 0 3\n");
  assert.equal(foldedDiff("", ""), "");
});

test("csv_cells_are_quoted", () => {
  const change = { before: 1, after: 3, delta: 2 };
  const answer = {
    rows: [
      {
        name: 'say "hi", twice\n',
        file: "a.c",
        module: "",
        line: 7,
        kind: "grew",
        self: change,
        total: change,
      },
    ],
  } as unknown as DiffAnswer;
  assert.equal(
    csvOf(answer),
    "function,file,module,line,kind,self_before,self_after,self_delta,total_before,total_after,total_delta\r\n" +
      '"say ""hi"", twice\n",a.c,,7,grew,1,3,2,1,3,2\r\n',
  );
});

test("a_command_line_has_the_same_comparison", () => {
  const none = { before: "", after: "" };
  assert.equal(
    compareCommand(
      at(
        "/compare?query=shop&before=shop%7Bv%3D%221%22%7D&from=1700000000000&to=1700003600000" +
          "&before_from=1699990000000&type=cpu&of=total&normalise=1",
      ),
      origin,
      none,
    ),
    `varve diff --baseline 'shop{v="1"}' --comparison shop --type cpu --comparison-from 2023-11-14T22:13:20Z ` +
      "--comparison-to 2023-11-14T23:13:20Z --baseline-from 2023-11-14T19:26:40Z --url http://profiles:4040 " +
      "--sort total --normalise",
  );
  assert.equal(
    compareCommand(at("/compare?file=1&before_file=2"), origin, {
      before: "old one.pb",
      after: "new.pb",
    }),
    "varve diff 'old one.pb' new.pb",
  );
  assert.match(
    compareCommand(at("/compare?query=shop&before_file=2"), origin, {
      before: "old.pb",
      after: "",
    }),
    /^curl -s 'http:\/\/profiles:4040\/api\/v1\/diff\?before_file=2&after=shop/,
  );
});
