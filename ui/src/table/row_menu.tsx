// SPDX-License-Identifier: Apache-2.0
// The context menu of the rows of a table: by the right button, or by the menu key at the selected
// row.
import { JSX } from "preact";
import { useState } from "preact/hooks";
import { Menu, MenuItem } from "../flame/controls/Menu";

interface At<R> {
  row: R;
  x: number;
  y: number;
  before: Element | null; // focused element
}

export function useRowMenu<R extends { name: string }>(
  items: (row: R) => (MenuItem | null)[],
): { open: (row: R, event: MouseEvent) => void; element: JSX.Element | null } {
  const [at, set] = useState<At<R> | null>(null);
  const open = (row: R, event: MouseEvent) => {
    event.preventDefault();
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const byKey = event.button !== 2;
    set({
      row,
      x: byKey ? box.left + 24 : event.clientX,
      y: byKey ? box.bottom : event.clientY,
      before: document.activeElement,
    });
  };
  const close = () => {
    (at?.before as HTMLElement | null)?.focus?.({ preventScroll: true });
    set(null);
  };
  return {
    open,
    element: at && (
      <Menu title={at.row.name} items={items(at.row)} anchor={{ x: at.x, y: at.y }} onClose={close} />
    ),
  };
}
