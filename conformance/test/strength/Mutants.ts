import { access } from "./mutants/Access.ts"
import { agents } from "./mutants/Agents.ts"
import { callMutants } from "./mutants/Calls.ts"
import { campaignMutants } from "./mutants/Campaigns.ts"
import { every } from "./mutants/Every.ts"
import { knowledgeAndOthers } from "./mutants/Knowledge.ts"
import { limits } from "./mutants/Limits.ts"
import { otherwiseCalls } from "./mutants/OtherwiseCalls.ts"
import { otherwiseCampaigns } from "./mutants/OtherwiseCampaigns.ts"
import { otherwiseDelivered } from "./mutants/OtherwiseDelivered.ts"
import { otherwiseEvery } from "./mutants/OtherwiseEvery.ts"
import { otherwiseLines } from "./mutants/OtherwiseLines.ts"
import { otherwiseLives } from "./mutants/OtherwiseLives.ts"
import { otherwiseDialling } from "./mutants/OtherwiseDialling.ts"
import { otherwiseExperiments } from "./mutants/OtherwiseExperiments.ts"
import { profile } from "./mutants/Profile.ts"
import { readings } from "./mutants/Readings.ts"
import { webhooks } from "./mutants/Webhooks.ts"
import type { Mutant } from "./Mutant.ts"
import { numbered } from "./Table.ts"

/** Servers that each break one statement: written from the specification, before a case was read; those of `profile` and after it came later. */
export const mutants: ReadonlyArray<Mutant> = numbered([
  ...every,
  ...access,
  ...agents,
  ...callMutants,
  ...campaignMutants,
  ...knowledgeAndOthers,
  ...webhooks,
  ...limits,
  ...readings,
  ...profile,
  ...otherwiseCampaigns,
  ...otherwiseCalls,
  ...otherwiseDelivered,
  ...otherwiseEvery,
  ...otherwiseLines,
  ...otherwiseLives,
  ...otherwiseExperiments,
  ...otherwiseDialling,
])
