// SPDX-License-Identifier: Apache-2.0
// Where a server keeps the data of several tenants apart: whose is looked at.
import { useState } from "preact/hooks";
import { ApiError, setTenant, tenant } from "../api/client";
import { Empty, Popover } from "./parts";

function TenantForm() {
  const [name, setName] = useState(tenant());
  return (
    <form
      class="row tenant-form"
      onSubmit={(event) => {
        event.preventDefault();
        setTenant(name.trim());
      }}
    >
      <label>
        Tenant <input type="text" autocomplete="off" spellcheck={false} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <button type="submit" class="primary">
        Show
      </button>
    </form>
  );
}

// Instead of a view: nothing can be shown before it is known.
export function WhoseData(props: { why: ApiError }) {
  return (
    <Empty title="Select a tenant">
      <p class="soft">{tenant() ? props.why.message : "This server has several tenants. Enter the one whose data to show."}</p>
      <TenantForm />
    </Empty>
  );
}

export function TenantButton() {
  const name = tenant();
  if (!name) return null;
  return (
    <Popover label={<bdi class="clip">{name}</bdi>} title={`Tenant ${name}`} class="quiet tenant" align="right">
      {() => <TenantForm />}
    </Popover>
  );
}
