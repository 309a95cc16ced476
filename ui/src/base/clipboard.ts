// SPDX-License-Identifier: Apache-2.0
// Copies text to the clipboard. Pages without HTTPS may not use navigator.clipboard and fall back
// to execCommand().
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "hidden-text";
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}
