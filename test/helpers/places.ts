/** Where a test may put its files. */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";

/** In memory where the system has such a place: for tests that open hundreds of stores, and are not about the disk. */
export function memoryPlace(): string {
  return existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
}
