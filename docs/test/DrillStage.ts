import { type AuditRecord, type Call, promiseCarrier } from "@carillon/core"
import { AuditChain } from "@carillon/core/domain"
import { type Contact, SlotStore } from "@carillon/core/ports"
import { MemoryRates, MemorySlots } from "@carillon/core/memory"
import { Interleavings } from "@carillon/core/testing"
import { Carillon } from "@carillon/http"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { webHandler } from "@carillon/http/web"
import { Postgres, readContents } from "@carillon/postgres"
import { Effect, Layer, Logger, Redacted } from "effect"
import { comesAbout } from "../../scripts/patience.ts"

/** What every call costs, and what the organization has before. */
const price = 0.25
const balance = 100_000
/** A dial that nobody knows the end of is asked about only half a minute later. */
const stillMs = 90_000
const reportAgainMs = 300
const customerMs = 150

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const cost = {
  total: price,
  breakdown: { llm: 0, network: 0, platform: 0, synthesizer: 0, telephony: price, transcriber: 0 },
}

interface Ring {
  readonly at: number
  readonly execution_id: string
  readonly to_number: string
}

/** A carrier that is not on the database: it rings whom it is told to, says how that ended until it is heard, and knows it when it is asked. */
class DrillCarrier {
  readonly rings: Array<Ring> = []
  readonly #ends = new Map<string, number>()
  readonly #callMs: number
  #isOver = false
  report: Carillon["report"] = () => Promise.reject(new Error("nobody listens yet"))

  constructor(callMs: number) {
    this.#callMs = callMs
  }

  readonly layer = promiseCarrier({
    dial: async ({ execution_id, to_number }) => {
      this.rings.push({ at: Date.now(), execution_id, to_number })
      this.#ends.set(execution_id, Date.now() + this.#callMs)
      void this.#tell(execution_id)
      return { _tag: "Accepted", call_sid: null }
    },
    hangup: async () => "Sent",
    find: async (execution_id) => {
      const endsAt = this.#ends.get(execution_id)
      if (endsAt === undefined) return { _tag: "Unknown" }
      if (endsAt > Date.now()) return { _tag: "Live", call_sid: null, phase: "answered" }
      const { end, facts } = this.#end
      return { _tag: "Ended", call_sid: null, end, facts }
    },
  })

  close(): void {
    this.#isOver = true
  }

