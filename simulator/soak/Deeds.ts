import type { Answer } from "./Customer.ts"
import type { Dice } from "./Dice.ts"
import { crowded, meeting, undisturbed } from "./Meetings.ts"
import type { Parameters } from "./Parameters.ts"
import { contactsOf, type Deed, iso, minuteMs, note, numberOf, type Scene } from "./Scene.ts"

const dial: Deed = async ({ customer, dice, now }, place) => {
  const agent = dice.anyOf(place.agents)
  if (agent === undefined) return
  if (dice.happens(0.03)) {
    // The first waits for an acknowledgement that never comes, so the second finds it running.
    const lost = { agent_id: agent, to_number: `+9992100${String(dice.upTo(99_999_999)).padStart(8, "0")}` }
    const key = { "idempotency-key": `lost-${dice.upTo(9_999)}` }
    await customer.ask(place.key, "POST", "/v2/calls", lost, key)
    return void (await customer.ask(place.key, "POST", "/v2/calls", lost, key))
  }
  // Some are booked for the same moment, so that not all of them find a line.
  const rounded = Math.ceil((now() + 130_000) / 600_000) * 600_000
  const at = dice.happens(0.5) ? rounded : now() + 130_000 + dice.upTo(3_600_000)
  const later = dice.happens(0.2) ? { scheduled_at: iso(at) } : {}
  const body = { agent_id: agent, to_number: numberOf(dice), timeout_seconds: 5 + dice.upTo(60), ...later }
  const repeated = dice.happens(0.1) ? { "idempotency-key": `key-${dice.upTo(3)}` } : {}
  const answer = await customer.ask(place.key, "POST", "/v2/calls", body, repeated)
  note(place.calls, answer?.execution_id)
}

const stop: Deed = async ({ customer, dice }, place) => {
  const id = dice.anyOf(dice.happens(0.7) ? place.calls.slice(-4) : place.calls)
  if (id !== undefined) await customer.ask(place.key, "POST", `/v2/calls/${id}/stop`)
}

const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const

/** Hours around the night's change of the clocks, or around noon. */
const hoursOf = ({ dice, parameters: { night } }: Scene): object => {
  if (night === null && dice.happens(0.6)) return {}
  const [start, end] =
    night === null
      ? dice.oneOf([
          ["09:00", "17:00"],
          ["08:30", "12:00"],
        ])
      : dice.oneOf([
          ["01:00", "04:00"],
          ["02:30", "05:00"],
          ["01:30", "02:30"],
        ])
  return {
    timezone: night?.timezone ?? dice.oneOf(["UTC", "Asia/Kolkata", "America/New_York"]),
    working_hours_enforced: true,
    working_hours: Object.fromEntries(days.map((day) => [day, { start, end }])),
  }
}

const policiesOf = ({ dice, now }: Scene): object => ({
  ...(dice.happens(0.5)
    ? {
        retry_policy: {
          max_retries: dice.upTo(3),
          strategy: dice.oneOf(["fixed_delay", "linear_backoff", "exponential_backoff"]),
          base_delay_minutes: 1 + dice.upTo(20),
          respect_working_hours: dice.happens(0.5),
        },
      }
    : {}),
  ...(dice.happens(0.3)
    ? {
        follow_up_policy: {
          enabled: true,
          max_attempts: 1 + dice.upTo(1),
          cooldown_minutes: 1 + dice.upTo(90),
          triggers: dice.oneOf([
            ["after_retries_exhausted"],
            ["completed"],
            ["no_answer", "busy"],
            ["voicemail", "failed"],
          ]),
        },
      }
    : {}),
  ...(dice.happens(0.3) ? { max_concurrent_calls: 1 + dice.upTo(5) } : {}),
  ...(dice.happens(0.2) ? { start_time: iso(now() + dice.upTo(60) * minuteMs) } : {}),
  ...(dice.happens(0.2) ? { end_time: iso(now() + (61 + dice.upTo(200)) * minuteMs) } : {}),
  ...(dice.happens(0.1) ? { transliteration: { enabled: true, fields: ["name"] } } : {}),
})

/** One campaign takes all lines before a second one comes that is owed some of them. */
const rivals: Deed = async ({ advance, customer, dice }, place) => {
  for (const name of ["First", "Second"]) {
    const contacts = Array.from({ length: 40 }, () => ({
      to_number: `+9995001${String(dice.upTo(99_999_999)).padStart(8, "0")}`,
    }))
    const agent_id = dice.anyOf(place.agents)
    const answer = await customer.ask(place.key, "POST", "/v2/campaigns", { name, agent_id, contacts })
    note(place.campaigns, answer?.campaign_id)
    note(place.batches, answer?.batch_id)
    await advance({ by_ms: 1_000 })
  }
  for (let look = 0; look < 4; look++) await advance({ by_ms: 30_000 })
}

