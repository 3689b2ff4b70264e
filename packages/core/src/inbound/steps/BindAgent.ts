import { Result } from "effect"
import { knownAgent, noSuchAgent } from "../../agents/steps/AgentReads.ts"
import { put, refused, write } from "../../engine/rules/Outcome.ts"
import { all, byKey, orRefuse, refuse, row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { InvalidField, Malformed, MissingField, type NotFound, StateConflict } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { noSuchNumber } from "../../numbers/steps/NumberReads.ts"
import type { PhoneNumber } from "../../numbers/rules/PhoneNumber.ts"

/** An agent for a number, which is named by its id or by its text. */
export interface BindAgent {
  readonly agent_id: string
  readonly phone_number_id?: string | undefined
  readonly phone_number?: string | undefined
  readonly enabled?: boolean | undefined
}

/** The number that a request names, or null. */
function* numberNamed(organizationId: string, { phone_number, phone_number_id }: BindAgent) {
  if (phone_number_id !== undefined) return yield* row("phone_number", phone_number_id, { of: organizationId })
  if (phone_number !== undefined) return yield* byKey("phone_number", organizationId, phone_number)
  return null
}

/** The number, or what is wrong with how a request names it. */
const judged = (
  { phone_number, phone_number_id }: BindAgent,
  number: PhoneNumber | null,
): Result.Result<PhoneNumber, NotFound | Malformed | MissingField | InvalidField> => {
  if (phone_number_id === undefined) {
    if (phone_number === undefined) return Result.fail(new MissingField({ field: "phone_number_id" }))
    const reason = "must be a number registered to this organization"
    return number === null ? Result.fail(new InvalidField({ field: "phone_number", reason })) : Result.succeed(number)
  }
  if (number === null) return Result.fail(noSuchNumber)
  return phone_number === undefined || phone_number === number.phone_number
    ? Result.succeed(number)
    : Result.fail(new Malformed({ message: "The phone_number is not the one that phone_number_id names." }))
}

/** A caller lets an agent answer a number that no agent answers yet. */
export const bindAgent = step({
  name: "inbound_agent.create",
  *reads({ caller: { organization_id }, request }: ByCaller & { readonly request: BindAgent }) {
    const [agent, named] = yield* all(
      knownAgent(organization_id, request.agent_id),
      numberNamed(organization_id, request),
    )
    if (agent === null) return yield* refuse(noSuchAgent)
    const number = yield* orRefuse(judged(request, named))
    return { number, bound: yield* byKey("inbound_agent", organization_id, number.phone_number_id) }
  },
  decide({ caller: { organization_id }, request: { agent_id, enabled = true } }, { bound, number }, at) {
    if (bound !== null) return refused(new StateConflict({ message: "An agent already answers this phone number." }))
    const { phone_number, phone_number_id } = number
    const change = put("inbound_agent", null, {
      inbound_agent_id: at.mint("inboundAgent", organization_id, at.nth("inboundAgent")),
      revision: 1,
      organization_id,
      agent_id,
      phone_number_id,
      phone_number,
      enabled,
      created_at: at.now,
      updated_at: at.now,
    })
    const resource = { type: "inbound_agent", id: change.row.inbound_agent_id }
    return write([change], { audit: [{ resource }], reply: change.row })
  },
})
