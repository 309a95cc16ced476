// SPDX-License-Identifier: Apache-2.0
// Everything that leaves the page: files of any format, pictures, a link, a command line.
import { useState } from "preact/hooks";
import { requestFile, tenant } from "../api/client";
import { copyText } from "../base/copy";
import { Popover } from "../base/parts";
import { State } from "../url";
import { commandOf, downloadFormats, downloadUrl, linkOf, pictureName } from "./commands";
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

// One way out of the page: the server's own file, which `href` names, or one that is made here.
export interface Way {
  name: string;
  help: string;
  href?: string;
  save?: () => Promise<void> | void;
}

// A link cannot say whose data is meant; where that has to be said, the page fetches the file itself.
async function saveFile(url: string) {
  const { blob, name } = await requestFile(url);
  saveBlob(blob, name || "profile");
}

export function pictureWays(pictures: Pictures | undefined, what: string, nameOf: (suffix: string) => string): Way[] {
  const way = (suffix: "svg" | "png"): Way[] => {
    const make = pictures?.[suffix];
    return make ? [{ name: suffix.toUpperCase(), help: `${what} as shown`, save: async () => saveBlob(await make(), nameOf(suffix)) }] : [];
  };
  return [...way("svg"), ...way("png")];
}

function Menu(props: { ways: readonly Way[]; link: string; command: string; close: () => void }) {
  const [shown, show] = useState(""); // a text that could not be copied, or that was
  const [note, setNote] = useState("");
  const copy = async (text: string) => {
    const done = await copyText(text);
    show(text);
    setNote(done ? "Copied." : "Clipboard access denied; copy the text below:");
  };
  const take = async (save: () => Promise<void> | void) => {
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
      {props.ways.map(({ name, help, href, save }) =>
        href !== undefined ? (
          <a
            key={name}
            href={href}
            download
            onClick={(event) => {
              if (!tenant()) return props.close();
              event.preventDefault();
              void take(() => saveFile(href));
            }}
          >
            {name} <small>{help}</small>
          </a>
        ) : (
          <button type="button" key={name} onClick={() => void take(save!)}>
            {name} <small>{help}</small>
          </button>
        ),
      )}
      <hr />
      <button type="button" onClick={() => void copy(props.link)}>
        Copy link <small>with fixed times</small>
      </button>
      <button type="button" onClick={() => void copy(props.command)}>
        Copy command line <small>the same query on a terminal</small>
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

export function DownloadMenu(props: { ways: () => readonly Way[]; link: () => string; command: () => string }) {
  return (
    <Popover label="Download ▾" title="Download, copy a link" align="right">
      {(close) => <Menu ways={props.ways()} link={props.link()} command={props.command()} close={close} />}
    </Popover>
  );
}

// `moment` has times that stand still.
export function Downloads(props: { moment: State; type: string; fileName?: string; pictures?: Pictures }) {
  const moment = { ...props.moment, type: props.moment.type || props.type };
  const ways = () => [
    ...downloadFormats.map(([format, name, help]): Way => ({ name, help, href: downloadUrl(moment, format) })),
    ...pictureWays(props.pictures, "the flame graph", (suffix) => pictureName(moment, suffix)),
  ];
  return <DownloadMenu ways={ways} link={() => linkOf(moment, location.origin)} command={() => commandOf(moment, location.origin, props.fileName)} />;
}