/** A campaign with much left to do when its end comes, in the middle of an outage. */
const lastMinutes: Deed = async ({ advance, customer, dice, now }, place) => {
  const agent_id = dice.anyOf(place.agents)
  const contacts = Array.from({ length: 40 }, () => ({
    to_number: `+9990000${String(dice.upTo(99_999_999)).padStart(8, "0")}`,
  }))
  const body = { name: "Last minutes", agent_id, contacts, end_time: iso(now() + 2 * minuteMs) }
  const answer = await customer.ask(place.key, "POST", "/v2/campaigns", body)
  note(place.campaigns, answer?.campaign_id)
  note(place.batches, answer?.batch_id)
  await advance({ by_ms: 2 * minuteMs - 1 })
  const dependency = dice.oneOf(["call_store", "call_store", "scheduler"])
  const how = dice.happens(0.7) ? { times: 1 + dice.upTo(2) } : { rate: 0.3 }
  await customer.control("PUT", "/_sim/faults", { [dependency]: { mode: "error", for_ms: 30_000, ...how } })
  for (let look = 0; look < 6; look++) await advance({ by_ms: 5_000 })
}

const dayMs = 24 * 60 * minuteMs

/** Contacts come at the very moment at which a campaign's hours end, or on the one day of the week that has none. */
const closingBell: Deed = async ({ advance, customer, dice, now }, place) => {
  const agent_id = dice.anyOf(place.agents)
  const closing = (Math.floor(now() / minuteMs) + 2) * minuteMs
  const end = iso(closing).slice("2026-01-01T".length, "2026-01-01T00:00".length)
  if (agent_id === undefined || closing % dayMs < 5 * minuteMs) return
  const isDayOff = dice.happens(0.4)
  const hours = { start: "00:00", end: isDayOff ? "23:59" : end }
  const today = (new Date(closing).getUTCDay() + 6) % days.length
  const open = days.filter((_, day) => !isDayOff || day !== today)
  const answer = await customer.ask(place.key, "POST", "/v2/campaigns", {
    name: "Closing bell",
    agent_id,
    timezone: "UTC",
    working_hours_enforced: true,
    working_hours: Object.fromEntries(open.map((day) => [day, hours])),
  })
  note(place.campaigns, answer?.campaign_id)
  await advance({ to: iso(closing) })
  const path = `/v2/campaigns/${answer?.campaign_id}/contacts`
  const appended = await customer.ask(place.key, "POST", path, { contacts: contactsOf(dice, 4) })
  note(place.batches, appended?.batch_id)
  await advance({ by_ms: 0 })
}

/** An agent and its challenger have two lines each, and some contacts hold them long. */
const twoSides: Deed = async ({ advance, customer, dice }, place) => {
  const [main, variant] = place.agents
  if (main === undefined || variant === undefined) return
  const concurrency = { organization: 10, per_agent: 2 }
  await customer.control("PATCH", `/_sim/organizations/${place.organization_id}`, { concurrency })
  const body = { variant_agent_id: variant, version_name: "Sides", variant_traffic_pct: 50, status: "active" }
  const made = await customer.ask(place.key, "POST", `/v2/agents/${main}/versions`, body)
  if (typeof made?.version_id === "string") place.experiments.push({ agent: main, version: made.version_id })
  const contacts = Array.from({ length: 30 }, () => ({
    to_number: `${dice.oneOf(["+9995005", "+9990001"])}${String(dice.upTo(99_999_999)).padStart(8, "0")}`,
  }))
  const answer = await customer.ask(place.key, "POST", "/v2/campaigns", { name: "Sides", agent_id: main, contacts })
  note(place.campaigns, answer?.campaign_id)
  note(place.batches, answer?.batch_id)
  for (let look = 0; look < 10; look++) await advance({ by_ms: 60_000 })
}

/** Whoever is reached is called back, and not always reached a second time. */
const callBacks: Deed = async ({ advance, customer, dice }, place) => {
  const contacts = Array.from({ length: 8 }, () => ({
    to_number: `+1646555${String(dice.upTo(9_999)).padStart(4, "0")}`,
  }))
  const answer = await customer.ask(place.key, "POST", "/v2/campaigns", {
    name: "Call-backs",
    agent_id: dice.anyOf(place.agents),
    contacts,
    retry_policy: { max_retries: 1, base_delay_minutes: 1 },
    follow_up_policy: { enabled: true, max_attempts: 2, cooldown_minutes: 1, triggers: ["completed"] },
  })
  note(place.campaigns, answer?.campaign_id)
  note(place.batches, answer?.batch_id)
  await advance({ by_ms: minuteMs })
}

/**
 * A number is in a call while it waits in two more batches, of which one is stopped or paused. A retry that is far away keeps the dispatcher
 * from looking after those who wait.
 */
const sameNumber: Deed = async ({ advance, customer, dice }, place) => {
  const number = (prefix: string) => ({ to_number: `${prefix}${String(dice.upTo(99_999_999)).padStart(8, "0")}` })
  const contacts = [number("+9995001")]
  const answer = await customer.ask(place.key, "POST", "/v2/campaigns", {
    name: "Same number",
    agent_id: dice.anyOf(place.agents),
    contacts: [...contacts, number("+9990100")],
    retry_policy: { max_retries: 1, base_delay_minutes: 60 },
  })
  const id = answer?.campaign_id
  if (typeof id !== "string") return
  note(place.campaigns, id)
  const batches: Array<string> = []
  for (let nth = 0; nth < 2; nth++) {
    await advance({ by_ms: 2_000 })
    note(batches, (await customer.ask(place.key, "POST", `/v2/campaigns/${id}/contacts`, { contacts }))?.batch_id)
  }
  place.batches.push(...batches)
  await advance({ by_ms: 2_000 })
  await customer.ask(place.key, "POST", `/v2/batches/${batches[0]}/${dice.oneOf(["stop", "pause"])}`)
  for (let look = 0; look < 5; look++) await advance({ by_ms: minuteMs })
}

