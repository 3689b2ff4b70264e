import { Engine, limits, Retention, Verification, type VerificationReport } from "@carillon/core"
import { Timestamp } from "@carillon/core/domain"
import type { Carillon } from "@carillon/http"
import { Effect } from "effect"
import { Wrong } from "../settings/SettingsFile.ts"
import type { AdminCommand, Answer } from "./AdminCommand.ts"
import { eachOrganization } from "./EachOrganization.ts"
import type { Words } from "./Words.ts"

const dayMs = 24 * 3_600_000

/** Faults of all organizations together that are told of. */
const faultsTold = limits.verificationFaults

const verified = (carillon: Carillon, organizationId: string): Promise<VerificationReport> =>
  carillon.run(Effect.flatMap(Verification, (verification) => verification.verify(organizationId)))

const verifyOne = async (carillon: Carillon, organizationId: string): Promise<Answer> => {
  const { faults, rows: looked, ...report } = await verified(carillon, organizationId)
  const said = {
    organization_id: organizationId,
    ...report,
    faults: faults.map((fault) => ({ ...fault })),
    rows: { ...looked },
  }
  return { said, isWell: report.fault_count === 0 }
}

type Looked = VerificationReport["rows"]

const nothingLooked: Looked = {
  campaigns: 0,
  batches: 0,
  contacts: 0,
  calls: 0,
  deliveries: 0,
  callees: 0,
  audit_records: 0,
}

const together = (one: Looked, other: Looked): Looked => ({
  campaigns: one.campaigns + other.campaigns,
  batches: one.batches + other.batches,
  contacts: one.contacts + other.contacts,
  calls: one.calls + other.calls,
  deliveries: one.deliveries + other.deliveries,
  callees: one.callees + other.callees,
  audit_records: one.audit_records + other.audit_records,
})

const verifyAll = async (carillon: Carillon): Promise<Answer> => {
  const told: Array<{ readonly organization_id: string; readonly law: string; readonly detail: string }> = []
  let rows = nothingLooked
  let [organizations, moving, fault_count, broken] = [0, 0, 0, 0]
  await eachOrganization(carillon, async (organization_id) => {
    const report = await verified(carillon, organization_id)
    organizations += 1
    moving += report.moving
    fault_count += report.fault_count
    rows = together(rows, report.rows)
    if (report.fault_count > 0) broken += 1
    for (const fault of report.faults.slice(0, faultsTold - told.length)) told.push({ organization_id, ...fault })
  })
  const said = { organizations, broken_organizations: broken, moving, fault_count, faults: told, rows: { ...rows } }
  return { said, isWell: fault_count === 0 }
}

/** The moment before which calls and batches must have ended: as long ago as the shortest time for which an organization may keep them. */
const beforeOf = (words: Words): number => {
  const text = words.text("before")
  if (text === undefined) throw new Wrong(["rows purge needs --before TIME; see --help."])
  const parsed = Timestamp.parseTimestamp(text)
  if (!parsed.ok) throw new Wrong(["--before: must be a time with its offset, such as 2026-01-31T00:00:00Z"])
  if (parsed.ms > Date.now() - limits.retentionDays.min * dayMs) {
    throw new Wrong([
      `--before: must be ${limits.retentionDays.min} days ago or longer, for so long carriers may correct what a call has cost`,
    ])
  }
  return parsed.ms
}

const purge = async (words: Words, carillon: Carillon): Promise<Answer> => {
  const [organization_id, before] = [words.argument(), beforeOf(words)]
  const { retention_days = null } = (await carillon.organizations.show(organization_id)).organization
  if (retention_days !== null) {
    throw new Error(`Its calls and contacts are kept for ${retention_days} days already, and go by themselves.`)
  }
  const gone = await carillon.run(Effect.flatMap(Retention, (retention) => retention.purge(organization_id, before)))
  return { said: { organization_id, before: Timestamp.formatUtc(before), gone: { ...gone } }, isWell: true }
}

/** Rows as their operator looks at them, repairs them and lets them go. */
export const rowCommands: ReadonlyArray<AdminCommand> = [
  {
    name: "rows verify",
    arguments: ["[ORGANIZATION]"],
    options: {},
    meaning:
      "holds every row of an organization, or of all, against the laws of the engine; reads only; ends with 1 where one is broken",
    run: (words, carillon) => {
      const organizationId = words.argumentOrNone()
      return organizationId === undefined ? verifyAll(carillon) : verifyOne(carillon, organizationId)
    },
  },
  {
    name: "rows purge",
    arguments: ["ORGANIZATION"],
    options: { before: { value: "TIME", meaning: "what goes has ended before it, such as 2026-01-31T00:00:00Z" } },
    meaning:
      "takes away the calls and contacts of an organization that have ended before a time, and tells how many; for one that keeps everything",
    run: purge,
  },
  {
    name: "rows repair",
    arguments: [],
    options: {},
    meaning:
      "finishes what was left half done, as every start of a server does, and has every dispatcher look; disturbs nobody",
    run: async (_words, carillon) => {
      await carillon.run(Effect.flatMap(Engine, (engine) => engine.repair))
      return { said: { repaired: true }, isWell: true }
    },
  },
  {
    name: "rows rebuild-wakeups",
    arguments: [],
    options: {},
    meaning:
      "sets every wake-up anew from the rows, for a database that lost them; only while no server runs; tells how many",
    run: async (_words, carillon) => {
      const wakeups = await carillon.run(Effect.flatMap(Engine, (engine) => engine.rebuildWakeups))
      return { said: { wakeups }, isWell: true }
    },
  },
]
