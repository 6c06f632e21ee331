/**
 * Gives up root's rights, where the parent asked for that: after everything was loaded, as the folder that the tests lie in
 * may be closed to others.
 */
export const asked = "BACKSCROLL_TEST_AS";

export function becomeNobody(): void {
  const id = Number(process.env[asked] ?? "");
  if (!(id > 0)) return;
  process.chdir("/");
  process.setgroups?.([]);
  process.setgid?.(id);
  process.setuid?.(id);
}