/**
 * A number comes three times, and whoever is second has its turn while the agent is away or the wallet is empty, until the attempt is given
 * up; then all is well again. A follow-up that is far away keeps the dispatcher from looking after the third.
 */
const burnedTurn: Deed = async ({ advance, customer, dice }, place) => {
  const number = (prefix: string) => ({ to_number: `${prefix}${String(dice.upTo(99_999_999)).padStart(8, "0")}` })
  const ask = (method: string, target: string, body: object) => customer.ask(place.key, method, target, body)
  const agent_id = (await ask("POST", "/v2/agents", { display_name: "Away", status: "ACTIVE" }))?.agent_id
  if (typeof agent_id !== "string") return
  place.agents.push(agent_id)
  const rings = number("+9990200")
  const answer = await ask("POST", "/v2/campaigns", {
    name: "Burned turn",
    agent_id,
    contacts: [rings, rings, rings, number("+9990000")],
    retry_policy: { max_retries: 0 },
    follow_up_policy: { enabled: true, max_attempts: 1, cooldown_minutes: 90, triggers: ["completed"] },
  })
  note(place.campaigns, answer?.campaign_id)
  note(place.batches, answer?.batch_id)
  await advance({ by_ms: 5_000 })
  const wallet = (balance: number) =>
    customer.control("PATCH", `/_sim/organizations/${place.organization_id}`, { wallet: { balance } })
  const isAgent = dice.happens(0.7)
  if (isAgent) await ask("PATCH", `/v2/agents/${agent_id}`, { status: "INACTIVE" })
  else await wallet(0)
  // Ten holds take some twenty minutes, and whoever has waited for half an hour is looked after.
  for (let look = 0; look < 4; look++) await advance({ by_ms: 5.5 * minuteMs })
  if (isAgent) await ask("PATCH", `/v2/agents/${agent_id}`, { status: "ACTIVE" })
  else await wallet(1_000_000)
  for (let look = 0; look < 4; look++) await advance({ by_ms: minuteMs })
}

/** A campaign is paused, the only batch that has work is stopped, and then there is nothing to come back for. */
const nothingLeft: Deed = async ({ advance, customer, dice }, place) => {
  const body = { name: "Nothing left", agent_id: dice.anyOf(place.agents), contacts: contactsOf(dice, 3) }
  const answer = await customer.ask(place.key, "POST", "/v2/campaigns", body)
  const { batch_id, campaign_id } = answer ?? {}
  if (typeof campaign_id !== "string") return
  note(place.campaigns, campaign_id)
  await advance({ by_ms: 1_000 })
  await customer.ask(place.key, "POST", `/v2/campaigns/${campaign_id}/pause`)
  await customer.ask(place.key, "POST", `/v2/batches/${batch_id}/stop`)
  await customer.ask(place.key, "POST", `/v2/campaigns/${campaign_id}/resume`)
}

/** All lines are taken by calls that somebody has placed, and a campaign waits for each of them. */
const takenLines: Deed = async ({ advance, customer, dice }, place) => {
  const agent_id = dice.anyOf(place.agents)
  const concurrency = { organization: 2, per_agent: null }
  await customer.control("PATCH", `/_sim/organizations/${place.organization_id}`, { concurrency })
  const number = (prefix: string) => `${prefix}${String(dice.upTo(99_999_999)).padStart(8, "0")}`
  // Ceilings are remembered for a minute.
  await advance({ by_ms: 2 * minuteMs })
  for (let nth = 0; nth < 2; nth++) {
    const answer = await customer.ask(place.key, "POST", "/v2/calls", { agent_id, to_number: number("+9990002") })
    note(place.calls, answer?.execution_id)
    await advance({ by_ms: 3_000 + dice.upTo(6_000) })
  }
  const contacts = Array.from({ length: 4 }, () => ({ to_number: number("+9995001") }))
  const answer = await customer.ask(place.key, "POST", "/v2/campaigns", { name: "Taken lines", agent_id, contacts })
  note(place.campaigns, answer?.campaign_id)
  note(place.batches, answer?.batch_id)
  await advance({ by_ms: minuteMs })
}

/** Contacts come, or the campaign is steered, at the very moment at which its last call ends. */
const atItsEnd: Deed = async (scene, place) => {
  const { advance, customer, dice } = scene
  const busy = `+9990100${String(dice.upTo(99_999_999)).padStart(8, "0")}`
  const begun = await undisturbed(scene, async () => {
    const answer = await customer.ask(place.key, "POST", "/v2/campaigns", {
      name: "At its end",
      agent_id: dice.anyOf(place.agents),
      retry_policy: { max_retries: 0 },
      contacts: [{ to_number: busy }],
    })
    await advance({ by_ms: 500 })
    const calls = await customer.ask(place.key, "GET", `/v2/calls?campaign_id=${answer?.campaign_id}`)
    return { id: answer?.campaign_id, execution_id: calls?.data?.[0]?.["execution_id"] }
  })
  const { execution_id, id } = begun
  note(place.campaigns, id)
  if (typeof id !== "string" || typeof execution_id !== "string") return
  await crowded(scene, async () => {
    await advance({ until: { execution_id, status: "busy" }, max_ms: minuteMs })
    for (let nth = 0; nth < 3; nth++) {
      const move = dice.oneOf(["contacts", "contacts", "contacts", "pause", "cancel"])
      const body = move === "contacts" ? { contacts: contactsOf(dice, 3) } : undefined
      const made = await customer.ask(place.key, "POST", `/v2/campaigns/${id}/${move}`, body)
      note(place.batches, made?.batch_id)
      await advance({ by_ms: dice.upTo(3) })
    }
  })
}

