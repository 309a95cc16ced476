// SPDX-License-Identifier: Apache-2.0
// The button that takes a profile of running instances of a service, and shows or saves it.
import { useEffect, useRef, useState } from "preact/hooks";
import { requestFile } from "../api/client";
import { Popover, Select } from "../base/components";
import { formatBytes } from "../base/units";
import { saveBlob } from "../files/Downloads";
import { showFiles } from "../files/OpenFile";
import { sendFile } from "../files/upload";
import { Capture, captureProfile, captureState, CapturePart, partName, takeProfile } from "./capture";
import "./control.css";

const kinds = [
  ["cpu", "CPU"],
  ["wall", "Wall clock"],
  ["heap", "Heap"],
  ["mutex", "Mutex"],
  ["block", "Block"],
  ["threads", "Threads"],
] as const;
const durations = [
  ["5", "5 seconds"],
  ["10", "10 seconds"],
  ["30", "30 seconds"],
] as const;
const pollMs = 1000; // instances hear of it with their next report, within seconds

type Kind = (typeof kinds)[number][0];
type Duration = (typeof durations)[number][0];

function PartRow(props: { capture: Capture; part: CapturePart; onProblem: (text: string) => void }) {
  const { capture, part } = props;
  const [busy, setBusy] = useState(false);
  const fetchThen = async (use: (file: File) => Promise<void> | void) => {
    setBusy(true);
    props.onProblem("");
    try {
      const { blob } = await requestFile(captureProfile(capture.id, part.instance));
      await use(new File([blob], partName(capture, part)));
    } catch (e) {
      props.onProblem((e as Error).message);
    }
    setBusy(false);
  };
  const open = async (file: File) =>
    showFiles([await sendFile(file, () => {}, new AbortController().signal)]);
  return (
    <li>
      <bdi>
        {part.host} · {part.pid}
      </bdi>{" "}
      {part.state === "done" ? (
        <>
          <span class="soft">{formatBytes(part.bytes)}</span>{" "}
          <button type="button" class="small" disabled={busy} onClick={() => fetchThen(open)}>
            Open
          </button>{" "}
          <button
            type="button"
            class="small"
            disabled={busy}
            onClick={() => fetchThen((file) => saveBlob(file, file.name))}
          >
            Save
          </button>
        </>
      ) : (
        <span class={part.error ? "problem" : "soft"}>{part.error || part.state}</span>
      )}
    </li>
  );
}

function CaptureResult(props: { capture: Capture; onProblem: (text: string) => void }) {
  const { capture } = props;
  const got = capture.instances.filter((part) => part.state === "done").length;
  return (
    <>
      <p role="status">
        {capture.done
          ? `${got} of ${capture.instances.length} profiles`
          : `Taking a profile of ${capture.seconds} s: ${got} of ${capture.instances.length}`}
      </p>
      <ul class="capture-parts" aria-label="Profiles">
        {capture.instances.map((part) => (
          <PartRow key={part.instance} {...props} part={part} />
        ))}
      </ul>
    </>
  );
}

// `service`: the one that is shown. A capture goes on while the panel is closed.
export function CaptureMenu(props: { service: string }) {
  const [kind, setKind] = useState<Kind>("cpu");
  const [seconds, setSeconds] = useState<Duration>("10");
  const [all, setAll] = useState(false);
  const [capture, setCapture] = useState<Capture>();
  const [problem, setProblem] = useState("");
  const latest = useRef(props.service);
  latest.current = props.service;
  useEffect(() => {
    setCapture(undefined);
    setProblem("");
  }, [props.service]);
  useEffect(() => {
    if (!capture || capture.done) return;
    const timer = setTimeout(() => {
      captureState(capture.id).then(setCapture, (e: unknown) => {
        setProblem((e as Error).message);
        setCapture(undefined);
      });
    }, pollMs);
    return () => clearTimeout(timer);
  }, [capture]);
  const take = async () => {
    const { service } = props;
    setProblem("");
    setCapture(undefined);
    try {
      const begun = await takeProfile({ service, kind, seconds: Number(seconds), all });
      if (latest.current === service) setCapture(begun);
    } catch (e) {
      setProblem((e as Error).message);
    }
  };
  return (
    <Popover label="Capture" title="Take a profile of running instances now" align="right">
      {() => (
        <div class="control-panel">
          <form
            class="control-form"
            onSubmit={(event) => {
              event.preventDefault();
              void take();
            }}
          >
            <Select shown label="Profile" value={kind} options={kinds} onChange={setKind} />
            <Select shown label="For" value={seconds} options={durations} onChange={setSeconds} />
            <label>
              <input
                type="checkbox"
                checked={all}
                onChange={(event) => setAll(event.currentTarget.checked)}
              />{" "}
              All instances of <bdi>{props.service}</bdi>
            </label>
            <button type="submit" class="primary" disabled={capture && !capture.done}>
              Take a profile
            </button>
          </form>
          {problem && (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
          {capture && <CaptureResult capture={capture} onProblem={setProblem} />}
        </div>
      )}
    </Popover>
  );
}
