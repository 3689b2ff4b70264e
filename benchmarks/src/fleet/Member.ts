import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { FromProcess } from "./Protocol.ts"

const logCharacters = 20_000

/** A child process with an HTTP server. */
export class Member {
  readonly name: string
  readonly child: ChildProcess
  url = ""
  log = ""

  constructor(name: string, file: string, args: ReadonlyArray<string>, noted: (entry: string) => void) {
    this.name = name
    const flags = ["--conditions=@carillon/source", join(import.meta.dirname, file), ...args]
    this.child = spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "pipe", "ipc"] })
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on("data", (piece: Buffer) => {
        const text = piece.toString()
        this.log = (this.log + text).slice(-logCharacters)
        for (const [, level = "", message = ""] of text.matchAll(/\] (WARN|ERROR) \(#\d+\): (.*)/g)) {
          noted(`${level} ${message}`)
        }
      })
    }
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  /** The next word of the process. */
  hear(): Promise<FromProcess> {
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Error(`${this.name} ended: ${this.log}`))
      if (!this.isAlive) return fail()
      this.child.once("exit", fail)
      this.child.once("message", (message: FromProcess) => {
        this.child.off("exit", fail)
        resolve(message)
      })
    })
  }

  async listening(): Promise<this> {
    const word = await this.hear()
    if (word.type !== "listening") throw new Error(`${this.name} said ${word.type}`)
    this.url = `http://127.0.0.1:${word.port}`
    return this
  }

  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    if (!this.isAlive) return
    const ended = once(this.child, "exit")
    this.child.kill(signal)
    await ended
  }
}
