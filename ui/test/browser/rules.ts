// SPDX-License-Identifier: Apache-2.0
// Accessibility rules that run in a page: structure (headings, landmarks, ids, targets of pointers),
// as axe-core has them. They return what breaks them.

// One h1; landmarks of one kind have different names; ids are unique; roles have what they need;
// controls are at least 24 pixels high and wide, or have as much space around them.
export function brokenRules(): string[] {
  const broken: string[] = [];
  const seen = (element: Element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0;
  };
  const short = (element: Element) => element.outerHTML.slice(0, 110).replace(/\s+/g, " ");

  const heads = [...document.querySelectorAll("h1")];
  if (heads.length !== 1) broken.push(`${heads.length} h1`);
  let level = 0;
  for (const head of document.querySelectorAll("h1, h2, h3, h4")) {
    const own = Number(head.tagName[1]);
    if (level && own > level + 1) broken.push(`heading skips a level: ${short(head)}`);
    level = own;
  }

  const names = new Map<string, number>();
  for (const element of document.querySelectorAll(
    "main, nav, header, footer, aside, section[aria-label], form[aria-label], [role=region], [role=search], [role=navigation]",
  )) {
    // header and footer are landmarks only outside of sections
    if (/HEADER|FOOTER/.test(element.tagName) && element.closest("main, section, article")) continue;
    const key = `${element.getAttribute("role") ?? element.tagName} ${element.getAttribute("aria-label") ?? ""}`;
    names.set(key.replace("SECTION", "region"), (names.get(key.replace("SECTION", "region")) ?? 0) + 1);
  }
  for (const [name, count] of names) if (count > 1) broken.push(`${count} landmarks: ${name}`);

  const ids = new Set<string>();
  for (const { id } of document.querySelectorAll("[id]")) {
    if (ids.has(id)) broken.push(`id twice: ${id}`);
    ids.add(id);
  }

  for (const element of document.querySelectorAll("[role=option]"))
    if (!element.closest("[role=listbox]")) broken.push(`option without listbox: ${short(element)}`);
  for (const element of document.querySelectorAll("ul, ol"))
    for (const child of element.children)
      if (!element.getAttribute("role") && child.tagName !== "LI")
        broken.push(`not an item of a list: ${short(child)}`);
  for (const element of document.querySelectorAll("[aria-controls], [aria-activedescendant]"))
    for (const attribute of ["aria-controls", "aria-activedescendant"]) {
      const id = element.getAttribute(attribute);
      if (id && !document.getElementById(id)) broken.push(`${attribute} of nothing: ${short(element)}`);
    }

  const targets = [...document.querySelectorAll("button, select, input, [role=button]")].filter(seen);
  const boxes = targets.map((t) => t.getBoundingClientRect());
  targets.forEach((target, i) => {
    const { width, height, left, right, top, bottom } = boxes[i];
    if (width >= 23.5 && height >= 23.5) return;
    if (target.matches("[type=checkbox], [type=radio]") && target.closest("label")) return;
    if (target.closest("[aria-hidden=true]")) return;
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const crowded = boxes.some(
      (b, k) =>
        k !== i && b.left < x + 12 && b.right > x - 12 && b.top < y + 12 && b.bottom > y - 12,
    );
    if (crowded) broken.push(`${width.toFixed(0)}x${height.toFixed(0)}: ${short(target)}`);
  });
  return broken;
}

// Return texts of controls that are cut although they are short enough to be whole. Runs in the
// page.
export function cutControls(): string[] {
  return [...document.querySelectorAll<HTMLElement>("button, select, a.button")]
    .filter((e) => e.offsetWidth > 0 && !e.querySelector(".ends, .clip, bdi"))
    .filter((e) => e.tagName !== "SELECT" && e.scrollWidth > e.clientWidth + 2)
    .map((e) => e.textContent!.trim().slice(0, 60));
}
