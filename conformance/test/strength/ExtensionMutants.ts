import type { Mutant } from "./Mutant.ts"
import { callCapMutants } from "./mutants/ExtensionCallCaps.ts"
import { calleeHoursMutants } from "./mutants/ExtensionCalleeHours.ts"
import { campaignBreakerMutants } from "./mutants/ExtensionCampaignBreaker.ts"
import { campaignOrderMutants } from "./mutants/ExtensionCampaignOrder.ts"
import { campaignLogMutants } from "./mutants/ExtensionCampaignLog.ts"
import { suppressionMutants } from "./mutants/ExtensionSuppressions.ts"
import { numbered } from "./Table.ts"

/** Servers that each break one promise of an extension: written from the clauses, after the cases. They stand apart from those of the contract, and are in no figure of them. */
export const extensionMutants: ReadonlyArray<Mutant> = numbered([
  ...suppressionMutants,
  ...calleeHoursMutants,
  ...callCapMutants,
  ...campaignLogMutants,
  ...campaignBreakerMutants,
  ...campaignOrderMutants,
])