const makeCampaign: Deed = async (scene, place) => {
  const { customer, dice } = scene
  const agent = dice.anyOf(place.agents)
  if (agent === undefined) return
  if (dice.happens(0.3)) return rivals(scene, place)
  if (dice.happens(0.15)) return lastMinutes(scene, place)
  if (dice.happens(0.1)) return closingBell(scene, place)
  if (dice.happens(0.1)) return twoSides(scene, place)
  const short = [callBacks, sameNumber, sameNumber, burnedTurn, nothingLeft, takenLines] as const
  if (dice.happens(0.4)) return dice.oneOf(short)(scene, place)
  const answer = await customer.ask(place.key, "POST", "/v2/campaigns", {
    name: `Campaign ${dice.upTo(9)}`,
    agent_id: agent,
    ...hoursOf(scene),
    ...policiesOf(scene),
    ...(dice.happens(0.2) ? { phone_numbers: place.numbers.slice(0, 1) } : {}),
    ...(dice.happens(0.9) ? { contacts: contactsOf(dice, dice.oneOf([2, 10, 40])) } : {}),
  })
  note(place.campaigns, answer?.campaign_id)
  note(place.batches, answer?.batch_id)
}

const steer: Deed = async ({ customer, dice, now }, place) => {
  const id = dice.anyOf(place.campaigns)
  if (id === undefined) return
  const path = `/v2/campaigns/${id}`
  const ask = (method: string, target: string, body?: object) => customer.ask(place.key, method, target, body)
  switch (dice.upTo(12)) {
    case 10:
      await ask("POST", `${path}/cancel`)
      await ask("DELETE", path)
      return void (await ask("POST", `${path}/revive`))
    case 11:
      await ask("POST", `${path}/cancel`)
      return void (await ask("PATCH", path, { max_concurrent_calls: 2 }))
    case 12:
      return void (await ask("PATCH", path, { agent_id: dice.anyOf(place.agents) }))
    case 0:
    case 1:
      return void (await ask("POST", `${path}/pause`))
    case 2:
    case 3:
      return void (await ask("POST", `${path}/resume`))
    case 4:
      return void (await ask("POST", `${path}/cancel`))
    case 5:
      return void (await ask("POST", `${path}/revive`))
    case 6:
      return void (await ask("DELETE", path))
    case 7:
      return void (await ask("PATCH", path, {
        ...(dice.happens(0.5) ? { end_time: iso(now() + (1 + dice.upTo(120)) * minuteMs) } : {}),
        ...(dice.happens(0.3) ? { agent_id: dice.anyOf(place.agents) } : {}),
        max_concurrent_calls: dice.oneOf([null, 1, 3]),
      }))
    case 8: {
      const appended = await ask("POST", `${path}/contacts`, { contacts: contactsOf(dice, 10) })
      return note(place.batches, appended?.batch_id)
    }
    default:
      await ask("GET", `${path}/stats`)
      await ask("GET", `${path}/explain`)
  }
}

const batch: Deed = async (scene, place) => {
  const { customer, dice, now } = scene
  const id = dice.anyOf(place.batches)
  const scheduled_at = iso(now() + (3 + dice.upTo(90)) * minuteMs)
  if (id === undefined || dice.happens(0.4)) {
    const campaign = dice.happens(0.4) ? dice.anyOf(place.campaigns) : undefined
    const made = await customer.ask(place.key, "POST", "/v2/batches", {
      agent_id: dice.anyOf(place.agents),
      contacts: contactsOf(dice, 12),
      ...(campaign === undefined ? {} : { campaign_id: campaign }),
      ...(dice.happens(0.4) ? { scheduled_at } : {}),
    })
    return note(place.batches, made?.batch_id)
  }
  const verb = dice.oneOf(["schedule", "stop", "pause", "pause", "resume", "resume"])
  await customer.ask(place.key, "POST", `/v2/batches/${id}/${verb}`, verb === "schedule" ? { scheduled_at } : undefined)
}

const agent: Deed = async ({ customer, dice, parameters: { night } }, place) => {
  const id = dice.anyOf(place.agents)
  const ask = (method: string, target: string, body?: object) => customer.ask(place.key, method, target, body)
  if (id === undefined || dice.happens(0.3)) {
    const guard = { enabled: true, timezone: night?.timezone ?? "UTC", start: "01:00", end: "03:30" }
    const made = await ask("POST", "/v2/agents", {
      display_name: "Agent",
      status: dice.oneOf(["ACTIVE", "ACTIVE", "DRAFT"]),
      ...(dice.happens(0.3) ? { calling_guard: dice.happens(0.1) ? { ...guard, end: "01:00" } : guard } : {}),
      ...(dice.happens(0.3) ? { integrations: { webhook: { url: "https://agent.inbox.test/" } } } : {}),
    })
    return note(place.agents, made?.agent_id)
  }
  switch (dice.upTo(5)) {
    case 0:
      return void (await ask("PATCH", `/v2/agents/${id}`, { summary: "Edited." }))
    case 1:
      return void (await ask("DELETE", `/v2/agents/${id}`))
    case 2:
      await ask("PATCH", `/v2/agents/${id}`, { status: dice.oneOf(["DRAFT", "INACTIVE", "ARCHIVED"]) })
      if (dice.happens(0.5)) await ask("PATCH", `/v2/agents/${id}`, { status: "DRAFT" })
      return
    case 3:
      // Whoever loses its URL has deliveries that cannot be sent again.
      await ask("PATCH", `/v2/agents/${id}`, { status: "INACTIVE" })
      await ask("PATCH", `/v2/agents/${id}`, { integrations: { webhook: { url: "" } } })
      return void (await ask("PATCH", `/v2/agents/${id}`, { status: "ACTIVE" }))
    default:
      await ask("PATCH", `/v2/agents/${id}`, { status: "ACTIVE" })
  }
}

