/** `doctor`: what keeps a store right. */
import type { Command } from "commander";
import { addDoctorImport } from "./doctor-import-command.ts";

export function addDoctor(program: Command, context: Parameters<typeof addDoctorImport>[1]): void {
  const doctor = program
    .command("doctor")
    .description("Take over a legacy store (doctor import).")
    .option(
      "--home <folder>",
      "where Backscroll keeps its databases (BACKSCROLL_HOME, else the data folder of this user)",
    )
    .option("--json", "one JSON answer, for programs");
  addDoctorImport(doctor, context);
}
