import { put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { platformDefaults, platformRow } from "../../organizations/steps/Installation.ts"
import type { DiallingHold } from "../../organizations/rules/Organization.ts"

/** Holds dialling; a hold that stands stays as it is. */
export const holdDialling = step({
  name: "dialling.hold",
  reads: platformRow,
  decide({ reason }: ByEngine & { readonly reason: string }, platform, { now }) {
    const before = platform ?? platformDefaults
    if (before.hold !== undefined) return unchanged(before.hold)
    const hold: DiallingHold = { since: now, reason }
    return write([put("platform", platform, { ...before, hold })], { reply: hold })
  },
})

/** Lets dialling go on; what stood is the answer, or null. */
export const releaseDialling = step({
  name: "dialling.release",
  reads: platformRow,
  decide(_: ByEngine, platform) {
    if (platform?.hold === undefined) return unchanged(null)
    const { hold, ...before } = platform
    return write([put("platform", platform, before)], { reply: hold })
  },
})
