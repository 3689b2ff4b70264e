import type { Schema } from "effect"
import * as Answers from "./Answers.ts"
import {
  Advance,
  Inbound,
  MakeOrganization,
  PatchOrganization,
  PatchPlatform,
  Reset,
  Restore,
  RuleSet,
  SetClock,
  SetFaults,
  SetInbox,
  SetNames,
} from "./Bodies.ts"

/** What the document says of one route of the control surface. */
export interface ControlOperation {
  readonly method: "GET" | "PUT" | "POST" | "PATCH" | "DELETE"
  readonly path: string
  readonly id: string
  /** The field of `GET /_sim/capabilities` that promises the route; null for those that look at a world. */
  readonly capability: string | null
  readonly summary: string
  readonly description?: string
  readonly query?: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly body?: { readonly schema: Schema.Top; readonly examples: Readonly<Record<string, unknown>> }
  readonly answer: {
    readonly status: number
    readonly description: string
    readonly json?: { readonly schema: Schema.Top; readonly example: unknown }
    /** The media type of a text. */
    readonly text?: string
  }
  /** Statuses of refusals beside those of every route. */
  readonly refusals?: Readonly<Record<number, string>>
}

/** The ids of the examples. */
export const exampleIds = {
  organization: "org_example",
  agent: "agt_example",
  execution: "exec_example",
  snapshot: "snap_example",
} as const

const now = "2026-01-05T09:00:00.000Z"

const clockNow = { now, mode: "manual", speed: 0 }

const empty = { status: 204, description: "Done." } as const

const waitingDial = {
  request_id: "req_example",
  method: "POST",
  path: "/v2/calls",
  since: now,
}

const world: ReadonlyArray<ControlOperation> = [
  {
    method: "GET",
    path: "/_sim",
    id: "world.about",
    capability: null,
    summary: "What serves, and the key of its demo organization",
    answer: {
      status: 200,
      description: "The world.",
      json: {
        schema: Answers.About,
        example: {
          name: "@carillon/simulator",
          version: "1.0.0",
          contract: 1,
          seed: "1",
          clock: clockNow,
          storage: "memory:",
          counters: "memory:",
          limits: "spec",
          demo: { organization_id: exampleIds.organization, agent_id: exampleIds.agent, key: "gat_example" },
        },
      },
    },
  },
  {
    method: "GET",
    path: "/_sim/capabilities",
    id: "world.capabilities",
    capability: null,
    summary: "What a conformance run may rely on",
    description:
      "The one route that every control surface has. A capability that is false, or left out, is not asked for; one that is true is held to this document.",
    answer: {
      status: 200,
      description: "The capabilities, and for each dependency the ways in which it can fail.",
      json: {
        schema: Answers.Capabilities,
        example: { contract: 1, organizations: true, clock: true, inbox: true, telephony: true, faults: {} },
      },
    },
  },
  {
    method: "GET",
    path: "/_sim/openapi.json",
    id: "world.document",
    capability: null,
    summary: "This document",
    answer: { status: 200, description: "OpenAPI 3.1.", text: "application/json" },
  },
  {
    method: "POST",
    path: "/_sim/reset",
    id: "world.reset",
    capability: null,
    summary: "Forget everything and start again",
    description:
      "Open requests to `/v2` are answered 1501. Seed and epoch are those of the start where they are left out.",
    body: { schema: Reset, examples: { same: {}, other: { seed: 7, epoch: "2026-03-28T08:00:00Z" } } },
    answer: empty,
  },
  {
    method: "POST",
    path: "/_sim/snapshot",
    id: "world.snapshot",
    capability: "snapshot",
    summary: "Keep the whole world as it is",
    answer: {
      status: 201,
      description: "Kept.",
      json: { schema: Answers.KeptWorld, example: { snapshot_id: exampleIds.snapshot } },
    },
    refusals: { 409: "Requests wait, or the clock is not `manual`." },
  },
  {
    method: "POST",
    path: "/_sim/restore",
    id: "world.restore",
    capability: "snapshot",
    summary: "Come back to a world that was kept",
    body: { schema: Restore, examples: { kept: { snapshot_id: exampleIds.snapshot } } },
    answer: empty,
    refusals: { 404: "No such snapshot." },
  },
]

