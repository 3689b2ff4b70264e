import { Effect } from "effect"
import type { Agent } from "../agents/rules/Agent.ts"
import type { AgentStore } from "../agents/ports/AgentStore.ts"
import { told } from "../engine/rules/Told.ts"
import type { DialCommand, DialOutcome } from "../telephony/rules/Dial.ts"

/** A dial that is not sent because of a mistake of its host, which is told as an error: there is no leg. */
export const notSent = (executionId: string, mistake: string): Effect.Effect<DialOutcome> =>
  Effect.logError(`A call is not dialled: ${mistake}`).pipe(
    Effect.annotateLogs({ execution_id: executionId }),
    Effect.as({ _tag: "Refused", kind: "rejected" }),
  )

/** A dial that can be sent, with what the callee will hear; or what became of it without being sent. */
export type Prepared<V> =
  | { readonly _tag: "Ready"; readonly voice: V }
  | { readonly _tag: "NotSent"; readonly outcome: DialOutcome }

/**
 * Asks the host who speaks, for a call and its agent as it is now (null where that was deleted meanwhile). Where the agents cannot be asked
 * the dial is refused as `unreachable`; where `voice` throws or rejects, `mistake` is told as an error and nothing is dialled.
 */
export const prepared = Effect.fnUntraced(function* <V>(
  agents: AgentStore["Service"],
  call: DialCommand,
  voice: (call: DialCommand, agent: Agent | null) => V | Promise<V>,
  mistake = "The host's voice has a mistake.",
): Effect.fn.Return<Prepared<V>> {
  const agent = yield* Effect.option(agents.find(call.organization_id, call.agent_id))
  if (agent._tag === "None") return { _tag: "NotSent", outcome: { _tag: "Refused", kind: "unreachable" } }
  const spoken = yield* Effect.promise(async () => voice(call, agent.value)).pipe(
    Effect.tapCause((cause) =>
      Effect.annotateLogs(Effect.logError(mistake, told(cause)), { execution_id: call.execution_id }),
    ),
    Effect.catchCause(() => Effect.fail("mistake" as const)),
    Effect.option,
  )
  if (spoken._tag === "Some") return { _tag: "Ready", voice: spoken.value }
  return { _tag: "NotSent", outcome: yield* notSent(call.execution_id, "nobody would speak with who answers.") }
})
