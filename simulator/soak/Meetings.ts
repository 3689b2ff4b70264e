import type { Customer } from "./Customer.ts"
import type { Place } from "./Place.ts"
import { contactsOf, type Deed, iso, note, numberOf, type Scene } from "./Scene.ts"

/** How many uses of the stores begin later in a crowded moment, beside the commits, which all do. */
const laterReads = 0.05

/** Commits begin so many milliseconds later at the most, and two requests that met are over some commits later. */
const meetingMs = 20

/** All commits begin later, each by a time of its own: whoever comes meanwhile has read the same, and either may be the first to write. */
export const crowded = async ({ interleave, parameters }: Scene, moment: () => Promise<void>): Promise<void> => {
  await interleave(laterReads, 1)
  await moment()
  await interleave(parameters.interleaving)
}

/** Nobody else gets on in the middle of what is made ready, so that each request is answered at once. */
export const undisturbed = async <A>({ interleave, parameters }: Scene, prepare: () => Promise<A>): Promise<A> => {
  await interleave(0)
  const prepared = await prepare()
  await interleave(parameters.interleaving)
  return prepared
}

/** Two requests of which each takes away what the other rests on, once all is there that they need; null where it is not. */
type Meeting = (scene: Scene, place: Place) => Promise<null | ReadonlyArray<() => Promise<unknown>>>

type Ask = (method: string, target: string, body?: object) => ReturnType<Customer["ask"]>

const asking =
  ({ customer }: Scene, { key }: Place): Ask =>
  (method, target, body) =>
    customer.ask(key, method, target, body)

/** An agent of its own, so that what else goes on does not stop with it. */
const leaver = async (ask: Ask): Promise<string | null> => {
  const made = await ask("POST", "/v2/agents", { display_name: "Leaver", status: "ACTIVE" })
  return made?.agent_id ?? null
}

const leaves = (ask: Ask, agentId: string) => () => ask("PATCH", `/v2/agents/${agentId}`, { status: "INACTIVE" })

/** A number of its own, with its text. */
const registered = async (ask: Ask, { dice }: Scene) => {
  const phone_number = `+1555778${String(dice.upTo(9_999)).padStart(4, "0")}`
  const made = await ask("POST", "/v2/phone-numbers", { phone_number })
  const id = made?.phone_number_id
  return typeof id === "string" ? { id, phone_number } : null
}

const givesUp = (ask: Ask, id: string) => () => ask("DELETE", `/v2/phone-numbers/${id}`)

/** An agent becomes INACTIVE while a call is placed that it makes. */
const directDial: Meeting = async (scene, place) => {
  const ask = asking(scene, place)
  const agent_id = await leaver(ask)
  if (agent_id === null) return null
  return [() => ask("POST", "/v2/calls", { agent_id, to_number: numberOf(scene.dice) }), leaves(ask, agent_id)]
}

/** An agent becomes INACTIVE as its booked call is due. */
const bookedCall: Meeting = async (scene, place) => {
  const { advance, dice, now } = scene
  const ask = asking(scene, place)
  const agent_id = await leaver(ask)
  if (agent_id === null) return null
  const scheduled_at = iso(now() + 130_000)
  const booked = await ask("POST", "/v2/calls", { agent_id, to_number: numberOf(dice), scheduled_at })
  note(place.calls, booked?.execution_id)
  await advance({ to: iso(Date.parse(scheduled_at) - 1) })
  return [() => advance({ by_ms: 1 }), leaves(ask, agent_id)]
}

/** An agent becomes INACTIVE, or a number is given up, while contacts are dialled. */
const contactsDialled: Meeting = async (scene, place) => {
  const { advance, dice } = scene
  const ask = asking(scene, place)
  const agent_id = await leaver(ask)
  const number = dice.happens(0.5) ? await registered(ask, scene) : null
  if (agent_id === null) return null
  const dialled = async () => {
    note(place.batches, (await ask("POST", "/v2/batches", { agent_id, contacts: contactsOf(dice, 4) }))?.batch_id)
    await advance({ by_ms: dice.upTo(8) })
  }
  return [dialled, number === null ? leaves(ask, agent_id) : givesUp(ask, number.id)]
}

/** A number is given up while a campaign names it, or an agent begins to answer it. */
const numberGivenUp: Meeting = async (scene, place) => {
  const { dice } = scene
  const ask = asking(scene, place)
  const number = await registered(ask, scene)
  const agent_id = dice.anyOf(place.agents)
  if (number === null || agent_id === undefined) return null
  const named = { name: "Named", agent_id, phone_numbers: [number.phone_number], contacts: contactsOf(dice, 2) }
  const names = async (): Promise<unknown> => {
    const made = await ask("POST", "/v2/campaigns", named)
    note(place.campaigns, made?.campaign_id)
    note(place.batches, made?.batch_id)
    return made
  }
  const binds = (): Promise<unknown> => ask("POST", "/v2/inbound-agents", { agent_id, phone_number_id: number.id })
  return [dice.oneOf([names, binds]), givesUp(ask, number.id)]
}

/** Of two keys each revokes the other, or one mints a third while it is revoked. */
const keysRevoked: Meeting = async (scene, place) => {
  const { customer, dice } = scene
  const ask = asking(scene, place)
  const minting = { name: "brief", grant_api_keys_write: true, scopes: ["keys:write"] }
  const one = await ask("POST", "/v2/api-keys", minting)
  const other = await ask("POST", "/v2/api-keys", minting)
  const [first, second] = [one?.key, other?.key]
  if (first === undefined || second === undefined) return null
  const revokes = () => customer.ask(first, "DELETE", `/v2/api-keys/${other?.key_id}`)
  const isMinted = dice.happens(0.5)
  const acts = () =>
    isMinted
      ? customer.ask(second, "POST", "/v2/api-keys", { name: "third" })
      : customer.ask(second, "DELETE", `/v2/api-keys/${one?.key_id}`)
  return [revokes, acts]
}

export const meeting: Deed = async (scene, place) => {
  const { advance, dice } = scene
  const meetings = [
    directDial,
    bookedCall,
    contactsDialled,
    contactsDialled,
    numberGivenUp,
    numberGivenUp,
    keysRevoked,
  ] as const
  const requests = await undisturbed(scene, () => dice.oneOf(meetings)(scene, place))
  if (requests === null) return
  await crowded(scene, async () => {
    for (const request of requests) await request()
    await advance({ by_ms: meetingMs })
  })
}