const redeliver = async (
  ask: (method: string, target: string) => Promise<Answer | null>,
  dice: Dice,
): Promise<void> => {
  const page = await ask("GET", "/v2/webhooks/deliveries?page_size=20")
  const delivery = dice.anyOf(page?.data ?? [])?.["delivery_id"]
  if (typeof delivery === "string") await ask("POST", `/v2/webhooks/deliveries/${delivery}/redeliver`)
}

const webhook: Deed = async ({ customer, dice }, place) => {
  const ask = (method: string, target: string, body?: object) => customer.ask(place.key, method, target, body)
  const id = dice.anyOf(place.subscriptions)
  switch (dice.upTo(6)) {
    case 0:
    case 1: {
      const agent_id = dice.happens(0.4) ? dice.anyOf(place.agents.slice(0, 1)) : undefined
      const times = agent_id !== undefined && dice.happens(0.1) ? 101 : 1
      for (let nth = 0; nth < times; nth++) {
        const made = await ask("POST", "/v2/webhooks", {
          callback_url: `https://box${dice.upTo(2)}.inbox.test/in`,
          event_types: ["call_started", "call_completed", "call_corrected", "all_processing_completed"],
          ...(agent_id === undefined ? {} : { agent_id }),
          ...(dice.happens(0.5) ? { secret: "a secret of some length" } : {}),
        })
        note(place.subscriptions, made?.subscription_id)
      }
      return
    }
    case 2:
      if (id !== undefined) await ask("PATCH", `/v2/webhooks/${id}`, { enabled: dice.happens(0.5) })
      return redeliver(ask, dice)
    case 3:
      if (id !== undefined) await ask("DELETE", `/v2/webhooks/${id}`)
      return
    case 4: {
      const answers = dice.oneOf([
        { status: 200 },
        { statuses: [500, 500, 200] },
        { status: 503 },
        { error: "connect_error" },
        { status: 200, delay_ms: 40_000 },
      ])
      return void (await customer.control("PUT", `/_sim/inbox/box${dice.upTo(2)}`, answers))
    }
    default:
      await redeliver(ask, dice)
  }
}

const resource: Deed = async (scene, place) => {
  const { customer, dice } = scene
  const ask = (method: string, target: string, body?: object) => customer.ask(place.key, method, target, body)
  const [control, variant] = [dice.anyOf(place.agents), dice.anyOf(place.agents)]
  const experiment = dice.anyOf(place.experiments)
  switch (dice.upTo(8)) {
    case 0: {
      const number = dice.happens(0.5) ? place.numbers[0] : `+1555777${String(dice.upTo(9)).padStart(4, "0")}`
      const made = await ask("POST", "/v2/phone-numbers", { phone_number: number })
      return note(place.phoneNumbers, made?.phone_number_id)
    }
    case 1: {
      if (dice.happens(0.5)) return namedNumber(scene, place)
      const page = await ask("GET", "/v2/phone-numbers")
      const number = dice.anyOf(page?.data ?? [])?.["phone_number_id"]
      if (typeof number === "string") await ask("DELETE", `/v2/phone-numbers/${number}`)
      return
    }
    case 2:
      return void (await ask("POST", "/v2/inbound-agents", { agent_id: control, phone_number: place.numbers[0] }))
    case 3:
      await customer.control("POST", "/_sim/inbound", {
        organization_id: place.organization_id,
        from_number: "+12125550199",
        to_number: place.numbers[0] ?? "+12125550198",
      })
      return
    case 4:
      return void (await ask("POST", "/v2/providers", { provider_name: `p${dice.upTo(1)}`, provider_value: "v" }))
    case 5: {
      if (control === undefined || variant === undefined || control === variant) return
      for (const status of dice.oneOf([["draft"], ["active"], ["active", "active"]])) {
        const body = { variant_agent_id: variant, version_name: "B", variant_traffic_pct: 50, status }
        const made = await ask("POST", `/v2/agents/${control}/versions`, body)
        if (typeof made?.version_id === "string") place.experiments.push({ agent: control, version: made.version_id })
      }
      return
    }
    case 6:
    case 7: {
      if (experiment === undefined) return
      const path = `/v2/agents/${experiment.agent}/versions/${experiment.version}`
      if (dice.happens(0.3)) return void (await ask("DELETE", path))
      const status = dice.oneOf(["active", "paused", "draft", "concluded"])
      await ask("PATCH", path, { status, ...(status === "concluded" ? { winner: "control" } : {}) })
      if (status === "concluded") await ask("PATCH", path, { status: "active" })
      return
    }
    default:
      if (dice.happens(0.5)) await ask("DELETE", `/v2/api-keys/${place.key_id}`)
      else await ask("POST", "/v2/api-keys", { name: "another" })
  }
}

