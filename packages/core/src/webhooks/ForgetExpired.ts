import { discard, write } from "../engine/Outcome.ts"
import { each } from "../engine/Reading.ts"
import { step } from "../engine/Step.ts"
import type { ByEngine } from "../engine/By.ts"

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
