import { conflict, notFound } from "./errors.ts"
import { orNull, phone, text } from "./fields.ts"
import { mint } from "./ids.ts"
import type { Organization } from "./organization.ts"
import { pageOf } from "./query.ts"
import type { Context, Route } from "./route.ts"

/** A number that calls go out from, or arrive at. */
export interface PhoneNumber {
  readonly phone_number_id: string
  readonly phone_number: string
  label: string | null
  readonly created_at: string
  updated_at: string
}

export const newNumber = (phone_number: string, label: string | null, now: string): PhoneNumber => ({
  phone_number_id: mint("pn"),
  phone_number,
  label,
  created_at: now,
  updated_at: now,
})

const show = (one: PhoneNumber, { bindings, calls }: Organization) => ({
  ...one,
  country: null,
  provider: "custom",
  status: "active",
  capabilities: ["voice"],
  inbound_agent_id: bindings.find(({ number }) => number === one)?.inbound_agent_id ?? null,
  calls_in_progress: calls.filter(({ from_number, line }) => line !== null && from_number === one.phone_number).length,
})

const numberOf = ({ numbers }: Organization, id: string): PhoneNumber => {
  const found = numbers.get(id)
  if (found === undefined) throw notFound("Phone number")
  return found
}

const add = async (context: Context) => {
  const { organization, world } = context
  const body = await context.fields()
  const number = body.required("phone_number", phone)
  const label = body.optional("label", orNull(text(0, 200))) ?? null
  if (world.ownerOf(number) !== null) throw conflict("This phone number is already registered.")
  const made = newNumber(number, label, world.clock.iso())
  organization.numbers.put(made.phone_number_id, made)
  context.touch("phone_number", made.phone_number_id)
  return { status: 201, body: show(made, organization) }
}

const change = async (context: Context) => {
  const { organization, world } = context
  const body = await context.fields()
  const one = numberOf(organization, context.id)
  const label = body.optional("label", orNull(text(0, 200)))
  if (label !== undefined) one.label = label
  one.updated_at = world.clock.iso()
  context.touch("phone_number", one.phone_number_id)
  return { status: 200, body: show(one, organization) }
}

const remove = (context: Context) => {
  const { organization } = context
  const one = numberOf(organization, context.id)
  context.touch("phone_number", one.phone_number_id)
  const isUsed = organization.campaigns.find(
    ({ phone_numbers, status }) =>
      (status === "active" || status === "paused" || status === "created") &&
      phone_numbers?.includes(one.phone_number) === true,
  )
  if (isUsed !== undefined) throw conflict("This phone number is in use by a running campaign.")
  organization.numbers.delete(one.phone_number_id)
  const bound = organization.bindings.find(({ number }) => number === one)
  if (bound !== undefined) organization.bindings.delete(bound.inbound_agent_id)
  return { status: 200, body: { phone_number_id: one.phone_number_id, deleted: true } }
}

const all = "/v2/phone-numbers"
const one = `${all}/{phone_number_id}`

export const numberRoutes: ReadonlyArray<Route> = [
  {
    method: "GET",
    path: all,
    handle: ({ organization, query }) => ({
      status: 200,
      body: pageOf(query, organization.numbers.newestFirst(), (row) => show(row, organization)),
    }),
  },
  { method: "POST", path: all, action: "phone_number.create", handle: add },
  {
    method: "GET",
    path: one,
    handle: ({ id, organization }) => ({ status: 200, body: show(numberOf(organization, id), organization) }),
  },
  { method: "PATCH", path: one, action: "phone_number.update", handle: change },
  { method: "DELETE", path: one, action: "phone_number.delete", handle: remove },
]
