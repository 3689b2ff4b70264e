import { type RouteName, toWireBatch, toWireCampaign, toWirePlaced } from "@carillon/api"
import { Batches, type Caller, Calls, Campaigns, type EngineError } from "@carillon/core"
import type { KeyedRequest, Recalled } from "@carillon/core/ports"
import { Effect } from "effect"
import type { Reply } from "./Handler.ts"

/** What a route makes that honours an `Idempotency-Key`, and what it answers of something that a process has made that is gone. */
export interface KeyedRoute {
  readonly makes: KeyedRequest["makes"]
  readonly recall: (caller: Caller, subject: string) => Effect.Effect<Recalled<Reply>, EngineError>
}

const told = <Made>(recalled: Recalled<Made>, reply: (made: Made) => Reply): Recalled<Reply> =>
  recalled._tag === "Made" ? { _tag: "Made", made: reply(recalled.made) } : recalled

/** The routes that honour an `Idempotency-Key`. */
export const keyedRoutes = Effect.gen(function* () {
  const calls = yield* Calls
  const campaigns = yield* Campaigns
  const batches = yield* Batches

  const batch: KeyedRoute = {
    makes: "batch",
    recall: ({ organization_id }, subject) =>
      Effect.map(batches.recall(organization_id, subject), (recalled) =>
        told(recalled, (made) => ({ status: 201, body: toWireBatch(made) })),
      ),
  }
  const routes: Partial<Readonly<Record<RouteName, KeyedRoute>>> = {
    "calls.place": {
      makes: "execution",
      recall: (caller, subject) =>
        Effect.map(calls.recall(caller, subject), (recalled) => told(recalled, toWirePlaced)),
    },
    "campaigns.create": {
      makes: "campaign",
      recall: ({ organization_id }, subject) =>
        Effect.map(campaigns.recall(organization_id, subject), (recalled) =>
          told(recalled, (made) => ({ status: 201, body: toWireCampaign(made) })),
        ),
    },
    "campaigns.append": batch,
    "batches.create": batch,
    "batches.upload": batch,
  }
  return routes
})
