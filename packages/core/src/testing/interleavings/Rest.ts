import { Effect } from "effect"
import { Agents } from "../../agents/Agents.ts"
import { Batches } from "../../batches/Batches.ts"
import { CallCapsSettings } from "../../callees/CallCapsSettings.ts"
import { HoursSettings } from "../../callees/HoursSettings.ts"
import { Campaigns } from "../../campaigns/Campaigns.ts"
import { limits } from "../../Limits.ts"
import { Organizations } from "../../organizations/Organizations.ts"
import { isSpent } from "../../organizations/rules/Balance.ts"
import { Dialling } from "../../telephony/Dialling.ts"
import { caller, organizationId, type World } from "../world/World.ts"
import { leftRunning } from "./BreakerLaw.ts"
import { liveness, safety, type Sight } from "./Laws.ts"
import type { RowsByKind } from "../RowsByKind.ts"
import type { Verdict } from "./Verdict.ts"

/** What is looked at once a scene is over is over by then, as far as it ever will be. */
const horizonMs = 2 * 3_600_000

/** Events after which a world that goes on has not come to rest. */
const mostEvents = 2_000

/** Lets everything happen that is to happen. False where it never ends. */
const comeToRest = (world: World, look: () => void) =>
  Effect.gen(function* () {
    const until = world.now + horizonMs
    for (let events = 0; events < mostEvents; events++) {
      const at = yield* world.comesNext(false)
      if (at > until) return true
      world.now = Math.max(world.now, at)
      yield* world.advance(0, look)
    }
    return false
  })

/** The reconciler, and the sweep of contacts that were never shown, get their time. */
const housekeeping = (world: World, look: () => void) =>
  Effect.gen(function* () {
    for (const ms of [limits.reconcileMs, limits.reconcileMs, limits.intakeSweepMs]) {
      world.now += ms
      yield* world.advance(0, look)
    }
  })

/** Takes back whatever holds dialling: what was only set aside must go on from there. False where nothing was held. */
const wakeEverything = (world: World, rows: RowsByKind) =>
  Effect.gen(function* () {
    const before = world.commits.length
    const [campaigns, batches] = [world.service(Campaigns), world.service(Batches)]
    if (rows.isHeld) yield* world.service(Dialling).release
    for (const scope of rows.of("callee_hours").get(organizationId)?.entries ?? []) {
      yield* world.service(HoursSettings).remove(caller, scope)
    }
    if (rows.of("callee_hours").get(organizationId)?.caps !== undefined) {
      yield* world.service(CallCapsSettings).remove(caller)
    }
    for (const { organization_id, wallet } of rows.of("organization").values()) {
      if (organization_id !== organizationId || !isSpent(wallet)) continue
      yield* world.service(Organizations).change(organization_id, { wallet: { ...wallet, balance: 100 } })
    }
    for (const { agent_id, status } of rows.of("agent").values()) {
      if (status === "INACTIVE") yield* world.service(Agents).deploy(caller, agent_id)
    }
    for (const { campaign_id, status } of rows.of("campaign").values()) {
      if (status === "paused") yield* campaigns.resume(caller, campaign_id)
    }
    for (const { batch_id, status } of rows.of("batch").values()) {
      if (status === "paused") yield* batches.resume(caller, batch_id)
    }
    yield* world.settle()
    return world.commits.length > before
  }).pipe(Effect.orDie)

/** How a world stands, and whether somebody brought a campaign back. */
export interface View extends Sight {
  readonly reopened: (campaignId: string) => boolean
}

/** Lets a world come to rest, and again once nothing is held any more, and judges it each time. */
export const judgeAtRest = Effect.fnUntraced(function* (
  world: World,
  view: Effect.Effect<View>,
  verdict: Verdict,
  look: () => void,
) {
  const rest = Effect.gen(function* () {
    let rests = yield* comeToRest(world, look)
    yield* housekeeping(world, look)
    rests &&= yield* comeToRest(world, look)
    if (!rests) verdict.add({ law: "the world comes to rest", detail: `it goes on after ${mostEvents} events` })
    const sight = yield* view
    verdict.add(...safety(sight), ...liveness(sight, sight.reopened), ...leftRunning(sight.rows))
    return sight.rows
  })
  if (yield* wakeEverything(world, yield* rest)) yield* rest
})
