/** One step of the schema. */
export interface Migration {
  /** 1, 2, 3 …: the `user_version` after it. */
  readonly version: number;
  readonly name: string;
  /** Several statements; runs inside one transaction. */
  readonly sql: string;
}
