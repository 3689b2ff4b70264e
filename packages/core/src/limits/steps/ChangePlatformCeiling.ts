import { put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { platformDefaults, platformRow } from "../../organizations/steps/Installation.ts"

/** Sets how many calls may be live in the whole installation. */
export const changePlatformCeiling = step({
  name: "platform.ceiling",
  reads: platformRow,
  decide({ ceiling }: ByEngine & { readonly ceiling: number }, platform) {
    const before = platform ?? platformDefaults
    if (before.concurrency === ceiling) return unchanged(before)
    const changed = put("platform", platform, { ...before, concurrency: ceiling })
    return write([changed], { reply: { ...before, concurrency: ceiling } })
  },
})
