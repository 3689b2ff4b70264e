#!/usr/bin/env node
import "effect/schema/SchemaJITCompiler/enable"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { program } from "./Program.ts"

/** Who is told twice ends at once. */
const stopped = async (): Promise<"softly" | "at once"> => {
  const told = await Promise.race([
    once(process, "SIGTERM").then(() => "softly" as const),
    once(process, "SIGINT").then(() => "at once" as const),
  ])
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit(1))
  return told
}

process.exit(
  await program(process.argv.slice(2), {
    environment: process.env,
    readFile: (path) => readFileSync(path, "utf8"),
    write: (line) => process.stdout.write(`${line}\n`),
    complain: (line) => process.stderr.write(`${line}\n`),
    stopped,
  }),
)
