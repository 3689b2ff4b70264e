import type { BlockingReason } from "@carillon/core/domain"
import type { SlotLevel } from "@carillon/core/ports"
import type { Breakable, Faults } from "../faults/Fault.ts"
import type { Level, Standing } from "./Standing.ts"

/** The answer to "what limits it?" in one line, with the level that is full where one is. */
export interface Verdict {
  readonly tone: "idle" | "free" | "limited" | "held" | "broken"
  readonly level: SlotLevel | null
  readonly title: string
  readonly detail: string
}

/** What is looked at; times are epoch milliseconds. */
export interface Scene {
  readonly standings: ReadonlyArray<Standing>
  readonly platform: Level
  readonly organization: Level
  readonly faults: Faults["current"]
  /** Direct dials that wait for a line. */
  readonly waitingDials: number
}

/** The dependencies without which nothing is dialled. */
const dialling: ReadonlyArray<Breakable> = ["telephony", "call_store", "agent_store", "account", "scheduler"]

const levelOf: { readonly [reason in BlockingReason]?: SlotLevel } = {
  platform_lines_full: "platform",
  organization_lines_full: "organization",
  fair_share: "organization",
  agent_ceiling: "agent",
  campaign_ceiling: "campaign",
}

const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`

const figures = ({ ceiling, used }: Level): string =>
  ceiling === null ? plural(used, "line in use", "lines in use") : `${used} of ${ceiling} lines in use`

const sum = (standings: ReadonlyArray<Standing>, of: (standing: Standing) => number): number =>
  standings.reduce((total, standing) => total + of(standing), 0)

const limitedBy = (
  level: SlotLevel,
  standings: ReadonlyArray<Standing>,
  { organization, platform }: Scene,
): Verdict => {
  const demand = sum(standings, (standing) => standing.demand)
  const detail = `${plural(demand, "contact")} could be dialled now.`
  const tone = "limited"
  const [first] = standings
  switch (level) {
    case "platform":
      return { tone, level, title: `The platform’s ceiling limits it: ${figures(platform)}.`, detail }
    case "organization":
      if (standings.every(({ held_by }) => held_by?.reason === "fair_share")) {
        const title = `Fair shares limit it: ${figures(organization)}, the rest is kept for other campaigns.`
        return { tone, level, title, detail }
      }
      return { tone, level, title: `The organization’s ceiling limits it: ${figures(organization)}.`, detail }
    case "agent":
      return { tone, level, title: "The agent’s ceiling limits it.", detail }
    case "campaign":
      return {
        tone,
        level,
        title:
          standings.length === 1 && first !== undefined
            ? `${first.name} is at its own ceiling: ${figures(first)}.`
            : `${plural(standings.length, "campaign is", "campaigns are")} at their own ceilings.`,
        detail,
      }
  }
}

const heldTitles: { readonly [reason in BlockingReason]?: string } = {
  paused: "Paused: nothing is dialled until it is resumed.",
  batch_paused: "The batches are paused.",
  batch_not_due: "The batches are booked for later.",
  before_start: "The campaign has not begun.",
  outside_hours: "Outside working hours.",
  agent_inactive: "The agent is not ACTIVE, so it may not call.",
  wallet: "The wallet is empty.",
  caller_id: "The numbers to call from were given up.",
  carrier: "The carrier has refused dials; they are tried again.",
  cooldown: "Everybody has been dialled; retries wait for their time.",
}

const pendingOf = (standings: ReadonlyArray<Standing>): number => sum(standings, ({ outcomes }) => outcomes.pending)

/** What holds most of the contacts, where no ceiling does; null where nothing holds any. */
const heldBy = (standings: ReadonlyArray<Standing>): Verdict | null => {
  const held = standings.filter(({ held_by }) => held_by !== null && heldTitles[held_by.reason] !== undefined)
  const [most] = [...Map.groupBy(held, ({ held_by }) => held_by?.reason)].toSorted(
    ([, a], [, b]) => pendingOf(b) - pendingOf(a),
  )
  const [reason, here = []] = most ?? []
  const [first] = here
  if (reason === undefined || first === undefined) return null
  const untils = here.flatMap(({ held_by }) => (held_by?.until == null ? [] : [held_by.until]))
  const time = untils.length === 0 ? "" : ` until ${momentOf(Math.min(...untils))}`
  const whose = here.length === 1 ? first.name : plural(here.length, "campaign")
  const rest = held.length - here.length
  const others =
    rest === 0 ? "" : ` ${plural(rest, "other campaign waits", "other campaigns wait")} for another reason.`
  const detail = `${plural(pendingOf(here), "contact")} of ${whose} waiting${time}.${others}`
  return { tone: "held", level: null, title: heldTitles[reason] ?? "", detail }
}

const momentOf = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`

/** Says what limits an organization's calls at this moment: what is broken first, then what is full, then what is closed. */
export const verdictOf = (scene: Scene): Verdict => {
  const { faults, organization, platform, standings, waitingDials } = scene
  const broken = dialling.find((dependency) => faults[dependency] !== undefined)
  if (broken !== undefined) {
    const word = broken.replaceAll("_", " ")
    const detail = "Broken on purpose, under “Faults”. What is due waits; nothing may be lost when it clears."
    return { tone: "broken", level: null, title: `The ${word} is ${wordOf(faults[broken]?.mode)}.`, detail }
  }
  const limited = standings.filter(({ held_by }) => held_by !== null && levelOf[held_by.reason] !== undefined)
  for (const level of ["platform", "organization", "agent", "campaign"] as const) {
    const here = limited.filter(({ held_by }) => held_by !== null && levelOf[held_by.reason] === level)
    if (here.length === 0) continue
    const verdict = limitedBy(level, here, scene)
    const below = limited.length - here.length
    const others =
      below === 0 ? "" : ` ${plural(below, "other campaign is", "other campaigns are")} held by a ceiling below that.`
    return { ...verdict, detail: verdict.detail + others }
  }
  if (waitingDials > 0 && organization.ceiling !== null && organization.used >= organization.ceiling) {
    return {
      tone: "limited",
      level: "organization",
      title: `The organization’s ceiling limits it: ${figures(organization)}.`,
      detail: `${plural(waitingDials, "direct dial")} waiting for a line, five seconds each.`,
    }
  }
  const held = heldBy(standings)
  if (organization.used === 0 && held !== null) return held
  if (organization.used === 0) {
    return { tone: "idle", level: null, title: "Nothing is calling.", detail: "Place a call or start a campaign." }
  }
  const detail = `Platform: ${figures(platform)}.`
  return { tone: "free", level: null, title: `Nothing limits it: ${figures(organization)}.`, detail }
}

const wordOf = (mode: string | undefined): string =>
  mode === "timeout" ? "not answering" : mode === "error" ? "failing" : "unreachable"
