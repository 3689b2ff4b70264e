import { utf8ToBytes } from "@noble/hashes/utils.js"
import { limits } from "../../Limits.ts"
import { type Line, LineSum, portableFormat, type PortableHeader } from "../../portable/rules/PortableFile.ts"
import { walkFrom } from "../../retention/steps/Purging.ts"
import { formatUtc } from "../../time/Timestamp.ts"
import { sampleCallee, sampleHours, sampleOrganization, samplePhoneNumber } from "../Samples.ts"
import { epoch } from "../world/World.ts"
import { things } from "./Scenes.ts"

const organization_id = "org_moved"

const header: PortableHeader = {
  carillon: "organization",
  format: portableFormat,
  organization_id,
  name: "Moved",
  release: null,
  exported_at: formatUtc(epoch),
  piece: limits.portablePiece,
}

const lines: ReadonlyArray<Line> = [
  { kind: "purge", row: { ...walkFrom(null, organization_id, { days: 7, before: 0 }, epoch), place: null } },
  { kind: "organization", row: sampleOrganization(organization_id, { retention_days: 7 }) },
  {
    kind: "phone_number",
    row: { ...samplePhoneNumber(organization_id, things.numbers.free), phone_number_id: "pn_moved" },
  },
  { kind: "callee_hours", row: sampleHours(organization_id) },
  { kind: "callee", row: sampleCallee(organization_id, { to_number: things.persons.first }) },
]

/** The file of a small organization that was exported elsewhere. It brings a number that nobody has here at first. */
export const moved = (): Uint8Array => {
  const sum = new LineSum()
  const texts = [header, ...lines].map((line) => {
    const text = JSON.stringify(line)
    sum.add(text)
    return `${text}\n`
  })
  for (const { kind } of lines) sum.count(kind)
  return utf8ToBytes(`${texts.join("")}${JSON.stringify(sum.tail)}\n`)
}
