import { Option, Schema } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { type Break, breaks } from "./Breaks.ts"
import type { Answered } from "./Engines.ts"
import { callerId, openPlace, type Place } from "./Place.ts"
import { backAfter, legsOfWindow, type Sign, signsUntil } from "./Watch.ts"

/**
 * `npm run soak:operators -- [--only TEXT] [--logs FOLDER]`: breaks each dependency of two running servers in turn, and says what showed it, and how
 * soon. Their logs are kept in the folder.
 */
const { values } = parseArgs({ options: { only: { type: "string", default: "" }, logs: { type: "string" } } })

const calmMs = 30_000
/** An operator asks once there was time to see a line of the log. */
const askedAfterMs = 20_000
const contacts = 20_000

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const readOpened = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ key: Schema.String })))
const readAgent = Schema.decodeUnknownSync(Schema.Struct({ agent_id: Schema.String }))
const readCampaign = Schema.decodeUnknownSync(Schema.Struct({ campaign_id: Schema.String }))

const readWhy = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      blocking: Schema.Array(Schema.Struct({ reason: Schema.String })),
      lines: Schema.Struct({ silent_for_a_minute: Schema.Number, dials_without_an_answer: Schema.Number }),
      store_ms: Schema.Number,
    }),
  ),
)

/** Milliseconds of a round trip that `campaigns why` is quoted with. */
const slowMs = 20

/** What the operator's program says holds the campaign up: in a few words, or its own where it could not ask. */
const whyOf = ({ code, said }: Answered): string => {
  const why = Option.getOrNull(readWhy(said))
  if (why === null) return code === null ? "gave no answer in 30 s" : (said.trim().split("\n").at(-1) ?? "")
  const { blocking, lines, store_ms } = why
  const reasons = blocking.map(({ reason }) => `\`${reason}\``).join(", ")
  return [
    reasons === "" ? "nothing" : reasons,
    ...(lines.dials_without_an_answer > 0 ? [`${lines.dials_without_an_answer} dials without an answer`] : []),
    ...(lines.silent_for_a_minute > 0 ? [`${lines.silent_for_a_minute} lines silent for a minute`] : []),
    ...(store_ms > slowMs ? [`a round trip to the rows takes ${store_ms} ms`] : []),
  ].join("; ")
}

/** What a break showed of itself. */
interface Played {
  readonly name: string
  readonly seconds: number
  readonly usual: number
  readonly signs: ReadonlyArray<Sign>
  readonly why: string
  readonly backMs: number | null
}

const played = async (place: Place, campaign: string, { begin, end, name, seconds }: Break): Promise<Played> => {
  const usual = await legsOfWindow(place)
  const until = Date.now() + seconds * 1_000
  const watching = signsUntil(place, until)
  await begin(place)
  await sleep(askedAfterMs)
  const why = await place.engines.admin("campaigns", "why", campaign, "--json")
  const signs = await watching
  await sleep(Math.max(0, until - Date.now()))
  await end(place)
  const backMs = await backAfter(place, usual)
  return { name, seconds, usual, signs, why: whyOf(why), backMs }
}

const secondsOf = (ms: number | null | undefined): string => (ms == null ? "–" : `${(ms / 1_000).toFixed(1)} s`)

const tell = ({ backMs, name, seconds, signs, usual, why }: Played): void => {
  say(`\n## ${name}, ${seconds} s; ${usual.toFixed(1)} legs before`)
  for (const { afterMs, from, what } of signs) say(`${secondsOf(afterMs)} ${from}: ${what}`)
  say(`campaigns why: ${why}`)
  say(`as many legs again after ${secondsOf(backMs)}`)
}

const rowOf = ({ backMs, name, seconds, signs, why }: Played): string => {
  const first = (from: Sign["from"]) => {
    const sign = signs.find((each) => each.from === from)
    return sign === undefined ? "–" : `${secondsOf(sign.afterMs)}${from === "log" ? "" : `, ${sign.what}`}`
  }
  return `| ${name}, ${seconds} s | ${first("log")} | ${first("pending")} | ${first("firing")} | ${first("panel")} | ${why} | ${secondsOf(backMs)} |`
}

/** Opens an organization with a campaign that lasts, on twenty lines; its id. */
const campaignOf = async ({ api, engines, hook }: Place): Promise<string> => {
  const wallet = ["--balance", "1000000", "--lines", "20", "--number", callerId]
  const { key } = readOpened((await engines.admin("organizations", "open", "Acme", ...wallet, "--json")).said)
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const post = async (path: string, body: object): Promise<unknown> => {
    const answer = await fetch(`${api}/v2${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const { agent_id } = readAgent(await post("/agents", { display_name: "Reminder", status: "ACTIVE" }))
  await post("/webhooks", { callback_url: hook, agent_id, event_types: ["call_completed"] })
  const numbers = Array.from({ length: contacts }, (_, nth) => ({ to_number: `+1212${5_550_000 + nth}` }))
  const campaign = { name: "One", agent_id, contacts: numbers, phone_numbers: [callerId] }
  return readCampaign(await post("/campaigns", campaign)).campaign_id
}

// A run that is cut off leaves nothing behind: its servers end with this process.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
const place = await openPlace(values.logs)
try {
  const campaign = await campaignOf(place)
  await sleep(calmMs)
  const all: Array<Played> = []
  for (const one of breaks.filter(({ name }) => name.includes(values.only))) {
    const outcome = await played(place, campaign, one)
    tell(outcome)
    all.push(outcome)
    await sleep(calmMs)
  }
  say(
    "\n| break | the log, after | alert pending, after | alert firing, after | panel, after | `campaigns why` | lines used again, after |",
  )
  say("|---|---|---|---|---|---|---|")
  for (const outcome of all) say(rowOf(outcome))
} finally {
  await place.close()
}
