// SPDX-License-Identifier: Apache-2.0
// Everything that leaves the page: files of any format, pictures, a link, a command line.
import { useState } from "preact/hooks";
import { tenant } from "../api/client";
import { copyText } from "../base/copy";
import { Popover } from "../base/parts";
import { State } from "../url";
import { commandOf, downloadFormats, downloadUrl, linkOf, pictureName } from "./commands";
import { reasonOf } from "./send";
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

// A link cannot say whose data is meant; where that has to be said, the page fetches the file itself.
async function fetchAs(url: string): Promise<string> {
  const response = await fetch(url, { headers: { "X-Scope-OrgID": tenant() } });
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1];
  if (!response.ok) return reasonOf(response.status, await response.text()).message;
  saveBlob(await response.blob(), name ?? "profile");
  return "";
}

function Menu(props: { moment: State; fileName: string; pictures: Pictures | undefined; close: () => void }) {
  const { moment, pictures } = props;
  const [shown, show] = useState(""); // a text that could not be copied, or that was
  const [note, setNote] = useState("");
  const copy = async (text: string) => {
    const done = await copyText(text);
    show(text);
    setNote(done ? "Copied." : "This page may not write to the clipboard; copy it from here:");
  };
  const picture = async (make: () => Promise<Blob> | Blob, suffix: string) => {
    saveBlob(await make(), pictureName(moment, suffix));
    props.close();
  };
  return (
    <div class="download-menu">
      {downloadFormats.map(([format, name, help]) => (
        <a
          key={format}
          href={downloadUrl(moment, format)}
          download
          onClick={(event) => {
            if (!tenant()) return props.close();
            event.preventDefault();
            void fetchAs(downloadUrl(moment, format)).then((reason) => (reason ? setNote(reason) : props.close()));
          }}
        >
          {name} <small>{help}</small>
        </a>
      ))}
      {pictures?.svg && (
        <button type="button" onClick={() => void picture(pictures.svg!, "svg")}>
          SVG <small>the flame graph as it is seen</small>
        </button>
      )}
      {pictures?.png && (
        <button type="button" onClick={() => void picture(pictures.png!, "png")}>
          PNG <small>the flame graph as it is seen</small>
        </button>
      )}
      <hr />
      <button type="button" onClick={() => void copy(linkOf(moment, location.origin))}>
        Copy link <small>shows the same tomorrow</small>
      </button>
      <button type="button" onClick={() => void copy(commandOf(moment, location.origin, props.fileName))}>
        Copy command line <small>the same on a terminal</small>
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

// `moment` has times that stand still.
export function Downloads(props: { moment: State; type: string; fileName?: string; pictures?: Pictures }) {
  const moment = { ...props.moment, type: props.moment.type || props.type };
  return (
    <Popover label="Download ▾" title="Download, copy a link" align="right">
      {(close) => <Menu moment={moment} fileName={props.fileName ?? ""} pictures={props.pictures} close={close} />}
    </Popover>
  );
}
