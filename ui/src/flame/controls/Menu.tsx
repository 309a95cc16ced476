// SPDX-License-Identifier: Apache-2.0
// The context menu of a frame.
import { useLayoutEffect } from "preact/hooks";
import { cleanName, shortName } from "../text/names";
import { Anchor, useAnchored } from "./Tooltip";

export interface MenuItem {
  label: string;
  key?: string; // shortcut of the same action
  run: () => void;
}

export function Menu({
  title,
  items,
  anchor,
  onClose,
}: {
  title: string;
  items: (MenuItem | null)[];
  anchor: Anchor;
  onClose: () => void;
}) {
  const element = useAnchored<HTMLDivElement>(anchor, 2);
  useLayoutEffect(() => {
    element.current?.querySelector("button")?.focus();
    const outside = (event: Event) => !element.current?.contains(event.target as Node) && onClose();
    addEventListener("pointerdown", outside);
    addEventListener("blur", onClose);
    addEventListener("resize", onClose);
    return () => {
      removeEventListener("pointerdown", outside);
      removeEventListener("blur", onClose);
      removeEventListener("resize", onClose);
    };
  }, []);

  const onKey = (event: KeyboardEvent) => {
    const buttons = [...element.current!.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") onClose();
    else if (to !== undefined) buttons[(to + buttons.length) % buttons.length].focus();
    else {
      // Leave Enter and Space to the button, but do not trigger the page's shortcuts.
      event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      class="flame-menu"
      role="menu"
      aria-label={cleanName(title, 200)}
      ref={element}
      onKeyDown={onKey}
    >
      <div class="flame-menu-title">{cleanName(shortName(title), 80)}</div>
      {items.map((item, i) =>
        item ? (
          <button
            role="menuitem"
            type="button"
            tabIndex={-1}
            key={item.label}
            onClick={() => (onClose(), item.run())}
          >
            <span>{item.label}</span>
            {item.key && <kbd>{item.key}</kbd>}
          </button>
        ) : (
          <hr key={i} />
        ),
      )}
    </div>
  );
}
