// SPDX-License-Identifier: Apache-2.0
// Prepares names for display. Names are untrusted: directional marks, control characters and 10 KB
// of template arguments must not reach the canvas or the page.

// Control characters, and directional marks and isolates. Right-to-left letters stay.
const unsafe =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/g;

export function cleanName(name: string, limit = 1000): string {
  const cut = name.length > limit ? `${name.slice(0, limit)}…` : name;
  return cut.replace(unsafe, "") || "(no name)";
}

// Shorten a name: "github.com/x/y.(*T).m" -> "y.(*T).m", "com.example.Bar.run" -> "Bar.run",
// "ns::f(int, char)" -> "ns::f".
export function shortName(name: string): string {
  const head = /[([<{]/.exec(name)?.index ?? name.length;
  const slash = name.lastIndexOf("/", head - 1);
  let short = slash > 0 && slash < name.length - 1 ? name.slice(slash + 1) : name;
  short = short.replace(/^(?:[a-z_][\w$-]*\.){2,}(?=[A-Z][\w$]*[.$])/, "");
  return withoutArguments(short);
}

function withoutArguments(name: string): string {
  const tail = name.endsWith(" const") ? name.length - 6 : name.length;
  if (name[tail - 1] !== ")") return name;
  let depth = 0;
  for (let i = tail - 1; i > 0; i--) {
    if (name[i] === ")") depth++;
    else if (name[i] === "(" && --depth === 0)
      return /(?:operator|[\s.])$/.test(name.slice(0, i)) ? name : name.slice(0, i);
  }
  return name;
}

// Return shorter forms of a name, each a part at its end: names of one program begin alike and differ
// at their ends. "com.example.shop.Cart.add" -> "Cart.add", "add".
export function nameForms(name: string): string[] {
  const short = shortName(name);
  const end = /[([<{ ]/.exec(short)?.index ?? short.length;
  const parts: string[] = [];
  // From the end: the last two components, then the last one.
  const cuts = [...short.slice(0, end).matchAll(/(?:::|[./$#])(?=[\p{L}\p{N}_(*<~])/gu)];
  for (const cut of cuts.slice(-2)) parts.push(short.slice(cut.index + cut[0].length));
  return [short, ...parts];
}

// Split a name into a head, which may be cut, and an end that identifies it.
export function nameEnds(name: string, longest = 40): readonly [string, string] {
  const end = nameForms(name).find((form) => form.length <= longest && name.endsWith(form));
  const at = name.length - (end?.length || Math.min(longest >> 1, name.length));
  return [name.slice(0, at), name.slice(at)];
}

// Computes the width of texts in one font. The width of each character is measured once.
export class Ruler {
  private readonly ascii = new Float32Array(128).fill(-1);
  private readonly others = new Map<string, number>();

  constructor(private readonly measure: (text: string) => number) {}

  private widthOf(character: string): number {
    const code = character.codePointAt(0)!;
    if (code < 128) {
      if (this.ascii[code] < 0) this.ascii[code] = this.measure(character);
      return this.ascii[code];
    }
    let width = this.others.get(character);
    if (width === undefined) {
      width = this.measure(character);
      if (this.others.size < 10_000) this.others.set(character, width);
    }
    return width;
  }

  // Return as much of the text as fits, with an ellipsis if it is cut; "" if fewer than two
  // characters fit.
  fit(text: string, room: number): string {
    const ellipsis = this.widthOf("…");
    let used = 0;
    let end = 0; // end of the text that fits together with an ellipsis
    let at = 0;
    for (const character of text) {
      if (used + ellipsis <= room) end = at;
      used += this.widthOf(character);
      if (used > room) return end >= 2 ? `${text.slice(0, end)}…` : "";
      at += character.length;
    }
    return text;
  }

  // Return the longest form of a function name that fits, else as much of the shortest as fits.
  fitName(name: string, room: number): string {
    const forms = nameForms(name);
    return (
      forms.find((form) => this.width(form, room) <= room) ??
      this.fit(forms[forms.length - 1], room)
    );
  }

  // Return the width of the text; stops after `limit`.
  width(text: string, limit = Infinity): number {
    let used = 0;
    for (const character of text) {
      used += this.widthOf(character);
      if (used > limit) break;
    }
    return used;
  }
}
