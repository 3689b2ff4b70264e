import { Simulator } from "@carillon/simulator"
import { Schema } from "effect"
import { type Contender, type Scenario, timed } from "../Harness.ts"

const lines = 20
const sizes = [500, 10, 10, 10, 10]
const floor = Math.floor(lines / sizes.length)
const callMs = 21_000
const tickMs = 1_000

/** What a look at the lines shows: live calls and contacts left of each campaign. */
interface Look {
  readonly live: ReadonlyArray<number>
  readonly left: ReadonlyArray<number>
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

/** Lines that lie idle while somebody has a contact, calls beyond the lines, campaigns below their floor. */
const wrongs = ({ left, live }: Look): number => {
  const all = sum(live)
  const idle = sum(left) > 0 && all < lines ? 1 : 0
  const over = all > lines ? 1 : 0
  return idle + over + live.filter((count, nth) => (left[nth] ?? 0) > 0 && count < floor).length
}

const decode = Schema.decodeUnknownSync(
  Schema.Struct({
    campaign_id: Schema.optionalKey(Schema.String),
    campaigns: Schema.optionalKey(
      Schema.Array(Schema.Struct({ campaign_id: Schema.String, used: Schema.Number, demand: Schema.Number })),
    ),
  }),
)

const ours: Contender = {
  name: "Carillon simulator, through /v2",
  round: () =>
    timed(async () => {
      const simulator = await Simulator.start({ seed: 1, clock: "manual" })
      const { agent_id, key } = simulator.info
      const ask = async (method: string, path: string, body?: object) => {
        const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
        const request = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
        const answer: unknown = await (await simulator.fetch(new Request(`http://simulator${path}`, request))).json()
        return decode(answer)
      }
      const outcome = { result: "completed", ring_ms: 1_000, talk_ms: callMs - 1_000, processing_ms: 0 }
      await ask("PUT", "/_sim/telephony/rules", { rules: [{ outcome }] })
      const ids: Array<string> = []
      let serial = 0
      for (const size of sizes) {
        const contacts = Array.from({ length: size }, () => ({ to_number: `+1555${1_000_000 + serial++}` }))
        ids.push((await ask("POST", "/v2/campaigns", { name: "x", agent_id, contacts })).campaign_id ?? "")
      }
      let errors = 0
      for (let left = 1; left > 0;) {
        await ask("POST", "/_sim/clock/advance", { by_ms: tickMs })
        const { campaigns = [] } = await ask("GET", "/_sim/stats")
        const shown = new Map(campaigns.map((each) => [each.campaign_id, each]))
        const look = {
          live: ids.map((id) => shown.get(id)?.used ?? 0),
          left: ids.map((id) => shown.get(id)?.demand ?? 0),
        }
        errors += wrongs(look)
        left = sum(look.left)
      }
      await simulator.close()
      return { operations: serial, errors }
    }),
}

/** What a job queue does by itself: first come, first served. */
const queue: Contender = {
  name: "one queue, first come first served",
  mayErr: true,
  round: () =>
    timed(() => {
      const waiting = sizes.flatMap((size, nth) => Array.from({ length: size }, () => nth))
      const live: Array<{ readonly campaign: number; readonly until: number }> = []
      let errors = 0
      for (let now = 0; waiting.length > 0; now += tickMs) {
        while (live[0] !== undefined && live[0].until <= now) live.shift()
        while (live.length < lines && waiting.length > 0)
          live.push({ campaign: waiting.shift() ?? 0, until: now + callMs })
        errors += wrongs({
          live: sizes.map((_, nth) => live.filter(({ campaign }) => campaign === nth).length),
          left: sizes.map((_, nth) => waiting.filter((campaign) => campaign === nth).length),
        })
      }
      return { operations: sum(sizes), errors }
    }),
}

export const fairness: Scenario = {
  name: "fairness",
  question:
    "Do five campaigns, 50:1:1:1:1, keep 20 lines busy and each its floor? (every second in which they do not is an error)",
  comparisons: function* () {
    yield { title: "540 contacts of five campaigns", reference: queue.name, contenders: [ours, queue] }
  },
}
