// SPDX-License-Identifier: Apache-2.0
// Small components that all views share: links, inputs, popovers, notes.
import { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Answer } from "../api/client";
import { go, linkTo, State } from "../url";

// A link to another view. A plain click changes the view without loading a page; with Ctrl, Shift
// or Meta the browser opens it.
export function Link(props: {
  to: Partial<State>;
  class?: string;
  title?: string;
  current?: boolean;
  children: ComponentChildren;
}) {
  return (
    <a
      href={linkTo(props.to)}
      class={props.class}
      title={props.title}
      aria-current={props.current ? "page" : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
        event.preventDefault();
        go(props.to);
      }}
    >
      {props.children}
    </a>
  );
}

// A group of buttons of which one is selected. An option is [value, text, tooltip, disabled].
export function Choice<T extends string>(props: {
  label: string;
  value: T;
  options: readonly (readonly [T, string, string?, boolean?])[];
  onChange: (value: T) => void;
}) {
  const group = useRef<HTMLDivElement>(null);
  // If the group is wider than its box, scroll the selected button into it.
  useEffect(() => {
    const box = group.current!;
    const chosen = box.querySelector<HTMLElement>("[aria-pressed=true]");
    if (!chosen || box.scrollWidth <= box.clientWidth) return;
    const left =
      chosen.getBoundingClientRect().left - box.getBoundingClientRect().left + box.scrollLeft;
    box.scrollLeft = left - (box.clientWidth - chosen.offsetWidth) / 2;
  }, [props.value]);
  return (
    <div class="group" role="group" aria-label={props.label} ref={group}>
      {props.options.map(([value, text, title, off]) => (
        <button
          type="button"
          key={value}
          title={title}
          disabled={off}
          aria-pressed={value === props.value}
          onClick={() => props.onChange(value)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

export function Select<T extends string>(props: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
  shown?: boolean;
}) {
  const id = useId();
  return (
    <span class="select">
      <label for={id} class={props.shown ? "soft" : "hidden-text"}>
        {props.label}
      </label>
      <select
        id={id}
        value={props.value}
        onChange={(event) => props.onChange(event.currentTarget.value as T)}
      >
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </span>
  );
}

// A text input that takes effect `delay` ms after the last key press.
export function TextInput(props: {
  label: string;
  value: string;
  placeholder?: string;
  class?: string;
  id?: string;
  mono?: boolean;
  onChange: (value: string) => void;
  delay?: number;
}) {
  const [text, setText] = useState(props.value);
  const sent = useRef(props.value);
  useEffect(() => {
    if (props.value !== sent.current) {
      sent.current = props.value;
      setText(props.value);
    }
  }, [props.value]);
  const send = (value: string) => {
    if (value === sent.current) return;
    sent.current = value;
    props.onChange(value);
  };
  useEffect(() => {
    const timer = setTimeout(() => send(text), props.delay ?? 120);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      id={props.id}
      class={`${props.class ?? ""} ${props.mono ? "mono" : ""}`}
      aria-label={props.label}
      placeholder={props.placeholder ?? props.label}
      value={text}
      autocomplete="off"
      spellcheck={false}
      onInput={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => event.key === "Enter" && send(text)}
    />
  );
}

// A button with a panel that opens below it. Escape, a click elsewhere, or a selection in the panel
// closes it.
export function Popover(props: {
  label: ComponentChildren;
  name?: string; // for screen readers, if it is not the label
  title?: string;
  class?: string;
  align?: "left" | "right";
  open?: boolean;
  onOpen?: (open: boolean) => void;
  children: (close: () => void) => ComponentChildren;
}) {
  const [own, setOwn] = useState(false);
  const open = props.open ?? own;
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const set = (value: boolean) => {
    setOwn(value);
    props.onOpen?.(value);
    if (!value) button.current?.focus({ preventScroll: true });
  };
  useLayoutEffect(() => {
    if (!open) return;
    const outside = (event: PointerEvent) =>
      box.current &&
      !box.current.contains(event.target as Node) &&
      (setOwn(false), props.onOpen?.(false));
    document.addEventListener("pointerdown", outside, true);
    // The panel may be as high as the space below it.
    box.current?.style.setProperty(
      "--above",
      `${Math.round(box.current.getBoundingClientRect().bottom) + 14}px`,
    );
    box.current
      ?.querySelector<HTMLElement>(".popover input, .popover button, .popover a")
      ?.focus({ preventScroll: true });
    return () => document.removeEventListener("pointerdown", outside, true);
  }, [open]);
  return (
    <div
      class="popover-box"
      ref={box}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        event.stopPropagation();
        event.preventDefault();
        set(false);
      }}
    >
      <button
        type="button"
        ref={button}
        class={props.class}
        title={props.title}
        aria-label={props.name}
        aria-expanded={open}
        aria-haspopup="dialog"
        onClick={() => set(!open)}
      >
        {props.label}
      </button>
      {open && (
        <div class={`popover panel ${props.align === "right" ? "right" : ""}`}>
          {props.children(() => set(false))}
        </div>
      )}
    </div>
  );
}

// The loading or error note of an answer. The view keeps showing the previous data.
export function AnswerNote(props: { answer: Answer<unknown>; what?: string }) {
  const { answer } = props;
  return (
    <>
      {answer.waiting && (
        <p class="note waiting" role="status">
          <span class="spinner" aria-hidden="true" /> Loading{props.what ? ` ${props.what}` : ""}…
        </p>
      )}
      {answer.error && !answer.waiting && (
        <p class="note bad" role="alert">
          {answer.error.message}
          {answer.error.retryable && " – retrying"}
          <button type="button" class="quiet" onClick={answer.retry}>
            Retry
          </button>
        </p>
      )}
    </>
  );
}

export function Empty(props: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{props.title}</h2>
      {props.children}
    </div>
  );
}

// Return a ref and the current size of its element.
export function useSize<T extends HTMLElement>() {
  const ref = useRef<T>(null);
  const [size, set] = useState({ width: 0, height: 0 });
  useEffect(() => {
    if (!ref.current) return;
    const observer = new ResizeObserver(([entry]) =>
      set({ width: entry.contentRect.width, height: entry.contentRect.height }),
    );
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return [ref, size] as const;
}

// A text that is cut in its middle, not at its end, if the space is short. `parts`: what may be cut,
// and the end, which is cut last. Its parent must limit its width.
export function Ends(props: { parts: readonly [string, string]; title?: string; class?: string }) {
  const [head, end] = props.parts;
  return (
    <bdi class={`ends ${props.class ?? ""}`} title={props.title}>
      {head && <span class="ends-head">{head}</span>}
      <span class="ends-tail">
        <span>{end}</span>
      </span>
    </bdi>
  );
}

const endLength = 14; // characters

// The parts of a text without structure, such as the name of a pod or of a service.
export const endsOf = (text: string): readonly [string, string] => {
  const at = text.length <= 2 * endLength ? 0 : text.length - endLength;
  return [text.slice(0, at), text.slice(at)];
};
