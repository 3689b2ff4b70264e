import { Effect } from "effect"
import type { PortError } from "../Errors.ts"
import { type SilentLines, silentLines } from "../limits/Comparison.ts"
import { limits } from "../Limits.ts"
import type { CallStore } from "./ports/CallStore.ts"

/** What the lines of an organization wait for. */
export interface HeldLines {
  /** Of them, those whose calls nobody has heard of for `limits.silentLineMs` or longer. */
  readonly silent: SilentLines
  /** Of them, those of whose dials nobody knows what became: the carrier did not say, and is asked. */
  readonly unconfirmed: number
  /** Whether some were not looked at, because there are more than `limits.silentLinesRead`. */
  readonly isPart: boolean
}

const atTheCarrier = new Set(["queued", "rescheduled", "initiated", "ringing", "in-progress"] as const)

/** Reads at most one page of an organization's live calls, by their index. */
export const heldLines = (
  calls: CallStore["Service"],
  organizationId: string,
  now: number,
): Effect.Effect<HeldLines, PortError> =>
  Effect.map(
    calls.page(organizationId, { statuses: atTheCarrier }, { page: 1, page_size: limits.silentLinesRead }),
    ({ items, total }) => ({
      silent: silentLines(items, now),
      unconfirmed: items.filter(({ dial }) => dial === "unconfirmed").length,
      isPart: total > items.length,
    }),
  )
