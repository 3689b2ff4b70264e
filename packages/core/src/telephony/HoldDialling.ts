import { put, unchanged, write } from "../engine/Outcome.ts"
import { row } from "../engine/Reading.ts"
import { step } from "../engine/Step.ts"
import type { ByEngine } from "../keys/Caller.ts"
import { platformCeilingDefault } from "../limits/SlotLevels.ts"
import type { DiallingHold, Platform } from "../organizations/Organization.ts"

/** The installation, which is no organization: in its name its own row is written. */
export const installation = { organization_id: "platform" } as const

const settings: Platform = {
  platform_id: installation.organization_id,
  revision: 0,
  concurrency: platformCeilingDefault,
}

const platformRow = () => row("platform", settings.platform_id)

/** Holds dialling; a hold that stands stays as it is. */
export const holdDialling = step({
  name: "dialling.hold",
  reads: platformRow,
  decide({ reason }: ByEngine & { readonly reason: string }, platform, { now }) {
    const before = platform ?? settings
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