const organizations: ReadonlyArray<ControlOperation> = [
  {
    method: "POST",
    path: "/_sim/organizations",
    id: "organizations.make",
    capability: "organizations",
    summary: "Make an organization with its keys and phone numbers",
    description:
      "Without `keys` it gets one grandfathered key, without `phone_numbers` two of its own. `scopes: null` makes a grandfathered key (one with no scopes field), to which `keys_write: true` adds `keys:write`; `bound: false` makes a key that belongs to no organization. The answer has a key for each that was asked for, in order. Without `plan` it is on the plan whose ceilings the specification names, and its wallet pays for everything.",
    body: {
      schema: MakeOrganization,
      examples: {
        plain: {},
        full: {
          name: "Acme",
          wallet: { balance: 25, currency: "USD" },
          concurrency: { organization: 4, per_agent: 2, enforced: true },
          phone_numbers: ["+15552000001"],
          webhook_secret: "whsec_example",
          webhook_default: { callback_url: "https://acme.inbox.test/hook" },
          keys: [
            { name: "all" },
            { name: "reader", scopes: ["calls:read"] },
            { name: "old", status: "inactive" },
            { name: "stray", bound: false },
          ],
        },
      },
    },
    answer: {
      status: 201,
      description: "Made; the only place where the keys are told.",
      json: {
        schema: Answers.MadeOrganization,
        example: {
          organization_id: exampleIds.organization,
          phone_numbers: ["+15552000001"],
          keys: [{ key: "gat_example", key_id: "key_0123456789abcdef", scopes: null }],
        },
      },
    },
  },
  {
    method: "PATCH",
    path: "/_sim/organizations/{id}",
    id: "organizations.change",
    capability: "organizations",
    summary: "Change an organization while it lives",
    description:
      "Limits are seen within the 60 seconds for which the product keeps them. `retention_days` says for how many days calls and contacts are kept after their end, null for ever; nothing of the conformance suite asks for it.",
    body: {
      schema: PatchOrganization,
      examples: {
        poor: { wallet: { balance: 0 } },
        narrow: { concurrency: { organization: 2 }, webhook_secret: null },
        forgetful: { retention_days: 7 },
      },
    },
    answer: {
      status: 200,
      description: "The organization as it is now.",
      json: {
        schema: Answers.PatchedOrganization,
        example: {
          organization_id: exampleIds.organization,
          name: "Acme",
          plan: "standard",
          wallet: { balance: 0, currency: "USD" },
          concurrency: { organization: null, per_agent: null, enforced: true },
          webhook_secret: null,
          phone_numbers: ["+15552000001"],
        },
      },
    },
    refusals: { 404: "No such organization." },
  },
  {
    method: "PATCH",
    path: "/_sim/platform",
    id: "platform.change",
    capability: "platform",
    summary: "Set the ceiling of live calls over all organizations",
    description: "Seen within 60 seconds, as every limit.",
    body: { schema: PatchPlatform, examples: { narrow: { concurrency: 5 } } },
    answer: {
      status: 200,
      description: "The ceiling.",
      json: { schema: PatchPlatform, example: { concurrency: 5 } },
    },
  },
]

const clock: ReadonlyArray<ControlOperation> = [
  {
    method: "GET",
    path: "/_sim/clock",
    id: "clock.read",
    capability: "clock",
    summary: "What time it is, what is due next, who waits",
    description:
      "`next_due` is the next moment at which something is due that a client could see; housekeeping (caches that expire, leases, reconcilers that find nothing) is left out. A client that posts a dial looks here before it advances: `waiting` has the open requests that only time can answer.",
    answer: {
      status: 200,
      description: "The clock.",
      json: {
        schema: Answers.ClockState,
        example: { ...clockNow, next_due: "2026-01-05T09:00:05.000Z", waiting: [waitingDial] },
      },
    },
  },
  {
    method: "PUT",
    path: "/_sim/clock",
    id: "clock.mode",
    capability: "clock",
    summary: "Say how time passes",
    description:
      "`speed` (virtual seconds a second) is for `scaled`. Time goes on from the present virtual time. A conformance run asks for `manual`, and gives back what it found.",
    body: {
      schema: SetClock,
      examples: { manual: { mode: "manual" }, scaled: { mode: "scaled", speed: 60 }, still: { mode: "manual" } },
    },
    answer: {
      status: 200,
      description: "The clock.",
      json: { schema: Answers.ClockState, example: { ...clockNow, next_due: null, waiting: [] } },
    },
  },
  {
    method: "POST",
    path: "/_sim/clock/advance",
    id: "clock.advance",
    capability: "clock",
    summary: "Let virtual time pass",
    description:
      "Exactly one of `by_ms`, `by`, `to`, `until_idle` and `until`. Everything that is due on the way runs, in order of time; the answer comes only when nothing is left to do at the new time, so that a read after it sees all effects, webhooks in inboxes included. `max_ms` bounds `until_idle` and `until`; it is seven days where it is left out. Only `by_ms` is asked for by the conformance suite.",
    body: {
      schema: Advance,
      examples: {
        by: { by_ms: 2000 },
        duration: { by: "PT2M" },
        moment: { to: "2026-01-05T10:00:00Z" },
        status: { until: { execution_id: exampleIds.execution, status: "completed" }, max_ms: 600_000 },
        idle: { until_idle: true },
      },
    },
    answer: {
      status: 200,
      description: "`events` counts what ran; `reached`: whether `until`, or idleness, came about.",
      json: {
        schema: Answers.Advanced,
        example: { now: "2026-01-05T09:00:02.000Z", events: 3, waiting: [], reached: true },
      },
    },
    refusals: { 404: "No such call.", 409: "The clock is not `manual`." },
  },
]