/** A number that a campaign, a batch or a booked call names is given up, before its turn or after. */
const namedNumber: Deed = async ({ customer, dice, now }, place) => {
  const ask = (method: string, target: string, body?: object) => customer.ask(place.key, method, target, body)
  const page = await ask("GET", "/v2/phone-numbers")
  const number = dice.anyOf(page?.data ?? [])
  const [id, phone_number] = [number?.["phone_number_id"], number?.["phone_number"]]
  const agent_id = dice.anyOf(place.agents)
  if (typeof id !== "string" || agent_id === undefined) return
  const named = { agent_id, phone_numbers: [phone_number], contacts: contactsOf(dice, 2) }
  const what = dice.oneOf(["campaign", "batch", "call"])
  if (what === "campaign") {
    const made = await ask("POST", "/v2/campaigns", { name: "Named", ...named })
    note(place.campaigns, made?.campaign_id)
    note(place.batches, made?.batch_id)
  } else if (what === "batch") note(place.batches, (await ask("POST", "/v2/batches", named))?.batch_id)
  else {
    const scheduled_at = iso(now() + 130_000)
    const body = { agent_id, to_number: numberOf(dice), from_number: phone_number, scheduled_at }
    note(place.calls, (await ask("POST", "/v2/calls", body))?.execution_id)
  }
  await ask("DELETE", `/v2/phone-numbers/${id}`)
}

/**
 * Numbers that must not be called: somebody says so before a campaign has them or while it calls them, and before a booked call to one is due. Some
 * are called all the same, and some of it is taken back.
 */
const suppress: Deed = async ({ advance, customer, dice, now }, place) => {
  const ask = (method: string, target: string, body: object) => customer.ask(place.key, method, target, body)
  const agent_id = dice.anyOf(place.agents)
  const numbers = Array.from({ length: 2 + dice.upTo(6) }, () => numberOf(dice))
  const to_numbers = [...new Set(numbers.slice(0, 1 + dice.upTo(3)))]
  const scope = dice.happens(0.3) ? { agent_id } : {}
  const end = dice.happens(0.3) ? { expires_at: iso(now() + (1 + dice.upTo(60)) * minuteMs) } : {}
  const say = () => ask("POST", "/v2/suppressions", { to_numbers, reason: "opt_out", ...scope, ...end })
  const isBefore = dice.happens(0.4)
  if (isBefore) await say()
  const contacts = numbers.map((to_number) => ({ to_number }))
  const body = { name: "Suppressed", agent_id, contacts, retry_policy: { max_retries: 1, base_delay_minutes: 1 } }
  const made = await ask("POST", "/v2/campaigns", body)
  note(place.campaigns, made?.campaign_id)
  note(place.batches, made?.batch_id)
  const [to_number] = to_numbers
  const booked = await ask("POST", "/v2/calls", { agent_id, to_number, scheduled_at: iso(now() + 130_000) })
  note(place.calls, booked?.execution_id)
  if (!isBefore) {
    await advance({ by_ms: dice.upTo(dice.oneOf([1_000, 20_000, 90_000])) })
    await say()
  }
  const anyway = dice.happens(0.4) ? { override_suppression: true } : {}
  note(place.calls, (await ask("POST", "/v2/calls", { agent_id, to_number, ...anyway }))?.execution_id)
  await advance({ by_ms: dice.upTo(180_000) })
  if (dice.happens(0.5)) await ask("POST", "/v2/suppressions/remove", { to_numbers, ...scope })
}

/**
 * Numbers that may be called only so often: two campaigns, a booked call and calls by hand have some in common. Caps come before or while they are
 * called, and mostly go again: whoever waits for them would wait for days.
 */
const cap: Deed = async ({ advance, customer, dice, now }, place) => {
  const ask = (method: string, target: string, body?: object) => customer.ask(place.key, method, target, body)
  const agent_id = dice.anyOf(place.agents)
  const numbers = Array.from({ length: 2 + dice.upTo(4) }, () => numberOf(dice))
  const per = dice.oneOf(["per_day", "per_week", "per_thirty_days"])
  const rest = dice.happens(0.5) ? { minimum_rest_seconds: 1 + dice.upTo(600) } : {}
  const set = () => ask("PUT", "/v2/call-caps", { [per]: 1 + dice.upTo(2), ...rest })
  const isBefore = dice.happens(0.6)
  if (isBefore) await set()
  const contacts = numbers.map((to_number) => ({ to_number }))
  for (const name of ["Capped", "Capped too"]) {
    const retry_policy = { max_retries: 1, base_delay_minutes: 1 }
    const made = await ask("POST", "/v2/campaigns", { name, agent_id, contacts, retry_policy })
    note(place.campaigns, made?.campaign_id)
    note(place.batches, made?.batch_id)
  }
  const [to_number] = numbers
  const booked = await ask("POST", "/v2/calls", { agent_id, to_number, scheduled_at: iso(now() + 130_000) })
  note(place.calls, booked?.execution_id)
  await advance({ by_ms: dice.upTo(dice.oneOf([1_000, 20_000, 90_000])) })
  if (!isBefore) await set()
  const anyway = dice.happens(0.3) ? { override_call_caps: true } : {}
  for (let nth = 0; nth < 3; nth++) {
    note(place.calls, (await ask("POST", "/v2/calls", { agent_id, to_number, ...anyway }))?.execution_id)
    await advance({ by_ms: dice.upTo(60_000) })
  }
  if (dice.happens(0.3)) await advance({ by_ms: dice.upTo(2 * dayMs) })
  if (dice.happens(0.8)) await ask("DELETE", "/v2/call-caps")
}