  get #end() {
    return {
      end: {
        status: "completed" as const,
        duration_seconds: 1,
        answered_by_voicemail: false,
        hangup_by: "customer" as const,
        hangup_reason: null,
        error: null,
      },
      facts: { recording_url: null, cost, media: null },
    }
  }

  async #tell(execution_id: string): Promise<void> {
    await pause(this.#callMs)
    while (!this.#isOver) {
      try {
        await this.report({ execution_id, at: Date.now(), call_sid: null, type: "final", ...this.#end })
        return
      } catch {
        // It was not stored, so it comes again, as every vendor's does.
        await pause(reportAgainMs)
      }
    }
  }
}

/** Metrics that show why something does not come about. */
const isTelling = (line: string): boolean => /^carillon_(dependency|lines|backlog|claims|commits)/.test(line)

/** What a customer was answered who placed a call. */
interface Answer {
  readonly at: number
  readonly status: number
  readonly error: unknown
  readonly execution_id: unknown
}

export interface StageOptions {
  readonly url: string
  readonly contacts: number
  /** Lines of the campaign; the customer has others. */
  readonly lines: number
  readonly callMs: number
}

/** Everything that lies in a database. */
export const rowsOf = (url: string) =>
  Effect.runPromise(Effect.provide(readContents, Postgres.layerClient({ url: Redacted.make(url), maxConnections: 1 })))

const jsonOf = async (response: Response) => {
  const answer: unknown = await response.json()
  return (field: string): unknown => Reflect.get(Object(answer), field)
}

/**
 * A process with a campaign under way and a customer who places calls beside it, for a drill to break what it stands on. Everybody has a number of
 * their own, so who is rung twice shows.
 */
export const openStage = async ({ callMs, contacts, lines, url }: StageOptions) => {
  const carrier = new DrillCarrier(callMs)
  const log: Array<{ readonly at: number; readonly text: string }> = []
  const logger = Logger.make(({ message }) => {
    log.push({ at: Date.now(), text: (Array.isArray(message) ? message : [message]).map(String).join(" ") })
  })
  const rows = Postgres.layer({ url: Redacted.make(url) })
  const ports = Layer.mergeAll(rows, MemorySlots.layer(), MemoryRates.layer(), carrier.layer, nodeWebhookTransport())
  const carillon = await Carillon.make({ ports, telemetry: Logger.layer([logger]) })
  carrier.report = carillon.report
  const { key, organization } = await carillon.organizations.open({
    name: "Acme",
    wallet: { balance, currency: "USD" },
    concurrency: { organization: lines + 20 },
  })
  const mount = webHandler(carillon.handle)
  const ask = (method: string, path: string, body?: object) =>
    mount(
      new Request(`http://engine/v2${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
  const post = async (path: string, body: object) => jsonOf(await ask("POST", path, body))
  const agent_id = (await post("/agents", { display_name: "Reminder", status: "ACTIVE" }))("agent_id")
  const entries = Array.from({ length: contacts }, (_, nth) => ({ to_number: `+1212${5_550_000 + nth}` }))
  const campaign = { name: "Reminders", agent_id, contacts: entries, max_concurrent_calls: lines }
  const campaign_id = (await post("/campaigns", campaign))("campaign_id")
  const answers: Array<Answer> = []
  let isOver = false
  const calling = (async () => {
    for (let nth = 0; !isOver; nth++) {
      const response = await ask("POST", "/calls", { agent_id, to_number: `+1310${5_550_000 + nth}` })
      const read = await jsonOf(response)
      const answer = { at: Date.now(), status: response.status, error: read("error") }
      answers.push({ ...answer, execution_id: read("execution_id") })
      await pause(customerMs)
    }
  })()
  const until = (what: string, isThere: () => boolean | Promise<boolean>) =>
    Effect.runPromise(
      comesAbout(what, {
        look: Effect.map(
          Effect.promise(async () => isThere()),
          (found) => ({
            isThere: found,
            progress: `${carrier.rings.length} rings`,
          }),
        ),
        rows: Effect.promise(async () => {
          const asked = ["", "/explain"].map((of) => ask("GET", `/campaigns/${String(campaign_id)}${of}`))
          const told = await Promise.all(asked.map(async (response) => (await response).text()))
          return [...log.map(({ text }) => text), ...told, ...(await carillon.metrics()).split("\n").filter(isTelling)]
        }),
        stillMs,
      }),
    )
  return {
    carillon,
    carrier,
    log,
    answers,
    ask,
    until,
    campaign_id,
    said: (words: string) => log.filter(({ text }) => text.includes(words)),
    /** Whether the gauge of PostgreSQL says that it is there. */
    isUp: async () => {
      const found = /^carillon_dependency_up\{.*dependency="postgresql".*\} (\d)$/m.exec(await carillon.metrics())
      return found === null ? null : found[1] === "1"
    },
    /** The customer places no more calls. */
    rest: async () => {
      isOver = true
      await calling
    },
    /** Waits for the end of the campaign and of every call, ends the process, and judges what lies in the database then. */
    judged: async (rowsAt: string) => {
      await until("the end of the campaign", async () => {
        const response = await ask("GET", `/campaigns/${String(campaign_id)}`)
        return response.ok && (await jsonOf(response))("status") === "completed"
      })
      let found: Awaited<ReturnType<typeof rowsOf>> | undefined
      let violations: ReadonlyArray<Interleavings.Violation> = []
      await until("what holds of rows where nothing is to come", async () => {
        found = await rowsOf(rowsAt)
        const members = await carillon.run(Effect.flatMap(SlotStore, (slots) => slots.members(null, 1_000)))
        violations = Interleavings.lawsAtRest(found, { now: Date.now(), lines: () => members })
        return violations.length === 0
      })
      carrier.close()
      await carillon.close()
      return summary(found?.changes ?? [], found?.audit ?? [], organization.organization_id)
    },
  }
}

type Changes = Awaited<ReturnType<typeof rowsOf>>["changes"]

const summary = (changes: Changes, audit: ReadonlyArray<AuditRecord>, organizationId: string) => {
  const calls: Array<Call> = []
  const contacts: Array<Contact> = []
  let paid = 0
  for (const change of changes) {
    if (change.put === "call") calls.push(change.row)
    if (change.put === "contact") contacts.push(change.row)
    if (change.put === "organization" && change.row.organization_id === organizationId) {
      paid = balance - change.row.wallet.balance
    }
  }
  return {
    calls,
    contacts,
    /** Whoever has a row of a call, or more than one. */
    called: calls.map(({ to_number }) => to_number),
    /** Calls that the wallet has paid for. */
    paidCalls: paid / price,
    isChainWhole: AuditChain.verifyChain(audit.filter((each) => each.organization_id === organizationId)).valid,
  }
}
