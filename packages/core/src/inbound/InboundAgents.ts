import { Context, Effect, Layer } from "effect"
import { Steps } from "../engine/Steps.ts"
import type { EngineError, PortError } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { NumberStore } from "../numbers/ports/NumberStore.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { type BindAgent, bindAgent } from "./steps/BindAgent.ts"
import type { InboundAgent } from "./rules/InboundAgent.ts"
import { unbindAgent } from "./steps/UnbindAgent.ts"

interface InboundAgentsShape {
  /** Lets an agent answer a number that no agent answers yet. */
  readonly bind: (caller: Caller, request: BindAgent) => Effect.Effect<InboundAgent, EngineError>
  /** Newest first. */
  readonly page: (organizationId: string, page: PageRequest) => Effect.Effect<Page<InboundAgent>, PortError>
  readonly unbind: (caller: Caller, inboundAgentId: string) => Effect.Effect<void, EngineError>
}

/** Which agents answer which numbers (decisions.md, "Other resources"). */
export class InboundAgents extends Context.Service<InboundAgents, InboundAgentsShape>()(
  "@carillon/core/inbound/InboundAgents",
) {
  static readonly layer = Layer.effect(
    InboundAgents,
    Effect.gen(function* () {
      const store = yield* NumberStore
      const steps = yield* Steps

      return InboundAgents.of({
        bind: (caller, request) => steps.take(bindAgent, { caller, request }),
        page: store.bindings,
        unbind: (caller, inbound_agent_id) => steps.take(unbindAgent, { caller, inbound_agent_id }),
      })
    }),
  )
}