/** A campaign of which many calls fail, with a breaker from the start or set meanwhile; somebody may pause it, write it anew or take it away. */
const breaker: Deed = async ({ advance, customer, dice, now }, place) => {
  const ask = (method: string, target: string, body?: object) => customer.ask(place.key, method, target, body)
  const agent_id = dice.anyOf(place.agents)
  const start_time = iso(now() + dice.oneOf([1_000, 60_000]))
  const contacts = Array.from({ length: 4 + dice.upTo(20) }, () => ({
    to_number: dice.happens(0.6)
      ? `+9990${1 + dice.upTo(5)}00${String(dice.upTo(99_999_999)).padStart(8, "0")}`
      : numberOf(dice),
  }))
  const retry_policy = { max_retries: dice.upTo(1), base_delay_minutes: 1 }
  const made = await ask("POST", "/v2/campaigns", { name: "Broken", agent_id, contacts, start_time, retry_policy })
  note(place.campaigns, made?.campaign_id)
  note(place.batches, made?.batch_id)
  if (typeof made?.campaign_id !== "string") return
  const path = `/v2/campaigns/${made.campaign_id}`
  const set = () =>
    ask("PUT", `${path}/breaker`, {
      window_calls: dice.oneOf([3, 10, 100]),
      minimum_calls: 1 + dice.upTo(2),
      [dice.oneOf(["failed_percent", "error_percent", "voicemail_percent", "short_call_percent"])]: dice.upTo(60),
      ...(dice.happens(0.3) ? { window_minutes: 1 + dice.upTo(10) } : {}),
      ...(dice.happens(0.7) ? { resume_after_minutes: 1 + dice.upTo(30) } : {}),
    })
  const isBefore = dice.happens(0.7)
  if (isBefore) await set()
  await advance({ by_ms: dice.upTo(dice.oneOf([5_000, 60_000, 600_000])) })
  if (!isBefore || dice.happens(0.2)) await set()
  if (dice.happens(0.3)) await ask("POST", `${path}/${dice.oneOf(["pause", "resume", "cancel"])}`)
  await advance({ by_ms: dice.upTo(dice.oneOf([60_000, 3_600_000])) })
  if (dice.happens(0.2)) await ask("DELETE", `${path}/breaker`)
  if (dice.happens(0.5)) await ask("POST", `${path}/resume`)
}

/** A campaign that goes by priority, or calls the last ones first, of some batches; most are there before it begins. The order may be said anew, or go. */
const order: Deed = async ({ advance, customer, dice, now }, place) => {
  const ask = (method: string, target: string, body?: object) => customer.ask(place.key, method, target, body)
  const agent_id = dice.anyOf(place.agents)
  const start_time = iso(now() + dice.oneOf([1_000, 600_000]))
  const retry_policy = { max_retries: dice.upTo(1), base_delay_minutes: 1 }
  const made = await ask("POST", "/v2/campaigns", { name: "Ordered", agent_id, start_time, retry_policy })
  note(place.campaigns, made?.campaign_id)
  if (typeof made?.campaign_id !== "string") return
  const path = `/v2/campaigns/${made.campaign_id}`
  const set = () =>
    ask("PUT", `${path}/order`, {
      contacts: dice.oneOf(["first_come", "last_come"]),
      ...(dice.happens(0.9) ? { priority_column: "vip" } : {}),
    })
  if (dice.happens(0.9)) await set()
  const add = async () => {
    const contacts = Array.from({ length: 1 + dice.upTo(8) }, () => ({
      to_number: numberOf(dice),
      ...(dice.happens(0.8) ? { vip: dice.oneOf([0, 3, 5, "7", 9]) } : {}),
    }))
    note(place.batches, (await ask("POST", `${path}/contacts`, { contacts }))?.batch_id)
    await advance({ by_ms: dice.upTo(2_000) })
  }
  for (let nth = 0; nth < 2 + dice.upTo(3); nth++) await add()
  await advance({ by_ms: dice.upTo(dice.oneOf([60_000, 900_000])) })
  await add()
  if (dice.happens(0.3)) await set()
  if (dice.happens(0.2)) await ask("DELETE", `${path}/order`)
}

/** What was over for a week goes, while whatever is not over goes on; mostly all is kept again afterwards. */
const forget: Deed = async ({ advance, customer, dice }, place) => {
  const path = `/_sim/organizations/${place.organization_id}`
  await customer.control("PATCH", path, { retention_days: 7 })
  await advance({ by_ms: (8 + dice.upTo(2)) * dayMs })
  const id = dice.anyOf(place.campaigns)
  if (id !== undefined) await customer.ask(place.key, "POST", `/v2/campaigns/${id}/revive`)
  // What has gone is told there.
  await customer.ask(place.key, "GET", "/v2/audit-logs?page_size=100")
  if (dice.happens(0.7)) await customer.control("PATCH", path, { retention_days: null })
}

