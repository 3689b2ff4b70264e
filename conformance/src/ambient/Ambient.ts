import { callFactRules } from "./CallFacts.ts"
import { envelopeRules } from "./Envelope.ts"
import { messageRules } from "./Message.ts"
import { paginationRules } from "./Pagination.ts"
import { rateHeaderRules } from "./RateHeaders.ts"
import { responseRules } from "./Response.ts"
import type { Rule } from "./Rule.ts"
import { shapeRules } from "./Shapes.ts"
import { timestampRules } from "./Timestamps.ts"
import { transportRules } from "./Transport.ts"

/** Everything that every answer of `/v2` is held against, in every case. */
export const ambientRules: ReadonlyArray<Rule> = [
  ...transportRules,
  ...responseRules,
  ...envelopeRules,
  ...messageRules,
  ...rateHeaderRules,
  ...callFactRules,
  ...timestampRules,
  ...paginationRules,
  ...shapeRules,
]
