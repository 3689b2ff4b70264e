import {
  type ApiKey,
  type CallExplanation,
  type HeldLines,
  limits,
  type Organization,
  type PlatformStanding,
  type ShownOrganization,
} from "@carillon/core"
import { Timestamp } from "@carillon/core/domain"
import type { Said } from "./Text.ts"

/** A time as it is told; null where there is none. */
export const timeOf = (at: number | null): string | null => (at === null ? null : Timestamp.formatUtc(at))

/** An organization without its secret. */
export const organizationShown = ({
  concurrency,
  created_at,
  name,
  organization_id,
  plan,
  retention_days,
  wallet,
}: Organization) =>
  ({
    organization_id,
    name,
    plan,
    wallet: { ...wallet },
    ceilings: { ...concurrency },
    retention_days: retention_days ?? null,
    created_at: timeOf(created_at),
  }) satisfies Said

/** Lines that stand still, and since when; it says so where it has not looked at all of them. */
export const heldLinesShown = ({ isPart, silent, unconfirmed }: HeldLines) =>
  ({
    silent_for_a_minute: silent.calls,
    silent_since: timeOf(silent.since),
    dials_without_an_answer: unconfirmed,
    ...(isPart ? { looked_at: `the newest ${limits.silentLinesRead}` } : {}),
  }) satisfies Said

/** How far rows were taken away that were kept for their time: where the walk is, and what has gone that the audit trail does not tell of yet. */
const purgeShown = ({ before, began_at, gone, place }: NonNullable<ShownOrganization["purge"]>) =>
  ({
    began_at: timeOf(began_at),
    ended_before: timeOf(before),
    at: place?.of ?? "over",
    gone: { ...gone },
  }) satisfies Said

/** The same with its lines, and how far what was kept for its time is gone. */
export const standingShown = ({ lines, numbers, organization, purge }: ShownOrganization, held: HeldLines) =>
  ({
    ...organizationShown(organization),
    numbers,
    lines: {
      in_use: lines.current,
      available: lines.available,
      ceiling: lines.max,
      enforced: lines.enforced,
      ...heldLinesShown(held),
    },
    purge: purge === null ? null : purgeShown(purge),
  }) satisfies Said

/** The lines of the whole installation. */
export const platformShown = ({ ceiling, hold, in_use, organizations, silent }: PlatformStanding) =>
  ({
    lines: {
      ceiling,
      in_use,
      available: Math.max(0, ceiling - in_use),
      silent_for_a_minute: silent.calls,
      silent_since: timeOf(silent.since),
    },
    dialling_held: hold !== null,
    held_since: timeOf(hold?.since ?? null),
    held_because: hold?.reason ?? null,
    most_lines: organizations.map((organization) => ({ ...organization })),
  }) satisfies Said

/** A key as it may be told: never its text. */
export const keyShown = ({ created_at, description, key_id, key_preview, revoked_at, status }: ApiKey) =>
  ({
    key_id,
    key_preview,
    description,
    status,
    created_at: timeOf(created_at),
    revoked_at: timeOf(revoked_at),
  }) satisfies Said

const waits: Readonly<Record<CallExplanation["wait"], string>> = {
  nothing: "It is over, and holds no line.",
  its_time: "It waits for its time.",
  dialling_held: "Nothing is dialled before dialling is released: see `dialling why`.",
  platform_lines_full: "Every line of the installation is in use.",
  organization_lines_full: "Every line of its organization is in use.",
  agent_lines_full: "Every line of its agent is in use.",
  a_process: "Its time has come: a process takes it up within seconds. If none does, none runs.",
  dial_answer: "The carrier has not said what became of the dial, and is asked about it.",
  carrier: "The carrier has it: its next word is waited for.",
  last_word: "It has ended, and holds its line until the carrier's last word.",
}

/** What a call waits for. It tells no number. */
export const explanationShown = ({ call, surroundings, until, wait }: CallExplanation) =>
  ({
    execution_id: call.execution_id,
    organization_id: call.organization_id,
    status: call.status,
    dial: call.dial,
    waits_for: wait,
    why: waits[wait],
    looked_at_next: timeOf(until),
    questions_to_the_carrier: call.questions,
    dialling_held: surroundings.isHeld,
    lines: {
      platform: { ...surroundings.platform },
      organization: { ...surroundings.organization },
      agent: { ...surroundings.agent },
    },
  }) satisfies Said
