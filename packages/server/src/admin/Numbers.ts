import { Numbers } from "@carillon/core"
import { E164, Timestamp } from "@carillon/core/domain"
import { AccountStore, NumberStore, type PhoneNumber } from "@carillon/core/ports"
import { Effect } from "effect"
import { Wrong } from "../settings/SettingsFile.ts"
import type { AdminCommand } from "./AdminCommand.ts"
import type { Said } from "./Text.ts"
import type { Words } from "./Words.ts"

/** Numbers that are shown at a time. */
const pageSize = 100

const numberShown = ({ created_at, label, phone_number, phone_number_id }: PhoneNumber) =>
  ({ phone_number, phone_number_id, label, created_at: Timestamp.formatUtc(created_at) }) satisfies Said

const pageIn = (words: Words): number => {
  const page = words.whole("page") ?? 1
  if (page > 0) return page
  throw new Wrong(["--page: must be at least 1"])
}

const numberIn = (words: Words, nth: number): string => {
  const text = words.argument(nth)
  if (E164.isE164(text)) return text
  throw new Wrong(["NUMBER: must be a number such as +12125550100"])
}

/** The numbers of organizations as their operator looks at them and gives them out. */
export const numberCommands: ReadonlyArray<AdminCommand> = [
  {
    name: "numbers list",
    arguments: ["ORGANIZATION"],
    options: { page: { value: "N", meaning: "which hundred of them; 1, the newest" } },
    meaning: "lists the phone numbers of an organization, a hundred at a time",
    run: async (words, carillon) => {
      const organizationId = words.argument()
      await carillon.organizations.show(organizationId)
      const request = { page: pageIn(words), page_size: pageSize }
      const { items } = await carillon.run(Effect.flatMap(Numbers, (numbers) => numbers.page(organizationId, request)))
      return { said: items.map(({ number }) => numberShown(number)), isWell: true }
    },
  },
  {
    name: "numbers holders",
    arguments: ["NUMBER"],
    options: {},
    meaning: "tells which organizations have a phone number",
    run: async (words, carillon) => {
      const phone_number = numberIn(words, 0)
      const asked = Effect.flatMap(NumberStore, (numbers) => numbers.holders([phone_number]))
      const [organizations = []] = await carillon.run(asked)
      return { said: { phone_number, organizations: [...organizations] }, isWell: true }
    },
  },
  {
    name: "numbers assign",
    arguments: ["ORGANIZATION", "NUMBER"],
    options: {},
    meaning:
      "gives an organization a phone number that no organization has, whatever `numbers.registration` says of customers",
    run: async (words, carillon) => {
      const [organizationId, phoneNumber] = [words.argument(), numberIn(words, 1)]
      await carillon.organizations.show(organizationId)
      const asked = Effect.flatMap(Numbers, (numbers) => numbers.assign(organizationId, phoneNumber))
      return { said: numberShown(await carillon.run(asked)), isWell: true }
    },
  },
  {
    name: "numbers take",
    arguments: ["ORGANIZATION", "NUMBER"],
    options: {},
    meaning:
      "takes a phone number away from an organization; refused while a campaign, a batch or a booked call may still call from it",
    run: async (words, carillon) => {
      const [organizationId, phoneNumber] = [words.argument(), numberIn(words, 1)]
      const asked = Effect.gen(function* () {
        const number = yield* (yield* AccountStore).number(organizationId, phoneNumber)
        if (number === null) return null
        yield* (yield* Numbers).take(organizationId, number.phone_number_id)
        return number
      })
      const taken = await carillon.run(asked)
      if (taken === null) {
        return { said: { found: false, why: "This organization does not have this phone number." }, isWell: false }
      }
      return { said: { taken: numberShown(taken) }, isWell: true }
    },
  },
]
