import { createHash } from "node:crypto"
import type { EdgeResponse } from "@carillon/http"
import type { Stage } from "../Stage.ts"
import type { Audience } from "./Replay.ts"

/**
 * The hash of everything that a world does: every commit with its rows, events and audit, every answer to every input, and every
 * request to an inbox, in their order.
 */
export class Fingerprint implements Audience {
  readonly #hash = createHash("sha256")

  readonly opened = ({ world }: Stage): void => {
    world.tables.onCommit((commit) => this.#add("commit", commit))
    world.inboxes.onRequest((name, request) => this.#add(`inbox ${name}`, request))
  }

  readonly answered = ({ body, headers, status }: EdgeResponse): void => this.#add("answer", { status, headers, body })

  /** The hash, once everything is over. */
  readonly digest = ({ world }: Stage): string => {
    this.#add("legs", world.carrier.query({}, world.clock.now()))
    this.#add("end", { now: world.clock.now(), violations: world.invariants.violations })
    return this.#hash.digest("hex")
  }

  #add(what: string, value: unknown): void {
    this.#hash.update(`${what} ${JSON.stringify(value)}\n`)
  }
}
