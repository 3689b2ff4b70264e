#!/usr/bin/env node
import { readFileSync } from "node:fs"
import { adminProgram } from "./AdminProgram.ts"

process.exit(
  await adminProgram(process.argv.slice(2), {
    environment: process.env,
    readFile: (path) => readFileSync(path, "utf8"),
    write: (line) => process.stdout.write(`${line}\n`),
    complain: (line) => process.stderr.write(`${line}\n`),
  }),
)
