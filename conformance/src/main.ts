#!/usr/bin/env node
import "./command/RecentNode.ts"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline/promises"
import { program } from "./command/Program.ts"

const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache")
const lastRuns = join(cache, "carillon-conformance", "last.json")

/** What the last runs found is a help and no more: a folder that cannot be written is none. */
const memory = {
  read: () => readFile(lastRuns, "utf8").catch(() => undefined),
  write: async (text: string) => {
    try {
      await mkdir(dirname(lastRuns), { recursive: true })
      await writeFile(lastRuns, text)
    } catch {
      process.stderr.write(`what failed is not remembered: ${lastRuns} cannot be written\n`)
    }
  },
}

const confirm = async (question: string): Promise<boolean> => {
  const asked = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await asked.question(`${question} [y/N] `)
  asked.close()
  return /^y(es)?$/i.test(answer.trim())
}

// The first Ctrl-C ends the run and takes away what it made; the second one ends the process.
const interrupted = new AbortController()
process.once("SIGINT", () => interrupted.abort(new Error("interrupted")))

process.exitCode = await program(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  readFile: (path) => readFile(path, "utf8"),
  writeFile: (path, text) => writeFile(path, text),
  ...(process.stdin.isTTY && process.stderr.isTTY ? { confirm } : {}),
  memory,
  signal: interrupted.signal,
  colour: process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined,
})
