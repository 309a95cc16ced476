// SPDX-License-Identifier: Apache-2.0
// The button that changes what the running instances of a service profile, for a limited time.
import { useEffect, useState } from "preact/hooks";
import { useAnswer } from "../api/client";
import { AnswerNote, Popover, Select } from "../base/components";
import { ControlAnswer, controlQuery, endLease, Lease, leaseState, setLease } from "./control";
import "./control.css";

const kinds = ["cpu", "heap", "wall", "mutex", "block"] as const;
const durations = [
  ["60", "1 minute"],
  ["300", "5 minutes"],
  ["900", "15 minutes"],
  ["3600", "1 hour"],
] as const;
const pollMs = 1000; // while the panel is open: instances confirm within seconds

function LeaseRow(props: { lease: Lease; onEnd: () => void }) {
  const { lease } = props;
  const left = Math.max(0, Math.round(lease.remaining_ms / 1000));
  return (
    <p class="control-lease" role="status">
      <strong>In effect</strong> for another {left} s: {leaseState(lease)}
      <span class="soft"> · by {lease.author}</span>{" "}
      <button type="button" class="small" onClick={props.onEnd}>
        End now
      </button>
    </p>
  );
}

function ControlForm(props: { service: string; onChange: () => void }) {
  const [hz, setHz] = useState("500");
  const [chosen, setChosen] = useState<readonly string[]>(["cpu", "heap"]);
  const [seconds, setSeconds] = useState<string>("60");
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState("");
  const apply = async () => {
    setProblem("");
    try {
      const change = { cpuHz: Number(hz), kinds: chosen, seconds: Number(seconds), reason };
      await setLease(props.service, change);
    } catch (e) {
      setProblem((e as Error).message);
    }
    props.onChange();
  };
  const toggle = (kind: string) =>
    setChosen(chosen.includes(kind) ? chosen.filter((k) => k !== kind) : [...chosen, kind]);
  return (
    <form
      class="control-form"
      onSubmit={(event) => {
        event.preventDefault();
        void apply();
      }}
    >
      <label>
        CPU samples per second{" "}
        <input
          type="number"
          min="1"
          max="1000"
          required
          value={hz}
          onInput={(event) => setHz(event.currentTarget.value)}
        />
      </label>
      <fieldset>
        <legend>Profiles</legend>
        {kinds.map((kind) => (
          <label key={kind}>
            <input type="checkbox" checked={chosen.includes(kind)} onChange={() => toggle(kind)} />{" "}
            {kind}
          </label>
        ))}
      </fieldset>
      <Select
        shown
        label="For"
        value={seconds}
        options={durations}
        onChange={(value: string) => setSeconds(value)}
      />
      <label>
        Reason{" "}
        <input
          type="text"
          maxLength={200}
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary">
        Apply
      </button>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}

function ControlPanel(props: { service: string }) {
  const [tick, setTick] = useState(0);
  const [problem, setProblem] = useState("");
  const state = useAnswer<ControlAnswer>(controlQuery(props.service), tick);
  const refresh = () => setTick((n) => n + 1);
  useEffect(() => {
    const timer = setInterval(refresh, pollMs);
    return () => clearInterval(timer);
  }, []);
  const end = () => {
    setProblem("");
    endLease(props.service)
      .catch((e: unknown) => setProblem((e as Error).message))
      .finally(refresh);
  };
  const data = state.data;
  if (!data) return <AnswerNote answer={state} what="the instances" />;
  if (!data.enabled) return <p class="soft">{data.disabled_reason}</p>;
  if (!data.instance_count)
    return (
      <p class="soft">
        No instance of {props.service} reports to this server. Programs under <code>varve run</code>{" "}
        and with libvarve report to a server on the same machine; for other servers set{" "}
        <code>VARVE_CONTROL=on</code>.
      </p>
    );
  const refusal = data.instances.find((i) => i.lease_state === "refused")?.lease_error;
  return (
    <>
      <p class="control-count">
        {data.instance_count} {data.instance_count === 1 ? "instance" : "instances"} of{" "}
        <bdi>{props.service}</bdi>
      </p>
      {data.leases.map((lease) => (
        <LeaseRow key={lease.id} lease={lease} onEnd={end} />
      ))}
      {refusal && <p class="problem">{refusal}</p>}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <ControlForm service={props.service} onChange={refresh} />
    </>
  );
}

// `service`: the one that is shown.
export function ControlMenu(props: { service: string }) {
  return (
    <Popover
      label="Control"
      title="Change what running instances profile, for a limited time"
      align="right"
    >
      {() => (
        <div class="control-panel">
          <ControlPanel service={props.service} />
        </div>
      )}
    </Popover>
  );
}
