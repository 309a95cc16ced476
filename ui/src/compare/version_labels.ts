// SPDX-License-Identifier: Apache-2.0
// Which labels contain the version of a service.

// Label names of versions, the most reliable first. Case, and the difference of dots, dashes and
// underscores, are ignored.
const names = [
  "service_version",
  "version",
  "app_version",
  "release",
  "vcs_ref_head_revision",
  "vcs_revision",
  "git_commit",
  "git_sha",
  "git_ref",
  "commit",
  "commit_sha",
  "revision",
  "sha",
  "build",
  "build_id",
  "container_image_tag",
  "image_tag",
  "tag",
  "deployment_id",
];

const plain = (name: string) => name.toLowerCase().replace(/[.\-/]/g, "_");

// Return the labels that may contain versions, the most likely first.
export function versionLabels(labels: readonly string[]): string[] {
  const rank = (label: string) => {
    const text = plain(label);
    const at = names.indexOf(text);
    if (at >= 0) return at;
    return /(^|_)(version|commit|revision|release|git_sha)$/.test(text) &&
      !/^(telemetry|process_runtime|os|kernel|host)_/.test(text)
      ? names.length
      : Infinity;
  };
  return labels
    .filter((l) => !l.startsWith("__") && rank(l) < Infinity)
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}
