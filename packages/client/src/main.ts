#!/usr/bin/env node
import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import { program } from "./command/Program.ts"

process.exitCode = await program(process.argv.slice(2), {
  env: process.env,
  lines: (file) =>
    createInterface({ input: file === "-" ? process.stdin : createReadStream(file), crlfDelay: Infinity }),
  write: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
})