const outcome = {
  result: "completed",
  ring_ms: 3000,
  talk_ms: 20_000,
  hangup_by: "customer",
  recording: true,
  transcript: [
    { role: "agent", content: "Hello." },
    { role: "user", content: "Goodbye." },
  ],
  cost: { total: 0.25 },
  turns: [{ heard_ms: 200, first_token_ms: 300, last_token_ms: 600, first_audio_ms: 150, audio_end_ms: 900 }],
}

const ruleSet = {
  rules: [
    { match: { to_number: "+15552000099", attempt: 0 }, outcome: { result: "busy" }, times: 1 },
    { match: { to_prefix: "+1555" }, outcome },
  ],
  default: { mix: { completed: 3, busy: 1 } },
}

const telephony: ReadonlyArray<ControlOperation> = [
  {
    method: "PUT",
    path: "/_sim/telephony/rules",
    id: "telephony.rules",
    capability: "telephony",
    summary: "Say how legs go",
    description:
      "Replaces all rules. The first rule whose `match` holds decides; `times` bounds how many legs it serves. `attempt` is the call's `retry_count`, `contact_index` counts from 0 in list order. A rule beats a magic number (`magic`), a magic number beats the default.",
    body: { schema: RuleSet, examples: { script: ruleSet, none: { rules: [] } } },
    answer: { status: 200, description: "The rules in force.", json: { schema: RuleSet, example: ruleSet } },
  },
  {
    method: "GET",
    path: "/_sim/telephony/legs",
    id: "telephony.legs",
    capability: "telephony",
    summary: "What the carrier really saw",
    description: "Oldest first: the truth against which double dials and ceilings are judged.",
    query: [
      { name: "to_number", description: "Legs to this number." },
      { name: "execution_id", description: "Legs of this call." },
      { name: "agent_id", description: "Legs of this agent's calls." },
      { name: "campaign_id", description: "Legs of this campaign's calls." },
      { name: "live", description: "`true` or `false`: legs that have not ended, or have." },
    ],
    answer: {
      status: 200,
      description: "The legs; `peak_live` is the most of them that were live at once.",
      json: {
        schema: Answers.Legs,
        example: {
          data: [
            {
              leg_id: "leg_example",
              execution_id: exampleIds.execution,
              to_number: "+15552000099",
              from_number: null,
              agent_id: exampleIds.agent,
              campaign_id: null,
              placed_at: now,
              answered_at: null,
              ended_at: null,
              result: null,
              live: true,
            },
          ],
          peak_live: 1,
        },
      },
    },
  },
  {
    method: "POST",
    path: "/_sim/inbound",
    id: "telephony.inbound",
    capability: "inbound",
    summary: "A call arrives",
    description: "Without `agent_id` the binding of `to_number` decides. Inbound calls take no line.",
    body: {
      schema: Inbound,
      examples: {
        arrives: {
          organization_id: exampleIds.organization,
          from_number: "+15552000098",
          to_number: "+15552000001",
          agent_id: exampleIds.agent,
          outcome: { result: "completed", talk_ms: 5000 },
        },
      },
    },
    answer: {
      status: 201,
      description: "The call.",
      json: { schema: Answers.ArrivedCall, example: { execution_id: exampleIds.execution } },
    },
    refusals: {
      404: "No such organization or agent, or no binding.",
      409: "The state of the agent does not allow it.",
    },
  },
]

const inboxName = "https://<name>.inbox.test/<anything>"

