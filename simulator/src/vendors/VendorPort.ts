import { Telephony } from "@carillon/core"
import { AgentStore, CallStore, type Ports } from "@carillon/core/ports"
import { Clock, Context, Effect, Layer } from "effect"
import { effectClock } from "../clock/EffectClock.ts"
import type { VendorAdapter } from "./Vendor.ts"
import type { VendorLine } from "./VendorLine.ts"

/** The port that an adapter makes, on the world's time and on the rows as its process has them. */
export const vendorPort = Effect.fnUntraced(function* (
  { carrier }: VendorAdapter,
  line: VendorLine,
  { agents, calls }: Pick<Ports, "agents" | "calls">,
) {
  const clock = effectClock(line.clock)
  const rows = Layer.mergeAll(
    Layer.succeed(CallStore, calls),
    Layer.succeed(AgentStore, agents),
    Layer.succeed(Clock.Clock, clock),
  )
  const port = Context.get(yield* Layer.build(Layer.provide(carrier, rows)), Telephony)
  const onTime = Effect.provideService(Clock.Clock, clock)
  return Telephony.of({
    dial: (command) => onTime(port.dial(command)),
    hangup: (executionId, callSid) => onTime(port.hangup(executionId, callSid)),
    find: (executionId) => onTime(port.find(executionId)),
  })
})
