// SPDX-License-Identifier: Apache-2.0
// The download menu: profile formats, images, a link, a command line.
import { useState } from "preact/hooks";
import { requestFile, tenant } from "../api/client";
import { copyText } from "../base/clipboard";
import { Popover } from "../base/components";
import { State } from "../url";
import { commandOf, downloadFormats, downloadUrl, linkOf, pictureName } from "./links";
import "./files.css";

export interface Pictures {
  svg?: () => Promise<Blob> | Blob;
  png?: () => Promise<Blob> | Blob;
}

export function saveBlob(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// An item of the menu: a file of the server at `href`, or one that the page creates with save().
export interface DownloadItem {
  name: string;
  help: string;
  href?: string;
  save?: () => Promise<void> | void;
}

// Fetch a file and save it. Used with a tenant, which a plain link cannot send.
async function saveFile(url: string) {
  const { blob, name } = await requestFile(url);
  saveBlob(blob, name || "profile");
}

export function imageItems(
  pictures: Pictures | undefined,
  what: string,
  nameOf: (suffix: string) => string,
): DownloadItem[] {
  const item = (suffix: "svg" | "png"): DownloadItem[] => {
    const make = pictures?.[suffix];
    return make
      ? [
          {
            name: suffix.toUpperCase(),
            help: `${what} as shown`,
            save: async () => saveBlob(await make(), nameOf(suffix)),
          },
        ]
      : [];
  };
  return [...item("svg"), ...item("png")];
}

function Menu(props: {
  items: readonly DownloadItem[];
  link: string;
  command: string;
  close: () => void;
}) {
  const [shown, show] = useState(""); // the text of the last copy
  const [note, setNote] = useState("");
  const copy = async (text: string) => {
    const done = await copyText(text);
    show(text);
    setNote(done ? "Copied." : "Clipboard access denied; copy the text below:");
  };
  const saveAndClose = async (save: () => Promise<void> | void) => {
    try {
      await save();
      props.close();
    } catch (e) {
      show("");
      setNote((e as Error).message);
    }
  };
  return (
    <div class="download-menu">
      {props.items.map(({ name, help, href, save }) =>
        href !== undefined ? (
          <a
            key={name}
            href={href}
            download
            onClick={(event) => {
              if (!tenant()) return props.close();
              event.preventDefault();
              void saveAndClose(() => saveFile(href));
            }}
          >
            {name} <small>{help}</small>
          </a>
        ) : (
          <button type="button" key={name} onClick={() => void saveAndClose(save!)}>
            {name} <small>{help}</small>
          </button>
        ),
      )}
      <hr />
      <button type="button" onClick={() => void copy(props.link)}>
        Copy link <small>with fixed times</small>
      </button>
      <button type="button" onClick={() => void copy(props.command)}>
        Copy command line <small>the same query in a terminal</small>
      </button>
      {note && (
        <div role="status">
          <p>{note}</p>
          {shown && <pre>{shown}</pre>}
        </div>
      )}
    </div>
  );
}

export function DownloadMenu(props: {
  items: () => readonly DownloadItem[];
  link: () => string;
  command: () => string;
}) {
  return (
    <Popover label="Download ▾" title="Download, copy a link" align="right">
      {(close) => (
        <Menu items={props.items()} link={props.link()} command={props.command()} close={close} />
      )}
    </Popover>
  );
}

// `resolved`: the state with resolved times.
export function Downloads(props: {
  resolved: State;
  type: string;
  fileName?: string;
  pictures?: Pictures;
}) {
  const resolved = { ...props.resolved, type: props.resolved.type || props.type };
  const items = () => [
    ...downloadFormats.map(
      ([format, name, help]): DownloadItem => ({ name, help, href: downloadUrl(resolved, format) }),
    ),
    ...imageItems(props.pictures, "the flame graph", (suffix) => pictureName(resolved, suffix)),
  ];
  return (
    <DownloadMenu
      items={items}
      link={() => linkOf(resolved, location.origin)}
      command={() => commandOf(resolved, location.origin, props.fileName)}
    />
  );
}
