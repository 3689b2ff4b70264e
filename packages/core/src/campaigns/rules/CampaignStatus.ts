/** The status of a campaign: what its owner may ask of it, and what happens to it by itself (specification, "Campaign status"). */

export const campaignStatuses = [
  "created",
  "active",
  "paused",
  "completed",
  "cancelled",
  "expired",
  "archived",
] as const

export type CampaignStatus = (typeof campaignStatuses)[number]

/** A campaign that takes no further contacts: it must be revived first, and one that is archived cannot be. */
export const hasEnded = ({ status }: { readonly status: CampaignStatus }): boolean =>
  status !== "created" && status !== "active" && status !== "paused"

/**
 * What is asked of a campaign. `unfinishedBatches` counts batches in any unfinished status, paused ones included;
 * `changesAgent` is true when the body names another agent; `endTimeMs` is the end as it will be after the edit, null for none.
 */
export type CampaignCommand =
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "cancel" }
  | { readonly kind: "revive" }
  | { readonly kind: "delete"; readonly unfinishedBatches: number }
  | {
      readonly kind: "edit"
      readonly changesAgent: boolean
      readonly endTimeMs: number | null
      readonly nowMs: number
    }

/**
 * Why a campaign refuses (1201). `ended`: completed, expired, cancelled or archived; `still_running`: a revive of one that
 * has not ended; `archived`: a revive of one that is deleted; `batches_unfinished`: cancel first; `not_editable`: cancelled
 * or archived; `agent_in_use`: the agent can change only while created or paused.
 */
export type CampaignRefusal =
  | "ended"
  | "still_running"
  | "archived"
  | "batches_unfinished"
  | "not_editable"
  | "agent_in_use"

export type CampaignDecision =
  | { readonly ok: true; readonly to: CampaignStatus }
  | { readonly ok: false; readonly reason: CampaignRefusal; readonly status: CampaignStatus }

type Moves = Readonly<Partial<Record<CampaignStatus, CampaignStatus>>>

const pause: Moves = { created: "paused", active: "paused", paused: "paused" }

const resume: Moves = { created: "created", active: "active", paused: "active" }

const cancel: Moves = { created: "cancelled", active: "cancelled", paused: "cancelled" }

const revive: Moves = { completed: "active", cancelled: "active", expired: "active" }

/** Decides a command; `to` equals `status` where nothing moves. */
export const decideCampaign = (status: CampaignStatus, command: CampaignCommand): CampaignDecision => {
  switch (command.kind) {
    case "pause":
      return along(pause, status, "ended")
    case "resume":
      return along(resume, status, "ended")
    case "cancel":
      return along(cancel, status, "ended")
    case "revive":
      return along(revive, status, status === "archived" ? "archived" : "still_running")
    case "delete":
      if (status === "archived") return accept(status)
      return command.unfinishedBatches > 0 ? refuse("batches_unfinished", status) : accept("archived")
    case "edit": {
      if (status === "cancelled" || status === "archived") return refuse("not_editable", status)
      if (command.changesAgent && status !== "created" && status !== "paused") return refuse("agent_in_use", status)
      const hasTimeLeft = command.endTimeMs === null || command.endTimeMs > command.nowMs
      return accept(status === "expired" && hasTimeLeft ? "active" : status)
    }
  }
}

const along = (moves: Moves, status: CampaignStatus, reason: CampaignRefusal): CampaignDecision => {
  const to = moves[status]
  return to === undefined ? refuse(reason, status) : accept(to)
}

const accept = (to: CampaignStatus): CampaignDecision => ({ ok: true, to })

const refuse = (reason: CampaignRefusal, status: CampaignStatus): CampaignDecision => ({ ok: false, reason, status })

/** What befalls a campaign; `pendingAttempts` counts planned retries and follow-ups. */
export type CampaignOccurrence =
  | { readonly kind: "batch_dials" }
  | { readonly kind: "end_time_passes"; readonly contacts: number }
  | {
      readonly kind: "work_changes"
      readonly contacts: number
      readonly unfinishedBatches: number
      readonly pendingAttempts: number
    }

/**
 * The status after an occurrence, unchanged where it does not apply. A pause is only ever left by a command: a campaign that
 * is paused when its end passes expires once it is resumed, so that a later end never starts what its owner had stopped.
 * A campaign without contacts has nothing to dial: it neither completes nor, while still `created`, expires.
 */
export const campaignAfter = (status: CampaignStatus, occurrence: CampaignOccurrence): CampaignStatus => {
  switch (occurrence.kind) {
    case "batch_dials":
      return status === "created" ? "active" : status
    case "end_time_passes":
      if (status === "active") return "expired"
      return status === "created" && occurrence.contacts > 0 ? "expired" : status
    case "work_changes": {
      const isDone = occurrence.contacts > 0 && occurrence.unfinishedBatches === 0 && occurrence.pendingAttempts === 0
      return isDone && (status === "created" || status === "active") ? "completed" : status
    }
  }
}
