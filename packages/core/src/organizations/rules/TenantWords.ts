import { Schema } from "effect"
import { InvalidField } from "../../Errors.ts"
import { fields, Flag, judge, listOf, optional, orNull, Quantity, says, Text } from "../../HostWords.ts"
import { limits } from "../../Limits.ts"
import { isE164 } from "../../phone/E164.ts"
import type { NewOrganization } from "./NewOrganization.ts"
import type { Organization } from "./Organization.ts"
import { retentionFault } from "./RetentionDays.ts"

const Wallet = fields({
  balance: Quantity,
  currency: Text.check(Schema.isMinLength(1, { message: "must not be empty" })),
})

const ceilingReason = "must be a whole number of at least 0"
const Ceiling = says(Schema.Number, ceilingReason).check(
  Schema.isInt({ message: ceilingReason }),
  Schema.isGreaterThanOrEqualTo(0, { message: ceilingReason }),
)

const Concurrency = fields({ organization: orNull(Ceiling), per_agent: orNull(Ceiling), enforced: Flag })
const SomeConcurrency = fields({
  organization: optional(orNull(Ceiling)),
  per_agent: optional(orNull(Ceiling)),
  enforced: optional(Flag),
})

const numberReason = "must be an E.164 number"
const Numbers = listOf(Text.check(Schema.makeFilter(isE164, { message: numberReason }))).check(
  Schema.isMaxLength(limits.numbersPerOrganization, {
    message: `must have at most ${limits.numbersPerOrganization} numbers`,
  }),
)

const opened = judge(
  fields({
    name: Text,
    plan: optional(Text),
    wallet: optional(Wallet),
    concurrency: optional(SomeConcurrency),
    webhook_secret: optional(orNull(Text)),
    phone_numbers: optional(Numbers),
  }),
)

const changed = judge(
  fields({
    name: optional(Text),
    plan: optional(Text),
    wallet: optional(Wallet),
    concurrency: optional(Concurrency),
    webhook_secret: optional(orNull(Text)),
  }),
)

const twice = (numbers: ReadonlyArray<string>): InvalidField | null => {
  const seen = new Set<string>()
  const repeated = numbers.findIndex((number) => seen.size === seen.add(number).size)
  return repeated < 0 ? null : new InvalidField({ field: `phone_numbers[${repeated}]`, reason: "is there twice" })
}

/** The first field of a new tenant that is wrong; null where none is. A host's types are no proof, and a wallet of a wrong shape is money that nobody counts. */
export const openingFault = (request: NewOrganization): InvalidField | null =>
  opened(request) ?? retentionFault(request.retention_days) ?? twice(request.phone_numbers ?? [])

/** The first field of what shall become of a tenant that is wrong; null where none is. */
export const changesFault = (changes: Pick<Partial<Organization>, "retention_days">): InvalidField | null => {
  if (changes instanceof Promise) return new InvalidField({ field: "changes", reason: "must be told at once" })
  return changed(changes) ?? retentionFault(changes.retention_days)
}

/** What is wrong with the name of a key of the host's making; null where nothing is. */
export const keyNameFault = judge(fields({ name: Text }))
