import { Context, Effect, Layer } from "effect"
import { AgentStore } from "../agents/AgentStore.ts"
import { Audit } from "../audit/Audit.ts"
import { unchanged, write } from "../engine/Commit.ts"
import { callersFrom } from "../engine/Guards.ts"
import { Ids } from "../engine/Ids.ts"
import { put } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import {
  type EngineError,
  InvalidField,
  Malformed,
  MissingField,
  NotFound,
  type PortError,
  StateConflict,
} from "../Errors.ts"
import type { Caller } from "../keys/Caller.ts"
import { NumberStore } from "../numbers/NumberStore.ts"
import { AccountStore } from "../organizations/AccountStore.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import type { InboundAgent } from "./InboundAgent.ts"

/** An agent for a number, which is named by its id or by its text. */
export interface BindAgent {
  readonly agent_id: string
  readonly phone_number_id?: string | undefined
  readonly phone_number?: string | undefined
  readonly enabled?: boolean | undefined
}

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
      const accounts = yield* AccountStore
      const agents = yield* AgentStore
      const steps = yield* Steps
      const audit = yield* Audit
      const ids = yield* Ids
      let nth = 0

      const entry = (caller: Caller, action: string, id: string) =>
        audit.allowed(caller, { action, resource: { type: "inbound_agent", id } })

      const numberOf = Effect.fnUntraced(function* (
        organizationId: string,
        { phone_number, phone_number_id }: BindAgent,
      ) {
        if (phone_number_id === undefined) {
          if (phone_number === undefined) return yield* new MissingField({ field: "phone_number_id" })
          const number = yield* accounts.number(organizationId, phone_number)
          if (number !== null) return number
          return yield* new InvalidField({
            field: "phone_number",
            reason: "must be a number registered to this organization",
          })
        }
        const number = yield* store.find(organizationId, phone_number_id)
        if (number === null) return yield* new NotFound({ message: "Phone number not found." })
        if (phone_number === undefined || phone_number === number.phone_number) return number
        return yield* new Malformed({ message: "The phone_number is not the one that phone_number_id names." })
      })

      return InboundAgents.of({
        bind: Effect.fnUntraced(function* (caller, request) {
          const { organization_id } = caller
          const { agent_id } = request
          if ((yield* agents.find(organization_id, agent_id)) === null) {
            return yield* new NotFound({ message: "Agent not found." })
          }
          const view = Effect.flatMap(numberOf(organization_id, request), (number) =>
            Effect.map(store.bindingOf(organization_id, number.phone_number_id), (bound) => ({ bound, number })),
          )
          const { reply } = yield* steps.run(view, ({ bound, number }, now) => {
            if (bound !== null) return unchanged(null)
            const { phone_number, phone_number_id, revision } = number
            const binding: InboundAgent = {
              inbound_agent_id: ids.mint("inboundAgent", organization_id, nth++),
              revision: 1,
              organization_id,
              agent_id,
              phone_number_id,
              phone_number,
              enabled: request.enabled ?? true,
              created_at: now,
              updated_at: now,
            }
            return write(
              {
                organization_id,
                // A number that is being given up cannot be bound meanwhile.
                expect: [{ kind: "phone_number", id: phone_number_id, revision }],
                changes: [{ put: "guard", guard: callersFrom(phone_number_id) }, put("inbound_agent", null, binding)],
                audit: [entry(caller, "inbound_agent.create", binding.inbound_agent_id)],
              },
              binding,
            )
          })
          return reply ?? (yield* new StateConflict({ message: "An agent already answers this phone number." }))
        }),
        page: store.bindings,
        unbind: Effect.fnUntraced(function* (caller, id) {
          const { organization_id } = caller
          const view = Effect.flatMap(store.binding(organization_id, id), (binding) =>
            binding === null
              ? Effect.fail(new NotFound({ message: "Inbound agent not found." }))
              : Effect.succeed(binding),
          )
          yield* steps.run(view, ({ revision }) =>
            write(
              {
                organization_id,
                changes: [{ put: "removal", organization_id, kind: "inbound_agent", id, revision }],
                audit: [entry(caller, "inbound_agent.delete", id)],
              },
              undefined,
            ),
          )
        }),
      })
    }),
  )
}
