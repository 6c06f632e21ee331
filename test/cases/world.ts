/**
 * The world of one case: a fresh home and a fresh folder of transcript files, both thrown away afterwards. The library
 * is opened over them through its public `open`, with no back door.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import {
  type AgentStore,
  type Backscroll,
  builtInSources,
  type EntryDraft,
  type ImportRoot,
  open,
  parseSessionKey,
  type SessionKey,
} from "../../src/index.ts";
import { NotRun } from "./not-run.ts";
import { SessionNames } from "./session-names.ts";

export class World {
  readonly names = new SessionNames();
  readonly home: string;
  /** What imports could not take in as it stands; shown where a case fails. */
  readonly notes: string[] = [];
  store: Backscroll;
  readonly #folder: string;
  readonly #roots: ImportRoot[] = [];
  readonly #drafts = new Map<string, EntryDraft>();
  #time = Date.parse("2026-01-01T00:00:00Z");
  #ids = 0;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), "backscroll-case-"));
    this.home = join(this.#folder, "home");
    this.store = this.#open();
  }

  /** Idempotent. */
  end(): void {
    this.store.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  reopen(): void {
    this.store.close();
    this.store = this.#open();
  }

  /** Epoch ms of the last message. */
  get time(): number {
    return this.#time;
  }

  /** The time of the next message: as given, else one second after the last one. */
  tick(given?: string): number {
    this.#time = given === undefined ? this.#time + 1000 : Date.parse(given);
    if (Number.isNaN(this.#time)) throw new NotRun(`${JSON.stringify(given)} is not a time`);
    return this.#time;
  }

  nextId(): string {
    this.#ids += 1;
    return `auto-${this.#ids}`;
  }

  remember(key: SessionKey, draft: EntryDraft): void {
    this.#drafts.set(`${key} ${draft.id}`, draft);
  }

  /** A message as a step wrote it last. */
  remembered(key: SessionKey, id: string): EntryDraft | undefined {
    return this.#drafts.get(`${key} ${id}`);
  }

  /** The store that a session is written through. */
  agentStore(key: SessionKey): AgentStore {
    const agentId = parseSessionKey(key)?.agentId;
    if (agentId === undefined) throw new Error(`${key} is not a session key`);
    return this.store.store(agentId);
  }

  /** The key of a session that exists: written by a step, or imported. @throws {Error} when there is none. */
  async keyOf(name: string): Promise<SessionKey> {
    const written = this.names.written(name);
    if (written) return written;
    for (let cursor: string | undefined; ; ) {
      const page = await this.store.sessions({ ...(cursor !== undefined && { cursor }) });
      const found = page.sessions.find((session) => this.names.is(session, name));
      if (found) return found.sessionKey;
      if (page.cursor === undefined) throw new Error(`there is no session ${JSON.stringify(name)}`);
      cursor = page.cursor;
    }
  }

  writeFile(format: string, path: string, content: string, mtime?: string): void {
    const file = this.#file(format, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    if (mtime !== undefined) utimesSync(file, new Date(mtime), new Date(mtime));
  }

  /** @throws {Error} when no step put such a file there. */
  removeFile(path: string): void {
    const files = this.#roots.map(({ folder }) => join(folder, normalize(path))).filter((file) => existsSync(file));
    if (files.length === 0) throw new Error(`there is no file ${path}`);
    for (const file of files) rmSync(file);
  }

  /** Imports from every folder that a step put a file in. */
  async import(): Promise<void> {
    const { files, problems } = await this.store.import(this.#roots);
    if (files.failed > 0) this.notes.push(`import: ${files.failed} of ${files.found} files failed`);
    for (const { code, line, reason } of problems)
      this.notes.push(`import: ${code}${line === undefined ? "" : ` at line ${line}`}: ${reason}`);
  }

  #file(format: string, path: string): string {
    const source = builtInSources.find(({ id }) => id === format);
    if (!source) throw new NotRun(`the transcript format ${format}`);
    const inside = normalize(path);
    if (inside.startsWith("..") || inside.startsWith("/"))
      throw new NotRun(`the path ${path} leads out of the source's folder`);
    const folder = join(this.#folder, "sources", format);
    if (!this.#roots.some((root) => root.folder === folder)) this.#roots.push({ source, folder });
    return join(folder, inside);
  }

  #open(): Backscroll {
    // A fixed zone: no verdict may hang on where the cases run.
    return open({ home: this.home, timeZone: "UTC" });
  }
}
