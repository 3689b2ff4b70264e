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

const isTerminal = process.stderr.isTTY === true
const eraseLine = "\r\u001b[2K"
/** Erases a line of progress before anything else is printed. */
let erase = ""
const printing = (stream: NodeJS.WriteStream) => (text: string) => {
  if (erase !== "") process.stderr.write(erase)
  erase = ""
  stream.write(text)
}
const progress = (line: string): void => {
  process.stderr.write(`${eraseLine}${line}`)
  erase = eraseLine
}

// The first Ctrl-C ends the run and takes away what it made; the second one ends the process.
const interrupted = new AbortController()
// So does a reader that goes away, such as `head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
  interrupted.abort(new Error("nobody reads any more"))
})
process.once("SIGINT", () => interrupted.abort(new Error("interrupted")))

process.exitCode = await program(process.argv.slice(2), {
  out: printing(process.stdout),
  err: printing(process.stderr),
  readFile: (path) => readFile(path, "utf8"),
  writeFile: async (path, text) => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  },
  ...(process.stdin.isTTY && isTerminal ? { confirm } : {}),
  ...(isTerminal ? { progress } : {}),
  memory,
  signal: interrupted.signal,
  colour: process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined,
})
