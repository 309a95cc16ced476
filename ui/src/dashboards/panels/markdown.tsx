// SPDX-License-Identifier: Apache-2.0
// Text panels: a small part of Markdown as elements. HTML is shown as text; links lead to http(s)
// addresses or paths of this server.
import { ComponentChildren, Fragment } from "preact";

const inline =
  /(`[^`\n]+`)|(\*\*[^*\n]+\*\*)|(\*[^*\n]+\*|(?<!\w)_[^_\n]+_(?!\w))|\[([^\]\n]+)\]\(([^()\s]+)\)/g;

// Return the address if a link may lead there, else undefined.
export function safeLink(address: string): string | undefined {
  if (/^\/(?!\/)/.test(address) || address.startsWith("#")) return address;
  try {
    const url = new URL(address);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
  } catch {
    return undefined;
  }
}

function Inline(props: { text: string }): ComponentChildren {
  const out: ComponentChildren[] = [];
  let at = 0;
  for (const found of props.text.matchAll(inline)) {
    out.push(props.text.slice(at, found.index));
    at = found.index + found[0].length;
    const [whole, code, strong, emphasis, label, address] = found;
    const link = address && safeLink(address);
    if (code) out.push(<code>{code.slice(1, -1)}</code>);
    else if (strong) out.push(<strong>{strong.slice(2, -2)}</strong>);
    else if (emphasis) out.push(<em>{emphasis.slice(1, -1)}</em>);
    else if (link)
      out.push(
        <a href={link} rel="noopener noreferrer">
          {label}
        </a>,
      );
    else out.push(whole);
  }
  out.push(props.text.slice(at));
  return <Fragment>{out}</Fragment>;
}

export interface Block {
  kind: "heading" | "list" | "numbered" | "code" | "paragraph";
  level: number;
  lines: string[];
}

// Split a text into blocks.
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  const add = (kind: Block["kind"], line: string, level = 0) => {
    if (open?.kind === kind && kind !== "heading") open.lines.push(line);
    else blocks.push((open = { kind, level, lines: [line] }));
  };
  let code: Block | undefined;
  for (const line of text.split("\n")) {
    if (/^```/.test(line)) {
      if (!code) blocks.push((code = { kind: "code", level: 0, lines: [] }));
      else code = undefined;
      open = undefined;
      continue;
    }
    if (code) {
      code.lines.push(line);
      continue;
    }
    const heading = /^(#{1,4})\s+(.*)$/.exec(line);
    const item = /^\s*[-*]\s+(.*)$/.exec(line);
    const numbered = /^\s*\d+[.)]\s+(.*)$/.exec(line);
    if (heading) add("heading", heading[2], heading[1].length);
    else if (item) add("list", item[1]);
    else if (numbered) add("numbered", numbered[1]);
    else if (line.trim()) add("paragraph", line.trim());
    else open = undefined;
  }
  return blocks;
}

function BlockView(props: { block: Block }) {
  const { kind, level, lines } = props.block;
  const items = lines.map((line, i) => (
    <li key={i}>
      <Inline text={line} />
    </li>
  ));
  if (kind === "code") return <pre>{lines.join("\n")}</pre>;
  if (kind === "list") return <ul>{items}</ul>;
  if (kind === "numbered") return <ol>{items}</ol>;
  if (kind === "paragraph")
    return (
      <p>
        <Inline text={lines.join(" ")} />
      </p>
    );
  // the page's title is h1, panels' titles are h2
  return level <= 2 ? (
    <h3 class={`text-${level}`}>
      <Inline text={lines[0]} />
    </h3>
  ) : (
    <h4>
      <Inline text={lines[0]} />
    </h4>
  );
}

export function Markdown(props: { text: string }) {
  return (
    <div class="markdown">
      {blocksOf(props.text).map((block, i) => (
        <BlockView key={i} block={block} />
      ))}
    </div>
  );
}
