import { Context, Effect, Layer } from "effect"
import { DomainClock } from "../../engine/ports/DomainClock.ts"
import type { PortError } from "../../Errors.ts"
import { limits } from "../../Limits.ts"
import { metrics } from "../../metrics/rules/Catalogue.ts"
import { CurrentMeters } from "../../metrics/ports/Meters.ts"
import { NowAndThen } from "../../engine/rules/NowAndThen.ts"
import type { HeaderList } from "../../webhooks/rules/DeliveryHeaders.ts"
import type { Kept } from "../rules/Kept.ts"
import { Secrets } from "./Secrets.ts"
import type { SecretUnreadable } from "../rules/SecretUnreadable.ts"
import type { SecretPlace } from "../rules/SecretPlace.ts"

interface SecretKeepingShape {
  /** A secret as it may lie in its row; one that is empty or null stays as it is. */
  readonly seal: <A extends string | null>(text: A, place: SecretPlace) => Effect.Effect<A | string, PortError>
  /** The secret itself. One that does not open is told in the log, at most once a minute, and counted. */
  readonly open: (kept: Kept) => Effect.Effect<string, SecretUnreadable | PortError>
  readonly openHeaders: (
    headers: ReadonlyArray<readonly [name: string, value: Kept]>,
  ) => Effect.Effect<HeaderList, SecretUnreadable | PortError>
}

/** Seals and opens what the engine writes and uses, and is loud where something does not open. */
export class SecretKeeping extends Context.Service<SecretKeeping, SecretKeepingShape>()(
  "@carillon/core/secrets/SecretKeeping",
) {
  static readonly layer = Layer.effect(
    SecretKeeping,
    Effect.gen(function* () {
      const secrets = yield* Secrets
      const clock = yield* DomainClock
      const meters = yield* CurrentMeters
      const told = new NowAndThen(limits.unreadableSecretsMs)

      const tell = (error: SecretUnreadable) =>
        Effect.suspend(() => {
          meters?.count(metrics.unreadableSecrets, [error.reason])
          const times = told.note(clock.now())
          if (times === null) return Effect.void
          return Effect.logError(`${error.message} What needs it waits until it can be read.`).pipe(
            Effect.annotateLogs({ key_id: error.key_id, reason: error.reason, times }),
          )
        })

      const open: SecretKeepingShape["open"] = ({ place, sealed }) =>
        secrets
          .open(sealed, place)
          .pipe(Effect.tapError((error) => (error._tag === "SecretUnreadable" ? tell(error) : Effect.void)))

      return SecretKeeping.of({
        seal: (text, place) => (text === null || text === "" ? Effect.succeed(text) : secrets.seal(text, place)),
        open,
        openHeaders: (headers) =>
          Effect.forEach(headers, ([name, value]) => Effect.map(open(value), (text) => [name, text] as const)),
      })
    }),
  )
}
