/** The status of a batch: what is asked of it, what its campaign does to it, and how its dialling moves it on. */

export const batchStatuses = [
  "created",
  "scheduled",
  "in_progress",
  "dispatched",
  "completed",
  "paused",
  "cancelled",
  "expired",
  "failed",
] as const

export type BatchStatus = (typeof batchStatuses)[number]

/** The statuses of a batch that will dial nothing more by itself. */
export const finishedBatchStatuses = [
  "completed",
  "cancelled",
  "expired",
  "failed",
] as const satisfies ReadonlyArray<BatchStatus>

/** The statuses of a batch that its campaign moves no more, whatever becomes of it. */
export const immovableBatchStatuses = ["completed", "failed"] as const satisfies ReadonlyArray<BatchStatus>

const immovable: ReadonlySet<BatchStatus> = new Set(immovableBatchStatuses)

/** True for every status but completed and failed. */
export const isMovableBatch = (status: BatchStatus): boolean => !immovable.has(status)

const finished: ReadonlySet<BatchStatus> = new Set(finishedBatchStatuses)

/** True for completed, cancelled, expired and failed. */
export const isFinishedBatch = (status: BatchStatus): boolean => finished.has(status)

/** Who stopped a batch: a request that named the batch, or its campaign, which took all of its batches along. */
export type BatchStopper = "request" | "campaign"

/**
 * The status, and who put it there. `paused_by` outlives a cancel or an expiry by the campaign, so that a batch which was
 * paused for itself is paused again when the campaign comes back.
 */
export interface BatchState {
  readonly status: BatchStatus
  readonly paused_by: BatchStopper | null
  readonly cancelled_by: BatchStopper | null
  /** Since when its contacts are going, which were kept for their time. It stays finished from then on. */
  readonly purging_since?: number
}

/** A batch as it is made. */
export const newBatch: BatchState = { status: "created", paused_by: null, cancelled_by: null }

/**
 * How far a batch has come: `waits` is the status in which it waits for its first dial, null once that was made; `exhausted` when no contact waits
 * for its first dial, `settled` when besides no call, retry or follow-up is under way or pending.
 */
export interface BatchProgress {
  readonly waits: "created" | "scheduled" | null
  readonly exhausted: boolean
  readonly settled: boolean
}

/** The status of a batch that nothing holds back. */
const runningStatus = (progress: BatchProgress): BatchStatus => {
  if (progress.exhausted) return progress.settled ? "completed" : "dispatched"
  return progress.waits ?? "in_progress"
}

export type BatchCommand =
  | { readonly kind: "schedule" }
  | { readonly kind: "pause" }
  | { readonly kind: "resume"; readonly progress: BatchProgress }
  | { readonly kind: "stop" }

/** Why a batch refuses (1201): it has finished, has already begun to dial, or must be resumed before it can be scheduled. */
export type BatchRefusal = "finished" | "already_started" | "paused"

export type BatchDecision =
  | { readonly ok: true; readonly to: BatchState }
  | { readonly ok: false; readonly reason: BatchRefusal; readonly status: BatchStatus }

/** Decides a request that names the batch; `to` equals `state` where nothing moves. */
export const decideBatch = (state: BatchState, command: BatchCommand): BatchDecision => {
  if (isFinishedBatch(state.status)) return { ok: false, reason: "finished", status: state.status }
  switch (command.kind) {
    case "schedule":
      if (state.status === "paused") return { ok: false, reason: "paused", status: state.status }
      if (state.status !== "created" && state.status !== "scheduled") {
        return { ok: false, reason: "already_started", status: state.status }
      }
      return { ok: true, to: { ...state, status: "scheduled" } }
    case "pause":
      return { ok: true, to: { ...state, status: "paused", paused_by: "request" } }
    case "resume":
      return { ok: true, to: state.status === "paused" ? running(state, command.progress) : state }
    case "stop":
      return { ok: true, to: { ...state, status: "cancelled", cancelled_by: "request" } }
  }
}

const running = (state: BatchState, progress: BatchProgress): BatchState => ({
  ...state,
  status: runningStatus(progress),
  paused_by: null,
})

/**
 * What a campaign does to each of its batches: `reopen` when it comes back from expiry or is revived, the others as it is
 * paused, resumed, cancelled or expires itself.
 */
export type BatchCascade =
  | { readonly kind: "pause" }
  | { readonly kind: "resume"; readonly progress: BatchProgress }
  | { readonly kind: "cancel" }
  | { readonly kind: "expire" }
  | { readonly kind: "reopen"; readonly progress: BatchProgress }

/**
 * The batch after its campaign moved, unchanged where it does not concern it. A resume and a reopening undo only what the
 * campaign itself did: a batch that was paused or stopped by a request of its own stays so, and so does one whose contacts are going.
 */
export const cascadeToBatch = (state: BatchState, cascade: BatchCascade): BatchState => {
  switch (cascade.kind) {
    case "pause":
      return isFinishedBatch(state.status)
        ? state
        : { ...state, status: "paused", paused_by: state.paused_by ?? "campaign" }
    case "resume":
      return state.status === "paused" && state.paused_by === "campaign" ? running(state, cascade.progress) : state
    case "cancel":
      return isFinishedBatch(state.status) ? state : { ...state, status: "cancelled", cancelled_by: "campaign" }
    case "expire":
      return isFinishedBatch(state.status) ? state : { ...state, status: "expired" }
    case "reopen": {
      const isTheCampaigns = state.status === "expired" || state.cancelled_by === "campaign"
      if (!isTheCampaigns || state.purging_since !== undefined) return state
      const reopened: BatchState = { ...state, cancelled_by: null }
      return state.paused_by === "request" ? { ...reopened, status: "paused" } : running(reopened, cascade.progress)
    }
  }
}

/** What befalls a batch: its dialling comes further, or it cannot be carried out at all. */
export type BatchOccurrence =
  | { readonly kind: "progress"; readonly progress: BatchProgress }
  | { readonly kind: "failure" }

/** The batch after an occurrence, unchanged where it does not apply. A pause is only left by a command or its campaign. */
export const batchAfter = (state: BatchState, occurrence: BatchOccurrence): BatchState => {
  if (isFinishedBatch(state.status)) return state
  if (occurrence.kind === "failure") return { ...state, status: "failed" }
  return state.status === "paused" ? state : { ...state, status: runningStatus(occurrence.progress) }
}
