import { away } from "../away/Away.ts"
import { type Comparison, type Scale, sized } from "../Harness.ts"

const callsPerRound = 1_000

/** What a call costs in a world that has seen many, against one that has seen few. Each has a process of its own, so that neither collects what the other one keeps. */
export const growth = (scale: Scale): Comparison => {
  const few = sized(scale, 200, 10_000)
  const contender = (calls: number) =>
    away(`after ${calls.toLocaleString("en-US")} calls`, "GrownServer.ts", [calls, sized(scale, 100, callsPerRound)])
  return {
    title: "a call in a world that remembers all that were before it",
    reference: `after ${few.toLocaleString("en-US")} calls`,
    contenders: [contender(few), contender(10 * few)],
  }
}
