// SPDX-License-Identifier: Apache-2.0
// Ids of traces and spans, as people have them at hand: from a log, a header, another tool.

export interface Ids {
  trace: string;
  span: string;
}

const zero = /^0+$/;

// 32 digits are a trace, 16 a span, with or without dashes, in any case; a traceparent header is both. Undefined: neither.
export function parseIds(text: string): Ids | undefined {
  const plain = text.trim().replace(/^["'`<([]+|["'`>)\],;.]+$/g, "").toLowerCase();
  const header = /^(?:traceparent\s*[:=]\s*)?[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})(?:-[0-9a-f]{2}.*)?$/.exec(plain);
  if (header) return zero.test(header[1]) ? undefined : { trace: header[1], span: zero.test(header[2]) ? "" : header[2] };
  const named = /^(?:trace|span)[-_. ]?id\s*[:=]\s*"?(.*)$/.exec(plain);
  const digits = (named ? named[1] : plain).replace(/^0x/, "").replaceAll("-", "");
  if (!/^[0-9a-f]+$/.test(digits) || zero.test(digits)) return undefined;
  if (digits.length === 32) return { trace: digits, span: "" };
  if (digits.length === 16) return { trace: "", span: digits };
  return undefined;
}

export const shortId = (id: string) => (id.length > 8 ? `${id.slice(0, 8)}…` : id);
