import { Effect } from "effect"
import type { Contact } from "../contacts/rules/Contact.ts"
import { Steps } from "../engine/Steps.ts"
import type { Conflict } from "../engine/ports/Store.ts"
import type { PortError } from "../Errors.ts"
import { Experiments, type Routes } from "../experiments/Experiments.ts"
import { limits } from "../Limits.ts"
import type { ContactDial } from "./rules/ContactCall.ts"
import type { Desk } from "./Desk.ts"
import type { OpenLane } from "./rules/OpenLane.ts"
import type { PassedOver } from "./rules/FullAgents.ts"
import type { Reload } from "./DeskPicture.ts"
import { agentsAsked } from "./rules/OpenMarks.ts"
import { crowdOut, passOverContact } from "./steps/PassOverContact.ts"

/** The agents that contacts of the lane ask for: those that nobody has touched, or all. */
const controlsOf = ({ batches, campaign }: OpenLane, isFresh: boolean): ReadonlySet<string> =>
  agentsAsked(campaign, batches.values(), isFresh)

const versionOf = (routes: ReadonlyMap<string, Routes>): string =>
  [...routes.values()]
    .map(({ version }) => version)
    .sort()
    .join()

/** The contacts of lanes that wait for agents which have no line. */
export interface AgentTurns {
  /** The contacts of a lane that wait for their agent, but for those that may have another one by now. */
  readonly passedIn: (
    desk: Desk,
    organizationId: string,
    lane: OpenLane,
  ) => Effect.Effect<ReadonlyArray<PassedOver>, PortError>
  /** Sees whether lanes that wait for agents are routed to others by now: nobody else would say so. */
  readonly reroute: (desk: Desk, organizationId: string) => Effect.Effect<void, PortError>
  /** A contact whose agent has no line holds up only those behind it that need the same agent. */
  readonly passOver: (
    desk: Desk,
    lane: OpenLane,
    dial: ContactDial,
    stored: Contact | null,
    agentId: string,
  ) => Effect.Effect<"lane_blocked" | "contact_set_aside", Conflict | PortError>
}

export const makeAgentTurns = Effect.fnUntraced(function* (
  reload: Reload,
): Effect.fn.Return<AgentTurns, never, Experiments | Steps> {
  const experiments = yield* Experiments
  const steps = yield* Steps

  /** How the calls of each agent that the lane asks for are routed. */
  const routesOf = Effect.fnUntraced(function* (
    organizationId: string,
    lane: OpenLane,
    known: Map<string, Routes> = new Map(),
  ) {
    const routes = new Map<string, Routes>()
    for (const control of controlsOf(lane, false)) {
      const found = known.get(control) ?? (yield* experiments.routes(organizationId, control))
      known.set(control, found)
      routes.set(control, found)
    }
    return routes
  })

  const passedIn: AgentTurns["passedIn"] = Effect.fnUntraced(function* (desk, organizationId, lane) {
    if (desk.agents.passedOver(lane.lane_id).length === 0) return []
    desk.agents.routed(lane, versionOf(yield* routesOf(organizationId, lane)))
    return desk.agents.passedOver(lane.lane_id)
  })

  const reroute: AgentTurns["reroute"] = Effect.fnUntraced(function* (desk, organizationId) {
    const known = new Map<string, Routes>()
    for (const lane of desk.agents.waiting) {
      desk.agents.routed(lane, versionOf(yield* routesOf(organizationId, lane, known)))
    }
  })

  const passOver: AgentTurns["passOver"] = Effect.fnUntraced(function* (desk, lane, { contact }, stored, agentId) {
    const { organization_id } = contact
    const routes = yield* routesOf(organization_id, lane)
    desk.agents.routed(lane, versionOf(routes))
    const sides = [...controlsOf(lane, stored === null)].flatMap((control) => routes.get(control)?.agent_ids ?? [])
    if (sides.every((side) => desk.agents.isFull(side))) {
      desk.agents.waitFor(lane, [agentId, ...sides])
      return "lane_blocked" as const
    }
    // As many as are passed over keep the agent's lines in use for a while: one more need not be looked past each time.
    if (desk.agents.passedOver(lane.lane_id).length >= limits.passedOverContacts) {
      yield* steps.propose(crowdOut, { organization_id, stored, contact })
      yield* reload(desk, lane.lane_id)
      desk.setAside(lane.lane_id, 1)
      return "contact_set_aside" as const
    }
    // Contacts are touched in order, so one that is passed over has to be.
    if (stored === null) yield* steps.propose(passOverContact, { organization_id, stored, contact })
    desk.agents.passOver(lane, contact, agentId)
    return "contact_set_aside" as const
  })

  return { passedIn, reroute, passOver }
})
