// SPDX-License-Identifier: Apache-2.0
// Tests of links, command lines, downloads and uploads.
import assert from "node:assert/strict";
import { test } from "../tap";
import { commandOf, downloadUrl, linkOf, pictureName, shellQuote } from "../../src/files/links";
import {
  hasTimeline,
  orderFiles,
  parseLabels,
  reasonOf,
  serviceGuess,
} from "../../src/files/upload";
import { parseUrl } from "../../src/url";

const origin = "http://profiles:4040";
const at = (text: string) => parseUrl(new URL(text, origin));
const stored = at(
  "/profiles?query=checkout%7Benv%3D%22prod%22%7D&type=cpu&from=1700000000000&to=1700003600000&hide=%5Estd&live=1",
);

test("a_copied_link_has_absolute_times", () => {
  const link = linkOf(stored, origin);
  assert.ok(link.startsWith("http://profiles:4040/profiles?"));
  assert.ok(link.includes("from=1700000000000") && link.includes("to=1700003600000"));
  assert.ok(!link.includes("live"));
});

test("a_command_line_has_the_query_of_the_view", () => {
  assert.equal(
    commandOf(stored, origin),
    `varve query flame 'checkout{env="prod"}' --type cpu --hide '^std' ` +
      "--from 2023-11-14T22:13:20Z --to 2023-11-14T23:13:20Z --url http://profiles:4040",
  );
  assert.ok(
    commandOf({ ...stored, view: "table", invert: true }, origin).match(
      /^varve query top .*--invert$/,
    ),
  );
});

test("a_command_line_for_a_file_has_its_name", () => {
  const file = at("/profiles?file=00ff&type=process_cpu:cpu:nanoseconds:cpu:nanoseconds");
  assert.equal(
    commandOf(file, origin, "my app.jfr"),
    "varve flame 'my app.jfr' --type cpu/nanoseconds",
  );
});

test("queries_without_command_line_options_become_curl_commands", () => {
  const command = commandOf({ ...stored, span: "b7ad6b7169203331" }, origin);
  assert.ok(command.startsWith("curl -s 'http://profiles:4040/api/v1/flame?"));
  assert.ok(command.includes("span=b7ad6b7169203331"));
});

test("words_of_a_command_line_are_quoted", () => {
  assert.equal(shellQuote("plain-1.2/x"), "plain-1.2/x");
  assert.equal(shellQuote("a'; rm -rf /"), `'a'\\''; rm -rf /'`);
  assert.equal(shellQuote("$(x) `y`"), "'$(x) `y`'");
  assert.equal(shellQuote(""), "''");
});

test("downloads_have_stack_filters_but_no_display_filters", () => {
  const params = new URL(downloadUrl({ ...stored, focus: "work", invert: true }, "pprof"), origin)
    .searchParams;
  assert.equal(params.get("format"), "pprof");
  assert.equal(params.get("focus"), "work");
  assert.equal(params.get("query"), 'checkout{env="prod"}');
  assert.ok(!params.has("hide") && !params.has("invert"));
});

test("a_download_of_a_file_has_no_range", () => {
  const params = new URL(downloadUrl(at("/profiles?file=00ff"), "otlp"), origin).searchParams;
  assert.equal(params.get("file"), "00ff");
  assert.ok(!params.has("from") && !params.has("to"));
});

test("image_names_are_valid_file_names", () => {
  assert.equal(pictureName(stored, "svg"), "checkout-env-prod.svg");
  assert.equal(pictureName({ ...stored, query: "../../<x>" }, "png"), "..-..-x.png");
  assert.equal(pictureName({ ...stored, query: "" }, "png"), "profile.png");
});

test("labels_are_parsed_with_commas_spaces_and_quotes", () => {
  assert.deepEqual(parseLabels(`env=dev, region=eu  note="two words"`), {
    labels: [
      ["env", "dev"],
      ["region", "eu"],
      ["note", "two words"],
    ],
    error: "",
  });
  assert.deepEqual(parseLabels("  "), { labels: [], error: "" });
  assert.match(parseLabels("env").error, /name=value: env/);
  assert.match(parseLabels("env=dev 1x=2").error, /1x=2/);
});

test("the_older_of_two_files_is_the_before_side", () => {
  assert.deepEqual(orderFiles([{ lastModified: 5 }, { lastModified: 3 }]), [
    { lastModified: 3 },
    { lastModified: 5 },
  ]);
});

test("a_refused_file_shows_the_servers_reason", () => {
  assert.equal(
    reasonOf(400, `{"error":{"code":"x","message":"at byte 3: expected a tag"}}`).message,
    "at byte 3: expected a tag",
  );
  assert.equal(reasonOf(502, "Bad gateway\n").message, "Bad gateway");
  assert.equal(reasonOf(0, "").retryable, true);
});

test("the_error_for_a_large_file_names_alternatives", () => {
  assert.match(reasonOf(413, "over max_body_bytes").message, /^over max_body_bytes\. Compress it/);
});

test("only_a_file_with_several_profiles_of_a_type_has_a_timeline", () => {
  const file = { id: "", name: "", format: "", bytes: 0, from: 0, to: 0, samples: 0, type: "" };
  const type = {
    id: "",
    name: "",
    sample_type: "",
    sample_unit: "",
    period_type: "",
    period_unit: "",
    gauge: false,
  };
  assert.equal(hasTimeline({ ...file, profiles: 1, types: [] }), false);
  assert.equal(hasTimeline({ ...file, profiles: 2, types: [type, type] }), false);
  assert.equal(hasTimeline({ ...file, profiles: 3, types: [type] }), true);
});

test("the_service_is_guessed_from_the_file_name", () => {
  assert.equal(serviceGuess("checkout.cpu.pb.gz"), "checkout");
  assert.equal(serviceGuess("C:\\x\\shop-front_1.jfr"), "shop-front_1");
  assert.equal(serviceGuess("2024-01-01.pb.gz"), "");
});
