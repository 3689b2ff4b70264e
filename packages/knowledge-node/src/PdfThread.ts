import { Worker } from "node:worker_threads"
import { UnreadableFile } from "@carillon/core"
import { Effect } from "effect"
import type { PdfTask, PdfText } from "./PdfTask.ts"

/** What one PDF may ask for. */
export interface PdfBounds {
  /** Real time. */
  readonly timeMs: number
  /** Memory of the thread, what it holds outside of its heap included. */
  readonly memoryBytes: number
  /** Characters of text, and pages. */
  readonly charactersMax: number
  readonly pagesMax: number
}

export const defaultBounds: PdfBounds = {
  timeMs: 60_000,
  memoryBytes: 128 * 1024 * 1024,
  charactersMax: 20_000_000,
  pagesMax: 20_000,
}

/** Memory of a thread for what is new, which V8 counts apart. */
const youngMegabytes = 16

/** How often a thread's memory is looked at: it cannot be trusted to keep to a limit that covers its heap alone. */
const memoryLookMs = 25

// The same file with the ending of this one: the sources are run as they are, too.
const script = new URL(import.meta.url.endsWith(".ts") ? "./PdfWorker.ts" : "./PdfWorker.js", import.meta.url)

const start = (bytes: Uint8Array, { charactersMax, memoryBytes, pagesMax }: PdfBounds): Worker => {
  const task: PdfTask = { bytes, charactersMax, pagesMax }
  const worker = new Worker(script, {
    workerData: task,
    // Nothing of the host's environment and flags, and nothing of its output.
    env: {},
    execArgv: [],
    argv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxOldGenerationSizeMb: Math.ceil(memoryBytes / 1024 ** 2),
      maxYoungGenerationSizeMb: youngMegabytes,
      stackSizeMb: 4,
    },
  })
  worker.unref()
  return worker
}

/**
 * Reads the text of a PDF in a thread of its own, which is ended when it has answered, when it asks for more time or memory than it
 * may have, or when nobody waits for it any more.
 */
export const readPdf = (bytes: Uint8Array, bounds: PdfBounds): Effect.Effect<string, UnreadableFile> =>
  Effect.callback<string, UnreadableFile>((resume) => {
    const worker = start(bytes, bounds)
    const unreadable = Effect.fail(new UnreadableFile())
    const end = () => {
      clearTimeout(patience)
      clearInterval(look)
      worker.removeAllListeners()
      // What is still to come of it concerns nobody.
      worker.on("error", () => {})
      return worker.terminate()
    }
    const settle = (answer: Effect.Effect<string, UnreadableFile>) => {
      void end()
      resume(answer)
    }
    const patience = setTimeout(() => settle(unreadable), bounds.timeMs)
    const look = setInterval(() => {
      worker.getHeapStatistics().then(
        ({ external_memory, total_heap_size }) => {
          if (external_memory + total_heap_size > bounds.memoryBytes) settle(unreadable)
        },
        // The thread is on its way out, and says so itself.
        () => {},
      )
    }, memoryLookMs)
    worker
      .on("message", (found: PdfText) => settle(found._tag === "Text" ? Effect.succeed(found.text) : unreadable))
      .on("messageerror", () => settle(unreadable))
      .on("error", () => settle(unreadable))
      .on("exit", () => settle(unreadable))
    return Effect.promise(end)
  })
