/** How titles and project folders are compared: whatever their case and composition, and for folders the kind of slash. */

export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

export function foldPath(path: string): string {
  return foldCase(path).replaceAll("\\", "/");
}
