import { Timestamp, type UsageFigures, type UsageReport } from "@carillon/core/domain"
import type { UsagePart } from "@carillon/core/ports"
import type { Usage, UsageBucket } from "../Usage.ts"

const places = 1e6

/** Sums of decimal fractions, without the dust that binary ones leave. Adding zero turns -0 into 0. */
const amount = (value: number): number => Math.round(value * places) / places + 0

const figures = ({ calls, connected_calls, cost, cost_breakdown, duration_seconds, status_counts }: UsageFigures) => ({
  total_calls: calls,
  connected_calls,
  total_duration_seconds: amount(duration_seconds),
  total_cost: amount(cost),
  cost_breakdown: {
    llm: amount(cost_breakdown.llm),
    network: amount(cost_breakdown.network),
    platform: amount(cost_breakdown.platform),
    synthesizer: amount(cost_breakdown.synthesizer),
    telephony: amount(cost_breakdown.telephony),
    transcriber: amount(cost_breakdown.transcriber),
  },
  status_counts: Object.fromEntries(Object.entries(status_counts)),
})

/** Usage as it is answered, but its buckets, which are many: each of them is made when it is written. */
export const toWireUsage = ({ currency, from_date, to_date, total }: UsageReport): Omit<Usage, "buckets"> => ({
  from_date: Timestamp.formatUtc(from_date),
  to_date: Timestamp.formatUtc(to_date),
  currency,
  ...figures(total),
})

/** The share of one day, agent or campaign as it is answered. */
export const toWireUsageBucket = (part: UsagePart): UsageBucket => ({ key: part.key, ...figures(part.figures) })