const network: ReadonlyArray<ControlOperation> = [
  {
    method: "PUT",
    path: "/_sim/inbox/{name}",
    id: "inbox.behave",
    capability: "inbox",
    summary: "Say how an inbox answers",
    description: `Webhooks to \`${inboxName}\` (or http) end here instead of in the network. Statuses of a list are used in order, the last one from then on.`,
    body: {
      schema: SetInbox,
      examples: { flaky: { statuses: [500, 500, 200] }, slow: { delay_ms: 31_000 }, away: { error: "connect_error" } },
    },
    answer: {
      status: 200,
      description: "How it answers.",
      json: { schema: SetInbox, example: { statuses: [500, 500, 200] } },
    },
  },
  {
    method: "GET",
    path: "/_sim/inbox/{name}",
    id: "inbox.read",
    capability: "inbox",
    summary: "What an inbox got, oldest first",
    answer: {
      status: 200,
      description: "The requests; none for a name that got nothing.",
      json: {
        schema: Answers.Inbox,
        example: {
          data: [
            {
              received_at: now,
              method: "POST",
              path: "/hook",
              headers: { "content-type": "application/json" },
              body: '{"event_type":"call_completed"}',
              answered: 200,
            },
          ],
        },
      },
    },
  },
  {
    method: "DELETE",
    path: "/_sim/inbox/{name}",
    id: "inbox.empty",
    capability: "inbox",
    summary: "Empty an inbox",
    answer: empty,
  },
  {
    method: "PUT",
    path: "/_sim/dns",
    id: "dns.records",
    capability: "dns",
    summary: "Say what names resolve to",
    description:
      "Replaces all records. `flip` answers differently on each look-up. A name without a record does not resolve.",
    body: {
      schema: SetNames,
      examples: {
        names: {
          records: { "hooks.example.com": ["93.184.216.34"] },
          flip: { "turn.example.com": [["93.184.216.34"], ["127.0.0.1"]] },
        },
      },
    },
    answer: {
      status: 200,
      description: "The records.",
      json: { schema: SetNames, example: { records: { "hooks.example.com": ["93.184.216.34"] } } },
    },
  },
  {
    method: "PUT",
    path: "/_sim/faults",
    id: "faults.set",
    capability: "faults",
    summary: "Break dependencies, or mend them",
    description:
      "Null mends one; an empty body mends all. A fault lets the first `skip` uses through, then fails `times` of them, each with chance `rate`, for `for_ms` of virtual time.",
    body: {
      schema: SetFaults,
      examples: { twice: { webhook_network: { mode: "timeout", skip: 1, times: 2 }, key_store: null }, none: {} },
    },
    answer: {
      status: 200,
      description: "The faults in force.",
      json: { schema: Answers.FaultsInForce, example: { webhook_network: { mode: "timeout", skip: 1, times: 2 } } },
    },
  },
]

const looking: ReadonlyArray<ControlOperation> = [
  {
    method: "GET",
    path: "/_sim/invariants",
    id: "world.invariants",
    capability: null,
    summary: "The laws that are checked after every event, and what broke them",
    answer: {
      status: 200,
      description: "The laws.",
      json: {
        schema: Answers.Invariants,
        example: {
          checked: [{ name: "S9", description: "A contact never has two live legs.", checks: 12 }],
          violations: [],
        },
      },
    },
  },
  {
    method: "GET",
    path: "/_sim/stats",
    id: "world.stats",
    capability: null,
    summary: "Figures of the moment",
    answer: {
      status: 200,
      description: "The figures.",
      json: {
        schema: Answers.Stats,
        example: {
          calls_by_status: { completed: 3 },
          live: 0,
          live_peak: 2,
          slots: { platform: 0, organizations: {} },
          webhooks: { pending: 0, retrying: 0, delivered: 3, failed: 0 },
          campaigns: [],
          events_per_second: 0,
        },
      },
    },
  },
  {
    method: "GET",
    path: "/_sim/journal",
    id: "world.journal",
    capability: null,
    summary: "The inputs since the last reset, as JSON lines",
    answer: {
      status: 200,
      description:
        "One input a line; replayed with the same seed they give the same world. Keys, webhook secrets and provider values stand there as they came: it is for made-up secrets alone.",
      text: "application/x-ndjson",
    },
  },
  {
    method: "GET",
    path: "/_sim/metrics",
    id: "world.metrics",
    capability: null,
    summary: "Figures for Prometheus",
    answer: { status: 200, description: "Prometheus text.", text: "text/plain" },
  },
  {
    method: "GET",
    path: "/_sim/events",
    id: "world.events",
    capability: null,
    summary: "Every domain event with its virtual time, as it happens",
    query: [{ name: "after", description: "The number of the event to begin after, or `latest`." }],
    answer: { status: 200, description: "Server-sent events, without an end.", text: "text/event-stream" },
  },
  {
    method: "GET",
    path: "/_sim/ui",
    id: "world.dashboard",
    capability: null,
    summary: "The dashboard, for a browser",
    description: "What the page itself reads lies below it and is no part of the contract.",
    answer: { status: 200, description: "A page.", text: "text/html" },
  },
]

/** Every route of the control surface, as its document shows it. */
export const controlOperations: ReadonlyArray<ControlOperation> = [
  ...world,
  ...organizations,
  ...clock,
  ...telephony,
  ...network,
  ...looking,
]
