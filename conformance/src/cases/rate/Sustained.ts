import type { Case } from "../../run/Case.ts"
import { burst, enterWindow, isRateRefusal, limitOf, maxMeasuredCeiling } from "./Pace.ts"

/** What a client can plan on in a minute. */
const sustained = 500

const planned: Case = {
  id: "rate/sustained",
  title: "Five hundred reads in a minute pass; the list of scopes is refused beyond its ceiling like any other route",
  clauses: ["RATE-6", "SCOPES-ROUTE-4"],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    await enterWindow(trial, 0)
    const reads = await burst(() => client.get("/v2/calls", { page_size: 1 }), sustained)
    check.equal("all-pass", "RATE-6", reads.filter(isRateRefusal).length, 0, reads.find(isRateRefusal))
    const first = await client.get("/v2/scopes")
    const ceiling = limitOf(first)
    if (ceiling > maxMeasuredCeiling) return
    const scopes = await burst(() => client.get("/v2/scopes"), ceiling + 5)
    const refused = scopes.find(isRateRefusal) ?? scopes.at(-1) ?? first
    check.refused("refused", "SCOPES-ROUTE-4", refused, 1300)
  },
}

export const sustainedCases: ReadonlyArray<Case> = [planned]
