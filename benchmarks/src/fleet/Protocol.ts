import type { CarrierReport, DialCommand, DialOutcome, LegState } from "@carillon/core"

/** What an engine asks the carrier to do, and which engine it is. */
export interface Dial {
  readonly by: string
  readonly command: DialCommand
}

/** The carrier's word on a dial; none at all is what is left out here. */
export type DialAnswer = Extract<DialOutcome, { readonly _tag: "Accepted" | "Refused" }>

export type FindAnswer = LegState

export type Report = Exclude<CarrierReport, { readonly type: "recovered" }>

/** What the carrier must know to judge, and which it learns from nobody but the one who runs the fleet. */
export interface Expectations {
  /** Ceilings of live legs by `platform`, `organization <id>`, `agent <id>` and `campaign <id>`. */
  readonly ceilings: Readonly<Record<string, number>>
  readonly campaigns: Readonly<Record<string, CampaignExpectation>>
  /** Legs that are live at once while all lines are used. */
  readonly lines: number
}

export interface CampaignExpectation {
  /** Dials that one contact may have at most, retries and follow-ups included. */
  readonly attempts: number
  /** Whether it is outside its hours, or before its start, during the whole run. */
  readonly closed: boolean
}

/** A stretch of time in which not all lines were used (epoch milliseconds); the last one may still go on. */
export interface Gap {
  readonly from: number
  readonly to: number | null
}

/** What the carrier shows of a leg. */
export interface LegRecord {
  readonly execution_id: string
  readonly organization_id: string
  readonly campaign_id: string | null
  readonly contact_id: string | null
  readonly to_number: string
  readonly is_follow_up: boolean
  readonly retry_count: number
  /** The engine that dialled. */
  readonly by: string
  readonly dialled_at: number
  readonly ended_at: number | null
  /** When an engine took the final report. */
  readonly final_at: number | null
  /** A dial that got no answer, and of which no leg came. */
  readonly swallowed: boolean
  readonly status: string | null
}

/** What the carrier has seen so far. */
export interface CarrierLook {
  readonly now: number
  readonly dials: number
  /** How often engines asked what became of a dial. */
  readonly questions: number
  readonly live: number
  readonly swallowed: number
  /** Milliseconds of live legs so far, of all lines together. */
  readonly liveMs: number
  /** The most legs that were live at once. */
  readonly peak: number
  /** Legs of which no engine has taken the final report. */
  readonly unreported: number
  readonly violations: ReadonlyArray<string>
  readonly doubleDials: number
  /** Executions of which a leg is live. */
  readonly liveIds: ReadonlyArray<string>
}

/** What an engine process is started with. */
export interface EngineSettings {
  readonly name: string
  readonly postgres: string
  readonly redis: string
  readonly carrier: string
}

/** What a worker of a queue is started with. */
export interface QueueSettings {
  readonly name: string
  readonly queue: string
  readonly redisPort: number
  readonly carrier: string
  readonly lines: number
}

/** What an engine process is told by its parent. */
export type ToEngine = { readonly type: "open"; readonly tenants: ReadonlyArray<Tenant>; readonly platform: number }

/** An organization that is to be opened. */
export interface Tenant {
  readonly name: string
  readonly lines: number
  readonly perAgent: number | null
  readonly agents: number
  readonly numbers: ReadonlyArray<string>
}

export interface OpenedTenant {
  readonly organization_id: string
  readonly key: string
  readonly agents: ReadonlyArray<string>
}

/** What a process of the fleet tells its parent. */
export type FromProcess =
  | { readonly type: "listening"; readonly port: number }
  | { readonly type: "opened"; readonly tenants: ReadonlyArray<OpenedTenant> }
  | { readonly type: "failed"; readonly message: string }
