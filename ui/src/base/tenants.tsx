// SPDX-License-Identifier: Apache-2.0
// Selection of the tenant, on a server with tenants.
import { useState } from "preact/hooks";
import { ApiError, setTenant, tenant } from "../api/client";
import { Empty, Popover } from "./components";

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
        Tenant{" "}
        <input
          type="text"
          autocomplete="off"
          spellcheck={false}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary">
        Show
      </button>
    </form>
  );
}

// Shown instead of a view until a tenant is selected.
export function TenantPrompt(props: { why: ApiError }) {
  return (
    <Empty title="Select a tenant">
      <p class="soft">
        {tenant()
          ? props.why.message
          : "This server has several tenants. Enter the tenant whose data you want to see."}
      </p>
      <TenantForm />
    </Empty>
  );
}

export function TenantButton() {
  const name = tenant();
  if (!name) return null;
  return (
    <Popover
      label={<bdi class="clip">{name}</bdi>}
      title={`Tenant ${name}`}
      class="quiet tenant"
      align="right"
    >
      {() => <TenantForm />}
    </Popover>
  );
}
