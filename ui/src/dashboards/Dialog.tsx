// SPDX-License-Identifier: Apache-2.0
// A dialog above the page. Escape and a click beside it close it; the focus stays in it and returns
// afterwards.
import { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

const focusable = "button:not(:disabled), input, select, textarea, a[href], [tabindex='0']";

export function Dialog(props: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  buttons: ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    const first = box.current!.querySelector<HTMLElement>(
      ".dialog-body input, .dialog-body textarea, .dialog-body select, .dialog-body button",
    );
    (first ?? box.current!).focus();
    return () => before?.focus();
  }, []);
  return (
    <div class="veil" onClick={props.onClose}>
      <div
        ref={box}
        class="dialog panel"
        role="dialog"
        aria-modal="true"
        aria-label={props.title}
        tabIndex={-1}
        onClick={(event) => event.stopPropagation()}
        onKeyDown={(event) => {
          event.stopPropagation(); // shortcuts of the page
          if (event.key === "Escape" && !event.defaultPrevented) {
            event.preventDefault();
            props.onClose();
          }
          if (event.key !== "Tab") return;
          const all = [...box.current!.querySelectorAll<HTMLElement>(focusable)];
          const [first, last] = [all[0], all[all.length - 1]];
          const target = document.activeElement;
          if (event.shiftKey ? target === first : target === last) {
            event.preventDefault();
            (event.shiftKey ? last : first)?.focus();
          }
        }}
      >
        <h2>{props.title}</h2>
        <div class="dialog-body">{props.children}</div>
        <div class="row">
          <span class="spread" />
          {props.buttons}
        </div>
      </div>
    </div>
  );
}