/** Requests with something wrong. */
const slip: Deed = async ({ customer, dice }, place) => {
  const agent_id = place.agents[0]
  switch (dice.upTo(6)) {
    case 0:
      return void (await customer.ask(place.key, "POST", "/v2/calls", "{"))
    case 1:
      return void (await customer.ask(place.key, "POST", "/v2/calls", { agent_id, to_number: "12" }))
    case 2:
      return void (await customer.ask(place.key, "POST", "/v2/calls", { agent_id }))
    case 3:
      return void (await customer.ask(null, "GET", "/v2/calls"))
    case 4:
      return void (await customer.ask("sk_wrong", "GET", "/v2/calls"))
    case 5:
      return void (await customer.ask(place.readKey, "POST", "/v2/calls", { agent_id, to_number: numberOf(dice) }))
    default:
      await customer.ask(place.key, "GET", "/v2/calls/exec_unknown")
  }
}

const reads = [
  "/v2/calls?page_size=20&status=completed",
  "/v2/calls?include_transcript=true&page_size=5",
  "/v2/user/me",
  "/v2/usage",
  "/v2/audit",
  "/v2/campaigns",
  "/v2/batches",
  "/v2/webhooks/deliveries",
] as const

const look: Deed = async ({ customer, dice }, place) => {
  await customer.ask(place.key, "GET", dice.oneOf(reads))
}

const dependencies = [
  ...["slot_store", "call_store", "telephony", "rate_limit_store", "key_store", "agent_store", "scheduler"],
  ...["account", "webhook_store", "webhook_network", "translation", "usage"],
]

const fault: Deed = async ({ customer, dice }) => {
  await customer.control("PUT", "/_sim/faults", {
    [dice.anyOf(dependencies) ?? "telephony"]: {
      mode: dice.oneOf(["unreachable", "timeout", "error"]),
      rate: dice.oneOf([0.1, 0.5, 1]),
      for_ms: 1_000 + dice.upTo(dice.oneOf([5_000, 60_000, 300_000])),
      ...(dice.happens(0.3) ? { skip: dice.upTo(5), times: 1 + dice.upTo(5) } : {}),
    },
  })
}

const crash: Deed = async (scene, place) => {
  const { crash: end, dice } = scene
  if (dice.happens(0.3)) return diesWithItsCall(scene, place)
  await end(dice.upTo(dice.oneOf([0, 10, 100])))
}

/** The process ends after a call has, and its line is given back by nobody: the release was never sent, or an outage swallowed it. */
const diesWithItsCall: Deed = async ({ advance, crash: end, customer, dice }, place) => {
  const to_number = `+9990001${String(dice.upTo(99_999_999)).padStart(8, "0")}`
  const body = { agent_id: dice.anyOf(place.agents), to_number }
  const answer = await customer.ask(place.key, "POST", "/v2/calls", body)
  const execution_id = answer?.execution_id
  if (typeof execution_id !== "string") return
  note(place.calls, execution_id)
  await advance({ until: { execution_id, status: "completed" }, max_ms: minuteMs })
  // Its final report, after which it gives its line back, comes some seconds later.
  if (dice.happens(0.5)) await end(15 + dice.upTo(15))
  else {
    await customer.control("PUT", "/_sim/faults", { slot_store: { mode: "error", for_ms: 3_500 } })
    await advance({ by_ms: 3_400 })
    await end(0)
  }
  await advance({ by_ms: minuteMs })
}

const account: Deed = async ({ customer, dice, parameters: { lines } }, place) => {
  const path = `/_sim/organizations/${place.organization_id}`
  if (dice.happens(0.4)) {
    await customer.control("PATCH", path, { wallet: { balance: dice.oneOf([0, 0.05, 1_000_000]) } })
    return
  }
  await customer.control("PATCH", path, {
    concurrency: { organization: lines[0] + dice.upTo(lines[1]), per_agent: dice.oneOf([null, 2, 5]) },
  })
}

const time: Deed = ({ advance, dice }) =>
  advance({ by_ms: dice.upTo(dice.oneOf([100, 2_000, 20_000, 20_000, 120_000, 1_800_000])) })

/** More requests than a minute allows. */
const rush: Deed = async ({ customer }, place) => {
  for (let nth = 0; nth < 1_100; nth++) {
    const answer = await customer.ask(place.key, "GET", "/v2/user/me")
    if (answer?.error === 1300) return
  }
}

/** More uploads than two minutes in a row allow; nothing is in them, so nothing is read. */
const uploads: Deed = async ({ advance, customer, dice }, place) => {
  for (let minute = 0; minute < 2; minute++) {
    for (let nth = 0; nth < 22; nth++) {
      const answer = await customer.ask(place.key, "POST", "/v2/knowledge-bases")
      if (answer?.error === 1300) break
    }
    await advance({ by_ms: minuteMs - dice.upTo(20_000) })
  }
}

export const deeds: { readonly [name in keyof Parameters["weights"]]: Deed } = {
  dial,
  stop,
  campaign: makeCampaign,
  steer,
  batch,
  agent,
  webhook,
  resource,
  suppress,
  cap,
  breaker,
  order,
  forget,
  slip,
  read: look,
  fault,
  crash,
  account,
  time,
  rush,
  uploads,
  ending: atItsEnd,
  meeting,
}
