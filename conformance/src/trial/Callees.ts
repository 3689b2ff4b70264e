/** What the extensions say of numbers: suppressions, and how contacts and calls stand to them. */
import type { Answer } from "../http/Answer.ts"
import type { Client } from "../http/Client.ts"
import { isObject } from "../http/Json.ts"
import type { Body } from "./Campaigns.ts"
import type { Trial } from "./Trial.ts"

/** Suppresses numbers. */
export const suppress = async (
  trial: Trial,
  client: Client,
  to_numbers: ReadonlyArray<string>,
  more: Body = {},
): Promise<Answer> => trial.made(await client.post("/v2/suppressions", { to_numbers, ...more }), 201)

/** Takes the suppressions of a scope from numbers. */
export const release = (client: Client, to_numbers: ReadonlyArray<string>, scope: Body = {}): Promise<Answer> =>
  client.post("/v2/suppressions/remove", { to_numbers, ...scope })

/** What keeps a number from being called, as the server says. */
export const suppressionsOf = async (client: Client, to_number: string): Promise<ReadonlyArray<Body>> => {
  const answer = await client.post("/v2/suppressions/check", { to_numbers: [to_number] })
  return answer.items("data.0.suppressions").filter(isObject)
}

/** Says at which ends of calls their numbers are suppressed. */
export const suppressOn = async (trial: Trial, client: Client, rules: ReadonlyArray<Body>): Promise<Answer> =>
  trial.made(await client.put("/v2/suppressions/rules", { suppress_on: rules }), 200)

/** The contacts of a campaign by their numbers. */
export const contactsOf = async (client: Client, campaignId: string): Promise<ReadonlyMap<string, Body>> => {
  const page = await client.get(`/v2/campaigns/${campaignId}/contacts`, { page_size: 100 })
  return new Map(
    page
      .items()
      .filter(isObject)
      .map((row) => [String(row["to_number"]), row]),
  )
}

/** When the carrier was asked to ring a number, oldest first, in epoch milliseconds. */
export const rungAt = async (trial: Trial, to_number: string): Promise<ReadonlyArray<number>> =>
  (await trial.telephony.legs({ to_number })).map(({ placed_at }) => Date.parse(String(placed_at)))

/** Details of the last record of an action in the audit trail. */
export const lastDetails = async (client: Client, action: string): Promise<unknown> => {
  const page = await client.get("/v2/audit-logs", { action })
  return page.at("data.0.details")
}

/** A route that a scope opens: with another scope it is denied. */
export interface ScopedRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly path: string
  readonly body?: unknown
  readonly scope: string
}

/** Checks that each route is denied to a key with all scopes but its own, and open to one that has only this one. */
export const checkScopes = async (
  trial: Trial,
  clauseOf: (route: ScopedRoute) => string,
  scopes: ReadonlyArray<string>,
  routes: ReadonlyArray<ScopedRoute>,
): Promise<void> => {
  const { check } = trial
  const every = [...scopes.map((scope) => [scope]), ...scopes.map((scope) => scopes.filter((each) => each !== scope))]
  const { clients } = await trial.organization({ keys: every.map((held) => ({ scopes: held })) })
  for (const route of routes) {
    const at = scopes.indexOf(route.scope)
    const [holder, others] = [clients[at], clients[at + scopes.length]]
    if (holder === undefined || others === undefined) continue
    const parts = route.body === undefined ? {} : { body: route.body }
    const denied = await others.send(route.method, route.path, parts)
    const open = await holder.send(route.method, route.path, parts)
    const id = `${route.method} ${route.path}`
    check.refused(`denied ${id}`, clauseOf(route), denied, 1102)
    check.that(`open ${id}`, clauseOf(route), open.status !== 403 && open.status < 500, {
      expected: "no denial",
      got: `HTTP ${open.status}`,
      at: open,
    })
  }
}
