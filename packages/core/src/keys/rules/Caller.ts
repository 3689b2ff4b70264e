import type { Asker } from "../../engine/rules/By.ts"
import type { ApiKey } from "./ApiKey.ts"

/** Who asks: an authenticated key and the organization it is bound to. */
export interface Caller extends Asker {
  readonly key: ApiKey
  /** Calls back once nobody waits for the answer any more; returns how to stop. Left out where that cannot be known. */
  readonly whenGone?: WhenGone | undefined
  /** Is told that the request's own record says, or will say, how it failed: it needs no other one. */
  readonly onRecorded?: (() => void) | undefined
}

/** On behalf of somebody who asks. */
export interface ByCaller {
  readonly caller: Caller
}

export type WhenGone = (listener: () => void) => () => void
