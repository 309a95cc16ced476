// SPDX-License-Identifier: Apache-2.0
// Parses trace and span IDs as they are pasted from logs, headers and other tools.

export interface Ids {
  trace: string;
  span: string;
}

const zero = /^0+$/;

// Parse an ID: 32 hexadecimal digits are a trace ID, 16 a span ID, with or without dashes, in any
// case; a traceparent header contains both. Undefined for other texts.
export function parseIds(text: string): Ids | undefined {
  const plain = text
    .trim()
    .replace(/^["'`<([]+|["'`>)\],;.]+$/g, "")
    .toLowerCase();
  const header =
    /^(?:traceparent\s*[:=]\s*)?[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})(?:-[0-9a-f]{2}.*)?$/.exec(
      plain,
    );
  if (header)
    return zero.test(header[1])
      ? undefined
      : { trace: header[1], span: zero.test(header[2]) ? "" : header[2] };
  const named = /^(?:trace|span)[-_. ]?id\s*[:=]\s*"?(.*)$/.exec(plain);
  const digits = (named ? named[1] : plain).replace(/^0x/, "").replaceAll("-", "");
  if (!/^[0-9a-f]+$/.test(digits) || zero.test(digits)) return undefined;
  if (digits.length === 32) return { trace: digits, span: "" };
  if (digits.length === 16) return { trace: "", span: digits };
  return undefined;
}

export const shortId = (id: string) => (id.length > 8 ? `${id.slice(0, 8)}…` : id);
