import { row } from "../../engine/steps/Reading.ts"
import { platformCeilingDefault } from "../../limits/rules/SlotLevels.ts"
import type { Platform } from "../rules/Organization.ts"

/** The installation, which is no organization: in its name its own row is written. */
export const installation = { organization_id: "platform" } as const

/** What an installation is before anybody has said otherwise. */
export const platformDefaults: Platform = {
  platform_id: installation.organization_id,
  revision: 0,
  concurrency: platformCeilingDefault,
}

/** The installation's own row; null before anybody has said anything of it. */
export const platformRow = () => row("platform", platformDefaults.platform_id)
