import { AuditTrail } from "@carillon/core"
import type { Carillon } from "@carillon/http"
import { Effect } from "effect"
import { Wrong } from "../settings/SettingsFile.ts"
import type { AdminCommand, Answer } from "./AdminCommand.ts"
import { eachOrganization } from "./EachOrganization.ts"
import type { Words } from "./Words.ts"

/** Trails that do not hold and are told of. */
const brokenTold = 100

const verified = (
  carillon: Carillon,
  organizationId: string,
  expected: Parameters<AuditTrail["Service"]["verify"]>[1],
) => carillon.run(Effect.flatMap(AuditTrail, (trail) => trail.verify(organizationId, expected)))

const verifyOne = async (words: Words, carillon: Carillon, organizationId: string): Promise<Answer> => {
  await carillon.organizations.show(organizationId)
  const [expectedHead, expectedCount] = [words.text("expected-head"), words.whole("expected-count")]
  const report = await verified(carillon, organizationId, {
    ...(expectedHead === undefined ? {} : { expectedHead }),
    ...(expectedCount === undefined ? {} : { expectedCount }),
  })
  return { said: { organization_id: organizationId, ...report }, isWell: report.valid }
}

const verifyAll = async (carillon: Carillon): Promise<Answer> => {
  const broken: Array<{ readonly organization_id: string; readonly reason: string | null }> = []
  let [organizations, records, brokenTrails] = [0, 0, 0]
  await eachOrganization(carillon, async (organization_id) => {
    const report = await verified(carillon, organization_id, {})
    organizations += 1
    records += report.checked
    if (report.valid) return
    brokenTrails += 1
    if (broken.length < brokenTold) broken.push({ organization_id, reason: report.reason })
  })
  return {
    said: { valid: brokenTrails === 0, organizations, records, broken_trails: brokenTrails, broken },
    isWell: brokenTrails === 0,
  }
}

/** Audit trails as their operator looks at them. */
export const trailCommands: ReadonlyArray<AdminCommand> = [
  {
    name: "audit verify",
    arguments: ["[ORGANIZATION]"],
    options: {
      "expected-head": { value: "HASH", meaning: "a hash that an earlier verification told; of one organization" },
      "expected-count": { value: "N", meaning: "how many records it had then" },
    },
    meaning: "verifies the audit trail of an organization, or of all; ends with 1 where one does not hold",
    run: (words, carillon) => {
      const organizationId = words.argumentOrNone()
      if (organizationId !== undefined) return verifyOne(words, carillon, organizationId)
      if (words.text("expected-head") !== undefined || words.text("expected-count") !== undefined) {
        throw new Wrong(["--expected-head: is of one organization, which has to be named"])
      }
      return verifyAll(carillon)
    },
  },
]
