import { agentOf } from "./agents.ts"
import { conflict, invalid, missing, notFound } from "./errors.ts"
import { phone, text } from "./fields.ts"
import { mint } from "./ids.ts"
import type { PhoneNumber } from "./numbers.ts"
import type { Organization } from "./organization.ts"
import { pageOf } from "./query.ts"
import type { Context, Route } from "./route.ts"

/** Which agent answers at a number. */
export interface Binding {
  readonly inbound_agent_id: string
  readonly agent_id: string
  readonly number: PhoneNumber
  readonly created_at: string
}

const show = ({ agent_id, created_at, inbound_agent_id, number }: Binding) => ({
  inbound_agent_id,
  agent_id,
  phone_number_id: number.phone_number_id,
  phone_number: number.phone_number,
  enabled: true,
  created_at,
  updated_at: created_at,
})

const numberOf = ({ numbers }: Organization, id: string | undefined, given: string | undefined): PhoneNumber => {
  if (id !== undefined) {
    const found = numbers.get(id)
    if (found === undefined) throw notFound("Phone number")
    return found
  }
  if (given === undefined) throw missing("phone_number_id")
  const found = numbers.find(({ phone_number }) => phone_number === given)
  if (found === undefined) throw invalid("phone_number", "is not registered to this organization")
  return found
}

const bind = async (context: Context) => {
  const { organization, world } = context
  const body = await context.fields()
  const agentId = body.required("agent_id", text(1))
  const id = body.optional("phone_number_id", text(1))
  const given = body.optional("phone_number", phone)
  agentOf(organization, agentId)
  const number = numberOf(organization, id, given)
  if (organization.bindings.find((one) => one.number === number) !== undefined) {
    throw conflict("This phone number already has an inbound agent.")
  }
  const made = { inbound_agent_id: mint("inb"), agent_id: agentId, number, created_at: world.clock.iso() }
  organization.bindings.put(made.inbound_agent_id, made)
  context.touch("inbound_agent", made.inbound_agent_id)
  return { status: 201, body: show(made) }
}

const unbind = (context: Context) => {
  const { id, organization } = context
  if (!organization.bindings.delete(id)) throw notFound("Inbound agent")
  context.touch("inbound_agent", id)
  return { status: 200, body: { inbound_agent_id: id, deleted: true } }
}

export const inboundRoutes: ReadonlyArray<Route> = [
  {
    method: "GET",
    path: "/v2/inbound-agents",
    handle: ({ organization, query }) => ({
      status: 200,
      body: pageOf(query, organization.bindings.newestFirst(), show),
    }),
  },
  { method: "POST", path: "/v2/inbound-agents", action: "inbound_agent.create", handle: bind },
  { method: "DELETE", path: "/v2/inbound-agents/{inbound_agent_id}", action: "inbound_agent.delete", handle: unbind },
]
