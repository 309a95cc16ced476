// SPDX-License-Identifier: Apache-2.0
// Profiles without a selection: a list of services. It does not query all services together, which
// is expensive on a large server.
import { useState } from "preact/hooks";
import { useAnswer } from "../api/client";
import { allServices } from "../api/selection";
import { ServicesAnswer } from "../api/types";
import { AnswerNote, Empty, Ends, endsOf, Link, TextInput } from "../base/components";
import { State } from "../url";
import { FirstStart } from "./FirstStart";
import { servicesQuery } from "./queries";
import { serviceQuery } from "./Services";

const maxShown = 200;

// `resolved`: the state with resolved times.
export function ChooseService(props: { state: State; resolved: State; tick: number }) {
  const { state } = props;
  const [filter, setFilter] = useState("");
  const answer = useAnswer<ServicesAnswer>(servicesQuery(props.resolved), props.tick);
  const services = answer.data?.services ?? [];
  if (answer.data && !services.length) return <FirstStart range={state} />;
  const shown = services.filter((s) => s.name.toLowerCase().includes(filter.toLowerCase()));
  return (
    <>
      <AnswerNote answer={answer} what="services" />
      {answer.data && (
        <Empty title="Select a service">
          {services.length > 8 && (
            <TextInput
              id="search"
              label="Filter services"
              value={filter}
              onChange={setFilter}
              delay={0}
            />
          )}
          <p class="row centred choose-service">
            {shown.slice(0, maxShown).map((s) => (
              <Link
                key={s.name}
                class="button"
                to={{
                  query: serviceQuery(s.name),
                  type: s.types.includes(state.type) ? state.type : "",
                  zoom: [],
                }}
              >
                <Ends parts={endsOf(s.name)} title={s.name} />
              </Link>
            ))}
          </p>
          {shown.length > maxShown && (
            <p class="soft">{shown.length - maxShown} more: filter to see them.</p>
          )}
          <p>
            <Link to={{ query: allServices, zoom: [] }}>All services together</Link>
          </p>
        </Empty>
      )}
    </>
  );
}
