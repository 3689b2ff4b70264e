import { ceilingsFor, effectiveMax, type ResolvedCeilings, type SlotCeilings } from "./SlotLevels.ts"

/** The figures of `concurrency` on `GET /v2/user/me`. */
export interface ConcurrencyFigures {
  readonly max: number
  readonly enforced: boolean
  readonly current: number
  readonly available: number
  readonly levels: { readonly platform: number; readonly organization: number; readonly agent: number }
}

/** The figures of an organization that has so many lines in use. Under a lowered ceiling it has more than it may, and none is available. */
export const figuresOf = (ceilings: ResolvedCeilings, current: number): ConcurrencyFigures => {
  const max = effectiveMax(ceilings)
  return {
    max,
    enforced: ceilings.enforced,
    current,
    available: Math.max(0, max - current),
    levels: { platform: ceilings.platform, organization: ceilings.organization, agent: ceilings.agent },
  }
}

/** What these figures hold a dial against, and the campaign's own ceiling. */
export const ceilingsOf = ({ enforced, levels }: ConcurrencyFigures, maxConcurrentCalls: number | null): SlotCeilings =>
  ceilingsFor({ ...levels, enforced }, maxConcurrentCalls)
