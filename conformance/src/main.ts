#!/usr/bin/env node
import { readFile, writeFile } from "node:fs/promises"
import { program } from "./command/Program.ts"

process.exitCode = await program(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  readFile: (path) => readFile(path, "utf8"),
  writeFile: (path, text) => writeFile(path, text),
  colour: process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined,
})
