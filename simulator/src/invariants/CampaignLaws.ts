import type { DialCommand } from "@carillon/core"
import type { Commit } from "@carillon/core/ports"
import { attemptLaws } from "./AttemptLaws.ts"
import type { Invariants } from "./Invariants.ts"
import { outcomeLaws, type OutcomeLawsOptions } from "./OutcomeLaws.ts"
import { type SharingLaws, sharingLaws, type SharingLawsOptions } from "./SharingLaws.ts"

export interface CampaignLaws extends SharingLaws {
  /** A call is being dialled. */
  readonly dialled: (command: DialCommand) => void
  /** A leg of the carrier began or ended. */
  readonly leg: (command: DialCommand, by: 1 | -1) => void
}

export type CampaignLawsOptions = SharingLawsOptions & OutcomeLawsOptions

/** The laws of campaigns: fair shares, hours, budgets and counts, folded over commits and legs. */
export const campaignLaws = (invariants: Invariants, options: CampaignLawsOptions): CampaignLaws => {
  const sharing = sharingLaws(invariants, options)
  const attempts = attemptLaws(invariants, options)
  const outcomes = outcomeLaws(invariants, options)
  return {
    ...sharing,
    observe: (commit: Commit) => {
      attempts.observe(commit)
      sharing.observe(commit)
      outcomes(commit)
    },
    dialled: attempts.dialled,
    leg: attempts.leg,
  }
}
