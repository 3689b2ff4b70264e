import type { SettlesBatch } from "./batches/rules/BatchErrand.ts"
import type { MeetsCallees } from "./callees/rules/CalleeErrand.ts"
import type { CompletesCampaign, MendsCampaign, TellsMended } from "./campaigns/rules/CampaignErrands.ts"
import type { DeclinesLine, GivesLineBack } from "./limits/rules/LineErrands.ts"

/** Every kind of errand there is: what a step has done once it is written. `operating/HandledErrands.ts` does them. */
export type Errand =
  | GivesLineBack
  | DeclinesLine
  | SettlesBatch
  | CompletesCampaign
  | MendsCampaign
  | TellsMended
  | MeetsCallees

/** An errand as one text: what is done, and to what. */
export const errandName = ({ errand, subject }: Errand): string => `${errand} ${subject}`
