import { discard, write } from "../../engine/rules/Outcome.ts"
import { each } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"

/** Takes away rows of the ledger that have expired; what has expired stays so. */
export const forgetExpired = step({
  name: "webhook.forget",
  reads: () => each([]),
  decide: ({
    deliveries,
    events,
  }: ByEngine & { readonly deliveries: ReadonlyArray<string>; readonly events: ReadonlyArray<string> }) =>
    write([...deliveries.map((id) => discard("delivery", id)), ...events.map((id) => discard("event", id))], {
      reply: undefined,
    }),
})
