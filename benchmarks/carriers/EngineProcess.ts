import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { EngineSettings, FromEngine, ToEngine } from "./Protocol.ts"

const logCharacters = 20_000
/** A fresh database takes a while on a busy machine. */
const answerMs = 120_000

/** An engine in a process of its own, as its parent knows it. */
export class EngineProcess {
  readonly #child: ChildProcess
  log = ""

  private constructor(settings: EngineSettings) {
    const file = join(import.meta.dirname, "EngineServer.ts")
    const flags = ["--conditions=@carillon/source", file, "--settings", JSON.stringify(settings)]
    this.#child = spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "pipe", "ipc"] })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (piece: Buffer) => {
        this.log = (this.log + piece.toString()).slice(-logCharacters)
      })
    }
  }

  /** Starts one, and waits until it serves. */
  static async start(settings: EngineSettings): Promise<EngineProcess> {
    const engine = new EngineProcess(settings)
    const word = await engine.#hear()
    if (word.type !== "listening") throw new Error(`The engine said ${word.type}: ${engine.log}`)
    return engine
  }

  async ask<Type extends FromEngine["type"]>(
    word: ToEngine,
    expected: Type,
  ): Promise<Extract<FromEngine, { readonly type: Type }>> {
    const heard = this.#hear()
    this.#child.send(word)
    const answer = await heard
    if (!isOf(answer, expected)) throw new Error(`The engine answered ${JSON.stringify(answer)}`)
    return answer
  }

  /** Ends it where it stands. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, "exit")
    this.#child.kill("SIGKILL")
    await ended
  }

  #hear(): Promise<FromEngine> {
    return new Promise((resolve, reject) => {
      const clear = () => {
        clearTimeout(patience)
        this.#child.off("exit", end).off("message", take)
      }
      const take = (word: FromEngine) => {
        clear()
        resolve(word)
      }
      const end = () => {
        clear()
        reject(new Error(`The engine has ended: ${this.log}`))
      }
      const patience = setTimeout(() => {
        clear()
        reject(new Error(`The engine says nothing: ${this.log}`))
      }, answerMs)
      this.#child.once("exit", end).once("message", take)
    })
  }
}

const isOf = <Type extends FromEngine["type"]>(
  word: FromEngine,
  type: Type,
): word is Extract<FromEngine, { readonly type: Type }> => word.type === type
