import type { Asker } from "../../engine/rules/By.ts"
import type { HeldKey } from "../../engine/rules/HeldKey.ts"
import type { ApiKey } from "./ApiKey.ts"

/** What a request with an `Idempotency-Key` may make: one resource of this id, while this process holds the key. */
export interface Keyed {
  readonly held: HeldKey
  readonly subject: string
}

/** Who asks: an authenticated key and the organization it is bound to. */
export interface Caller extends Asker {
  readonly key: ApiKey
  /** Calls back once nobody waits for the answer any more; returns how to stop. Left out where that cannot be known. */
  readonly whenGone?: WhenGone | undefined
  /** The key of the request, and how what it makes is to be called; left out where it has none. */
  readonly keyed?: Keyed | undefined
  /** Is told that the request's own record says, or will say, how it failed: it needs no other one. */
  readonly onRecorded?: (() => void) | undefined
}

/** On behalf of somebody who asks. */
export interface ByCaller {
  readonly caller: Caller
}

export type WhenGone = (listener: () => void) => () => void
