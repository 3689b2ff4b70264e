import type { ExtensionClause, ExtensionSection } from "./Clause.ts"
import { callCaps } from "./extensions/CallCaps.ts"
import { calleeHours } from "./extensions/CalleeHours.ts"
import { campaignBreaker } from "./extensions/CampaignBreaker.ts"
import { campaignOrder } from "./extensions/CampaignOrder.ts"
import { campaignLog } from "./extensions/CampaignLog.ts"
import { suppressions } from "./extensions/Suppressions.ts"

/** Every section of the pages of the extensions. */
export const extensionSections: ReadonlyArray<ExtensionSection> = [
  ...suppressions,
  ...calleeHours,
  ...callCaps,
  ...campaignLog,
  ...campaignBreaker,
  ...campaignOrder,
]

/** Every promise of an extension, in the order of its page. The contract has none of them, so they stand apart from its clauses. */
export const extensionClauses: ReadonlyArray<ExtensionClause> = extensionSections.flatMap((section) => section.clauses)
