import { type Call, limits } from "@carillon/core"
import { CallReports, directDial, newCall, TimeHeap } from "@carillon/core/domain"
import { Simulator } from "@carillon/simulator"
import { type Contender, type Scenario, sized, timed } from "../Harness.ts"
import { campaignDay } from "./CampaignDay.ts"
import { growth } from "./Growth.ts"
import { manyCampaigns } from "./ManyCampaigns.ts"

const organizationCeiling = 1000

/** Calls that are live at once: as many as the platform's lines. */
const batch = 500

const completed = {
  status: "completed",
  duration_seconds: 30,
  answered_by_voicemail: false,
  hangup_by: "customer",
  hangup_reason: "user_hangup",
  error: null,
} as const

const plan: ReadonlyArray<readonly [afterMs: number, type: "initiated" | "ringing" | "answered" | "ended" | "final"]> =
  [
    [400, "initiated"],
    [900, "ringing"],
    [6_000, "answered"],
    [36_000, "ended"],
    [38_000, "final"],
  ]

const reportOf = (execution_id: string, type: (typeof plan)[number][1], at: number): CallReports.LegReport => {
  const base = { execution_id, at, call_sid: null }
  switch (type) {
    case "ended":
      return { ...base, type, end: completed }
    case "final":
      return { ...base, type, end: completed, facts: { recording_url: null, cost: null, media: null } }
    default:
      return { ...base, type }
  }
}

const pureRules = "event heap and pure rules (limit)"

/** The event heap and the pure rules, with nothing around them: what virtual time could cost at best. */
export const plain = (calls: number, measure = timed): Contender => ({
  name: pureRules,
  round: () =>
    measure(() => {
      const heap = new TimeHeap<readonly [string, number]>()
      const rows = new Map<string, Call>()
      let now = 0
      let done = 0
      for (let placed = 0; placed < calls || heap.size > 0;) {
        while (placed < calls && rows.size - done < batch) {
          const id = `exec_${placed++}`
          const request = {
            agent_id: "agt_1",
            to_number: "+15555550100",
            from_number: null,
            variables: {},
            metadata: {},
            scheduled_at: null,
            record: true,
            timeout_seconds: 30,
          }
          rows.set(id, newCall("org_1", id, request, directDial, now))
          heap.set(id, now + plan[0]![0], [id, 0])
        }
        const due = heap.popDue(Infinity)
        if (due === undefined) break
        now = due.at
        const [id, index] = due.value
        const call = rows.get(id)
        const step = plan[index]
        const following = plan[index + 1]
        if (call === undefined || step === undefined) continue
        rows.set(id, CallReports.applyReport(call, reportOf(id, step[1], now), now, "USD", limits).call)
        if (following === undefined) done += 1
        else heap.set(id, now + following[0] - step[0], [id, index + 1])
      }
      return { operations: calls, errors: calls - done }
    }),
})

/** The simulator: the real engine behind the real `/v2`, with carrier, invariants and all. */
const simulated = (calls: number): Contender => ({
  name: "Carillon simulator, through /v2",
  round: () =>
    timed(async () => {
      const simulator = await Simulator.start({ seed: 1, clock: "manual", limits: "off" })
      const demo = simulator.info
      const ask = async (method: string, path: string, body: object) => {
        const response = await simulator.fetch(
          new Request(`http://simulator${path}`, {
            method,
            headers: { authorization: `Bearer ${demo.key}`, "content-type": "application/json" },
            body: JSON.stringify(body),
          }),
        )
        return response.status
      }
      await ask("PATCH", `/_sim/organizations/${demo.organization_id}`, {
        concurrency: { organization: organizationCeiling, per_agent: null },
      })
      let refused = 0
      for (let placed = 0; placed < calls; placed += batch) {
        for (let i = 0; i < Math.min(batch, calls - placed); i++) {
          const serial = String(placed + i).padStart(8, "0")
          const status = await ask("POST", "/v2/calls", { agent_id: demo.agent_id, to_number: `+9990003${serial}` })
          if (status !== 201) refused += 1
        }
        await ask("POST", "/_sim/clock/advance", { until_idle: true })
      }
      await simulator.close()
      return { operations: calls, errors: refused }
    }),
})

export const virtualTime: Scenario = {
  name: "virtual-time",
  question: "How many simulated calls, from dial to analysis, does one core carry through in a second?",
  comparisons: async function* (scale) {
    const reference = pureRules
    for (const calls of [1_000, sized(scale, 2_000, 10_000)]) {
      yield { title: `${calls.toLocaleString("en-US")} calls`, reference, contenders: [plain(calls), simulated(calls)] }
    }
    // A million calls take twenty minutes a round, and 12 GB.
    for (const calls of new Set([sized(scale, 500, 10_000), sized(scale, 500, 100_000, 1_000_000)])) {
      const title = `a day of ${calls.toLocaleString("en-US")} calls of campaigns, with retries and webhooks`
      yield { title, reference, contenders: [plain(calls), campaignDay(calls)] }
    }
    const campaigns = sized(scale, 50, 1_000)
    const [one, many] = [manyCampaigns(1, campaigns), manyCampaigns(campaigns, campaigns)]
    yield { title: "calls of campaigns of ten contacts", reference: one.name, contenders: [one, many] }
    yield growth(scale)
  },
}
