import { Agents, Campaigns, type CarrierReport, Organizations, Telephony } from "@carillon/core"
import { Steps, WebhookTransport } from "@carillon/core/ports"
import { MemoryRates, MemorySlots } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { Postgres } from "@carillon/postgres"
import { Effect, Layer, Redacted } from "effect"
import { Handled, numberOf, type StartQueue } from "./Queue.ts"

const webhooks = Layer.succeed(WebhookTransport, { send: () => Effect.die("nobody listens") })

const final = (execution_id: string): CarrierReport => ({
  execution_id,
  at: Date.now(),
  call_sid: null,
  type: "final",
  end: {
    status: "completed",
    duration_seconds: 1,
    answered_by_voicemail: null,
    hangup_by: null,
    hangup_reason: null,
    error: null,
  },
  facts: { recording_url: null, cost: null, media: null },
})

/**
 * The engine in real time on `@carillon/postgres`, with one campaign. A contact is claimed with its call; the carrier takes the dial and
 * reports at once that the call was completed, which completes the contact. Not more than `lines` calls run at a time.
 */
export const startCarillon =
  (lines: number): StartQueue =>
  async (url) => {
    let handled = new Handled(0)
    let over = 0
    /** Calls that are live, and the most that ever were: the platform's ceiling is in force. */
    let live = 0
    let most = 0
    let settled = Promise.withResolvers<void>()
    let expected = 0
    const carrier = Layer.succeed(Telephony, {
      dial: ({ execution_id, contact_id }) =>
        Effect.sync(() => {
          handled.run(contact_id ?? "")
          live += 1
          most = Math.max(most, live)
          setImmediate(() => {
            live -= 1
            void carillon.report(final(execution_id)).then(() => {
              over += 1
              if (over === expected) settled.resolve()
            })
          })
          return { _tag: "Accepted", call_sid: null } as const
        }),
      hangup: () => Effect.succeed("Sent"),
      find: () => Effect.succeed({ _tag: "NoAnswer" }),
    })
    const carillon = await Carillon.make({
      ports: Layer.mergeAll(
        Postgres.layer({ url: Redacted.make(url) }),
        MemorySlots.layer(),
        MemoryRates.layer(),
        carrier,
        webhooks,
      ),
    })
    const opened = await carillon.run(
      Effect.gen(function* () {
        const steps = yield* Steps
        yield* steps.commit({
          organization_id: "platform",
          changes: [{ put: "platform", row: { platform_id: "platform", revision: 1, concurrency: lines } }],
        })
        const organizations = yield* Organizations
        const { organization, record } = yield* organizations.open({
          name: "Benchmark",
          wallet: { balance: 1e9, currency: "USD" },
          concurrency: { enforced: false },
        })
        const { organization_id } = organization
        const caller = { organization_id, key: record, request_id: "req_benchmark" }
        const agents = yield* Agents
        const { agent } = yield* agents.create(caller, { display_name: "Benchmark", status: "ACTIVE" })
        return { caller, agent_id: agent.agent_id }
      }),
    )
    const { agent_id, caller } = opened
    let campaignId = ""
    return {
      fill: (jobs) =>
        carillon.run(
          Effect.gen(function* () {
            const campaigns = yield* Campaigns
            const campaign = yield* campaigns.create(caller, { name: "Benchmark", agent_id }, null)
            campaignId = campaign.campaign_id
            yield* campaigns.pause(caller, campaignId)
            const contacts = Array.from({ length: jobs }, (_, nth) => ({ to_number: numberOf(nth), variables: {} }))
            yield* campaigns.append(caller, campaignId, { contacts, file_name: null })
            expected = jobs
            over = 0
            handled = new Handled(jobs)
            settled = Promise.withResolvers()
          }),
        ),
      drain: async (begins) => {
        begins()
        await carillon.run(Effect.flatMap(Campaigns, (campaigns) => campaigns.resume(caller, campaignId)))
        await settled.promise
        return handled.errors + (most > lines ? 1 : 0)
      },
      close: carillon.close,
    }
  }
