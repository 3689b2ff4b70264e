import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

/** A process of a run that is asked one thing after the other. */
export class Child<To extends object, From extends { readonly type: string }> {
  readonly #child: ChildProcess

  constructor(file: string, args: ReadonlyArray<string> = []) {
    this.#child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
      execArgv: ["--conditions=@carillon/source"],
    })
  }

  /** Its next word, which must be of a type. */
  hear<Type extends From["type"]>(type: Type): Promise<Extract<From, { readonly type: Type }>> {
    const isAwaited = (word: From): word is Extract<From, { readonly type: Type }> => word.type === type
    return new Promise((resolve, reject) => {
      const failed = (code: number | null) => reject(new Error(`A process ended with code ${code}.`))
      this.#child.once("exit", failed).once("message", (word: From) => {
        this.#child.off("exit", failed)
        if (isAwaited(word)) resolve(word)
        else reject(new Error(`A process said ${word.type} instead of ${type}.`))
      })
    })
  }

  ask<Type extends From["type"]>(message: To, type: Type): Promise<Extract<From, { readonly type: Type }>> {
    const answer = this.hear(type)
    this.#child.send(message)
    return answer
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, "exit")
    this.#child.kill()
    await ended
  }
}
