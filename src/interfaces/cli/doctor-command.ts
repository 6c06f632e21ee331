/** `doctor`: what keeps a store right. */
import type { Command } from "commander";
import { type CliContext, command } from "./command.ts";
import { addDoctorImport } from "./doctor-import-command.ts";

export function addDoctor(program: Command, context: CliContext): void {
  const doctor = command(program, "doctor", "Take over a legacy store (doctor import).");
  addDoctorImport(doctor, context);
}
