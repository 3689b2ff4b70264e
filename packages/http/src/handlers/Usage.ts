import { toWireUsage, toWireUsageBucket, usageGroupBy } from "@carillon/api"
import { Usage } from "@carillon/core"
import type { UsageQuery } from "@carillon/core/domain"
import { Effect } from "effect"
import type { HandlersOf } from "../Handler.ts"
import { rowsOf } from "../PageText.ts"
import { enumeration, instant } from "./CallPages.ts"

/** What calls add up to. */
export const usageHandlers = Effect.gen(function* () {
  const usage = yield* Usage

  const handlers: HandlersOf<"usage"> = {
    "usage.get": Effect.fnUntraced(function* ({ caller, query }) {
      const { agent_id, from_date, group_by, to_date } = query
      const asked: UsageQuery = {
        ...(agent_id === undefined ? {} : { agent_id }),
        ...(group_by === undefined ? {} : { group_by: yield* enumeration(usageGroupBy(group_by)) }),
        ...(from_date === undefined ? {} : { from_date: yield* instant("from_date", from_date) }),
        ...(to_date === undefined ? {} : { to_date: yield* instant("to_date", to_date) }),
      }
      const report = yield* usage.report(caller.organization_id, asked)
      return { status: 200, body: { ...toWireUsage(report), buckets: rowsOf(report.parts, toWireUsageBucket) } }
    }),
  }
  return handlers
})
