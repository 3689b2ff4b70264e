/** The status of an agent and what may be done to it in each (specification, "Agent status"). */

export const agentStatuses = ["DRAFT", "ACTIVE", "INACTIVE", "ARCHIVED"] as const

export type AgentStatus = (typeof agentStatuses)[number]

/** From each status, every other status it may move to. */
export const agentTransitions: Readonly<Record<AgentStatus, ReadonlyArray<AgentStatus>>> = {
  DRAFT: ["ACTIVE", "INACTIVE", "ARCHIVED"],
  ACTIVE: ["INACTIVE"],
  INACTIVE: ["ACTIVE", "ARCHIVED"],
  ARCHIVED: [],
}

/** An agent must be ACTIVE to place calls. */
export const canPlaceCalls = (status: AgentStatus): boolean => status === "ACTIVE"

/**
 * What is asked of an agent. An `edit` is a PATCH or PUT, and also the configuring write of a create, which edits a new
 * DRAFT: `fields` are the names in its body as received, `status` the one it asks for, null where it asks for none.
 */
export type AgentCommand =
  | { readonly kind: "edit"; readonly fields: ReadonlyArray<string>; readonly status: AgentStatus | null }
  | { readonly kind: "deploy" }
  | { readonly kind: "undeploy" }
  | { readonly kind: "archive" }

/**
 * Why an agent refuses (1201): `active` must be set INACTIVE first, `archived` is final, `not_a_move` is a status that this
 * one does not lead to.
 */
export type AgentRefusal = "active" | "archived" | "not_a_move"

export type AgentDecision =
  | { readonly ok: true; readonly to: AgentStatus }
  | { readonly ok: false; readonly reason: AgentRefusal; readonly status: AgentStatus }

/** Decides a command; `to` equals `status` where nothing moves. */
export const decideAgent = (status: AgentStatus, command: AgentCommand): AgentDecision => {
  switch (command.kind) {
    case "edit":
      return edit(status, command.fields, command.status)
    case "deploy":
      return edit(status, ["status"], "ACTIVE")
    case "undeploy":
      return edit(status, ["status"], "INACTIVE")
    case "archive":
      return status === "ARCHIVED" ? { ok: true, to: status } : moveTo(status, "ARCHIVED")
  }
}

const edit = (status: AgentStatus, fields: ReadonlyArray<string>, to: AgentStatus | null): AgentDecision => {
  if (status === "ARCHIVED") return refuse("archived", status)
  const isExactlyUndeploy = to === "INACTIVE" && fields.length === 1
  if (status === "ACTIVE" && !isExactlyUndeploy) return refuse("active", status)
  return to === null || to === status ? { ok: true, to: status } : moveTo(status, to)
}

const moveTo = (from: AgentStatus, to: AgentStatus): AgentDecision => {
  if (agentTransitions[from].includes(to)) return { ok: true, to }
  return refuse(from === "ACTIVE" ? "active" : "not_a_move", from)
}

const refuse = (reason: AgentRefusal, status: AgentStatus): AgentDecision => ({ ok: false, reason, status })
