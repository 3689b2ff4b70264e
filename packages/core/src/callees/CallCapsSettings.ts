import { Context, Effect, Layer } from "effect"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, NotFound, type PortError } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import type { CallCaps, CallCapsSetting } from "./rules/CallCaps.ts"
import { Callees } from "./Callees.ts"
import { removeCallCaps, setCallCaps } from "./steps/SetCallCaps.ts"

const noCaps = new NotFound({ message: "This organization has no call caps." })

interface CallCapsSettingsShape {
  /** The call caps of an organization. Fails with `NotFound` where it has none. */
  readonly find: (organizationId: string) => Effect.Effect<CallCaps, NotFound | PortError>
  /** Replaces them. What is dialled from then on is counted. */
  readonly set: (caller: Caller, caps: CallCapsSetting) => Effect.Effect<CallCaps, EngineError>
  /** Takes them away. Fails with `NotFound` where there are none. */
  readonly remove: (caller: Caller) => Effect.Effect<void, EngineError>
}

/** How often an organization may call one number, as its customers keep it (docs/guides/call-caps.md). */
export class CallCapsSettings extends Context.Service<CallCapsSettings, CallCapsSettingsShape>()(
  "@carillon/core/callees/CallCapsSettings",
) {
  static readonly layer = Layer.effect(
    CallCapsSettings,
    Effect.gen(function* () {
      const callees = yield* Callees
      const steps = yield* Steps

      return CallCapsSettings.of({
        find: Effect.fnUntraced(function* (organizationId) {
          const { setting } = yield* callees.sureHours(organizationId)
          return setting?.caps ?? (yield* noCaps)
        }),
        set: (caller, caps) => steps.take(setCallCaps, { caller, caps }),
        remove: Effect.fnUntraced(function* (caller) {
          if (!(yield* steps.take(removeCallCaps, { caller }))) return yield* noCaps
        }),
      })
    }),
  )
}
