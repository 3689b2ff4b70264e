import { openInMemory } from "../engine/InMemory.ts"
import { type Contender, type Scale, type Scenario, sized, timed } from "../Harness.ts"

const contender = async (
  name: string,
  work: "POST" | "GET",
  scale: Scale,
  options: { readonly metrics: boolean; readonly tracing: boolean },
): Promise<Contender> => {
  const { ask, carillon, dial, endCalls, forgetCalls } = await openInMemory(options)
  const first = JSON.parse((await ask("POST", "/v2/calls", dial)).text).execution_id
  const target = work === "POST" ? "/v2/calls" : `/v2/calls/${first}`
  const operations = work === "POST" ? sized(scale, 200, 5_000) : sized(scale, 400, 20_000)
  const round = async () => {
    const measured = await timed(async () => {
      let errors = 0
      for (let nth = 0; nth < operations; nth++) {
        if ((await ask(work, target, work === "POST" ? dial : undefined)).status >= 300) errors += 1
      }
      return { operations, errors }
    })
    const wrong = await endCalls()
    forgetCalls()
    return { ...measured, errors: measured.errors + wrong }
  }
  return { name, round, coldOperations: sized(scale, 0, 40_000), close: carillon.close }
}

/** What it costs to be measured. */
export const measuring: Scenario = {
  name: "measuring",
  question: "What do metrics and spans cost, of a request that meets no socket and no database?",
  comparisons: async function* (scale) {
    for (const work of ["POST", "GET"] as const) {
      yield {
        title: work === "POST" ? "POST /v2/calls" : "GET /v2/calls/{execution_id}",
        reference: "nothing measured",
        contenders: [
          await contender("nothing measured", work, scale, { metrics: false, tracing: false }),
          await contender("metrics (as it is unless told otherwise)", work, scale, { metrics: true, tracing: false }),
          await contender("metrics and spans", work, scale, { metrics: true, tracing: true }),
        ],
      }
    }
  },
}
