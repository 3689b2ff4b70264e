import type { Chance } from "../ports/Chance.ts"
import type { Ids } from "../ports/Ids.ts"
import type { IdKind } from "../rules/IdKinds.ts"

/**
 * The moment of a decision: the time, and what is drawn. A decision is given it and asks no clock and no service, so that it can be made
 * again for the same moment, and read beside its rule.
 */
export interface Moment {
  /** Epoch milliseconds of domain time. */
  readonly now: number
  /** An id. The derivation names what it belongs to. */
  readonly mint: Ids["Service"]["mint"]
  /** A number that this process gives once for each kind of id, from 0: it tells ids apart whose derivation is the same otherwise. */
  readonly nth: (kind: IdKind) => number
  /** A draw in [0, 1). The key names the decision. */
  readonly draw: Chance["Service"]["draw"]
}

/** The moments of one process. */
export const moments = (now: () => number, { mint }: Ids["Service"], { draw }: Chance["Service"]): (() => Moment) => {
  const given = new Map<IdKind, number>()
  const nth = (kind: IdKind): number => {
    const count = given.get(kind) ?? 0
    given.set(kind, count + 1)
    return count
  }
  return () => ({ now: now(), mint, nth, draw })
}
