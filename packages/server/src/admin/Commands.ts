import {
  Erasure,
  Explainer,
  Keys,
  limits,
  type Organization,
  type OrganizationChanges,
  PlatformLines,
  Resealing,
  type Wallet,
} from "@carillon/core"
import { Timestamp } from "@carillon/core/domain"
import { CampaignStore } from "@carillon/core/ports"
import type { Carillon } from "@carillon/http"
import { Duration, Effect } from "effect"
import { Wrong } from "../settings/SettingsFile.ts"
import type { AdminCommand, Answer } from "./AdminCommand.ts"
import { moveCommands } from "./Moves.ts"
import { numberCommands } from "./Numbers.ts"
import { rowCommands } from "./Rows.ts"
import { explanationShown, heldLinesShown, keyShown, organizationShown, platformShown, standingShown } from "./Shown.ts"
import type { Said } from "./Text.ts"
import { trailCommands } from "./Trails.ts"
import { webhookCommands } from "./Webhooks.ts"
import type { Words } from "./Words.ts"

const well = (said: Said): Answer => ({ said, isWell: true })

const walletOptions = {
  balance: { value: "N", meaning: "what the wallet has" },
  currency: { value: "CODE", meaning: "in which currency; USD" },
}

const ceilingOptions = {
  lines: { value: "N", meaning: "live calls of the organization, or `none`" },
  "agent-lines": { value: "N", meaning: "live calls of each of its agents, or `none`" },
  enforced: { value: "true|false", meaning: "whether the ceilings bind" },
}

const { max: mostDays, min: fewestDays } = limits.retentionDays

const retentionOptions = {
  "retention-days": {
    value: "N",
    meaning: `for how many days calls and contacts are kept after their end, ${fewestDays} to ${mostDays}, or \`none\` for ever`,
  },
}

const retentionOf = (words: Words): { readonly retention_days?: number | null } => {
  const retention_days = words.ceiling("retention-days")
  return retention_days === undefined ? {} : { retention_days }
}

/** The ceilings that are named. */
const ceilingsOf = (words: Words): Partial<Organization["concurrency"]> => {
  const [organization, perAgent] = [words.ceiling("lines"), words.ceiling("agent-lines")]
  const enforced = words.flag("enforced")
  return {
    ...(organization === undefined ? {} : { organization }),
    ...(perAgent === undefined ? {} : { per_agent: perAgent }),
    ...(enforced === undefined ? {} : { enforced }),
  }
}

const planOf = (words: Words): { readonly plan?: string } => {
  const plan = words.text("plan")
  return plan === undefined ? {} : { plan }
}

const currencyOf = (words: Words): string | undefined => {
  const currency = words.text("currency")
  if (currency === undefined || /^[A-Z]{3}$/.test(currency)) return currency
  throw new Wrong(["--currency: must be a code such as USD"])
}

const numbersOf = (words: Words): ReadonlyArray<string> =>
  words.texts("number").map((number) => {
    if (/^\+[1-9]\d{1,14}$/.test(number)) return number
    throw new Wrong(["--number: must be a number such as +12125550100"])
  })

/** What a wallet becomes: it is set, or something is added to what it has by then. */
const walletAfter = (words: Words): ((wallet: Wallet) => Wallet) => {
  const [add = 0, balance, currency] = [words.number("add"), words.number("balance"), currencyOf(words)]
  return (wallet) => ({ balance: (balance ?? wallet.balance) + add, currency: currency ?? wallet.currency })
}

const changesOf = (words: Words): ((organization: Organization) => OrganizationChanges) => {
  const [name, plan, ceilings, wallet] = [words.text("name"), planOf(words), ceilingsOf(words), walletAfter(words)]
  const retention = retentionOf(words)
  return (organization) => ({
    ...(name === undefined ? {} : { name }),
    ...plan,
    ...retention,
    concurrency: { ...organization.concurrency, ...ceilings },
    wallet: wallet(organization.wallet),
  })
}

const organizations: ReadonlyArray<AdminCommand> = [
  {
    name: "organizations open",
    arguments: ["NAME"],
    options: {
      plan: { value: "PLAN", meaning: "its plan, which is its tier of rates; standard" },
      ...walletOptions,
      ...ceilingOptions,
      ...retentionOptions,
      number: { value: "NUMBER", meaning: "a number that it may call from", isRepeatable: true },
    },
    meaning: "opens an organization, and tells the text of its first key, once",
    run: async (words, carillon) => {
      const { key, organization, record } = await carillon.organizations.open({
        name: words.argument(),
        ...planOf(words),
        wallet: walletAfter(words)({ balance: 0, currency: "USD" }),
        concurrency: ceilingsOf(words),
        ...retentionOf(words),
        phone_numbers: numbersOf(words),
      })
      return well({ ...organizationShown(organization), key_id: record.key_id, key })
    },
  },
  {
    name: "organizations list",
    arguments: [],
    options: {
      after: { value: "ID", meaning: "go on after this organization" },
      limit: { value: "N", meaning: "so many at most; 100" },
    },
    meaning: "lists organizations in the order of their ids",
    run: async (words, carillon) => {
      const { items } = await carillon.organizations.list(words.text("after") ?? null, words.whole("limit"))
      return well(items.map(organizationShown))
    },
  },
  {
    name: "organizations show",
    arguments: ["ORGANIZATION"],
    options: {},
    meaning: "shows an organization, its ceilings, the lines in use, and how far what was kept for its time is gone",
    run: async (words, carillon) => {
      const shown = await carillon.organizations.show(words.argument())
      const { organization_id } = shown.organization
      return well(
        standingShown(shown, await carillon.run(Effect.flatMap(Explainer, ({ lines }) => lines(organization_id)))),
      )
    },
  },
  {
    name: "organizations change",
    arguments: ["ORGANIZATION"],
    options: {
      name: { value: "NAME", meaning: "its name" },
      plan: { value: "PLAN", meaning: "its plan; the keys that it has keep theirs, and the rates of it" },
      add: { value: "N", meaning: "what is added to the wallet, or taken from it" },
      ...walletOptions,
      ...ceilingOptions,
      ...retentionOptions,
    },
    meaning: "changes plan, wallet, ceilings or for how long is kept what is over; what is not named stays as it is",
    run: async (words, carillon) =>
      well(organizationShown(await carillon.organizations.change(words.argument(), changesOf(words)))),
  },
]

const keysPageSize = 100

const keys: ReadonlyArray<AdminCommand> = [
  {
    name: "keys list",
    arguments: ["ORGANIZATION"],
    options: { page: { value: "N", meaning: "this hundred of them; 1, the newest" } },
    meaning: "lists the keys of an organization, newest first, a hundred at a time",
    run: async (words, carillon) => {
      const asked = { page: words.page("page") ?? 1, page_size: keysPageSize }
      const page = Effect.flatMap(Keys, (service) => service.page(words.argument(), asked))
      return well((await carillon.run(page)).items.map(keyShown))
    },
  },
  {
    name: "keys give",
    arguments: ["ORGANIZATION"],
    options: { name: { value: "NAME", meaning: "what the key is called; Given by the operator" } },
    meaning: "gives an organization one more key with every scope, and tells its text, once",
    run: async (words, carillon) => {
      const name = words.text("name") ?? "Given by the operator"
      const { key, record } = await carillon.organizations.giveKey(words.argument(), name)
      return well({ ...keyShown(record), key })
    },
  },
  {
    name: "keys revoke",
    arguments: ["ORGANIZATION", "KEY"],
    options: {},
    meaning: "revokes a key, within a minute in every process",
    run: async (words, carillon) =>
      well(keyShown(await carillon.organizations.revokeKey(words.argument(), words.argument(1)))),
  },
]

const holdShown = (hold: Awaited<ReturnType<Carillon["dialling"]["standing"]>>): Said =>
  hold === null
    ? { held: false, since: null, reason: null }
    : { held: true, since: Timestamp.formatUtc(hold.since), reason: hold.reason }

const dialling: ReadonlyArray<AdminCommand> = [
  {
    name: "dialling why",
    arguments: [],
    options: {},
    meaning: "says whether dialling is held, since when and why",
    run: async (_words, carillon) => well(holdShown(await carillon.dialling.standing())),
  },
  {
    name: "dialling hold",
    arguments: ["REASON"],
    options: {},
    meaning: "holds dialling in every process; a hold that stands stays as it is",
    run: async (words, carillon) => well(holdShown(await carillon.dialling.hold(words.argument()))),
  },
  {
    name: "dialling release",
    arguments: [],
    options: {},
    meaning: "lets dialling go on, within 35 seconds in every process; tells the hold that stood",
    run: async (_words, carillon) => well({ released: holdShown(await carillon.dialling.release()) }),
  },
]

const platform: ReadonlyArray<AdminCommand> = [
  {
    name: "platform show",
    arguments: [],
    options: {},
    meaning:
      "shows the lines of the whole installation, which organizations have the most, and whether dialling is held",
    run: async (_words, carillon) =>
      well(platformShown(await carillon.run(Effect.flatMap(PlatformLines, ({ show }) => show)))),
  },
  {
    name: "platform change",
    arguments: [],
    options: { lines: { value: "N", meaning: "live calls of all organizations together" } },
    meaning: "changes how many calls may be live in the whole installation, within a minute in every process",
    run: async (words, carillon) => {
      const ceiling = words.whole("lines")
      if (ceiling === undefined) throw new Wrong(["platform change takes --lines; see --help."])
      const changed = Effect.flatMap(PlatformLines, (lines) => lines.change(ceiling))
      return well({ ceiling: (await carillon.run(changed)).concurrency })
    },
  },
]

const secrets: ReadonlyArray<AdminCommand> = [
  {
    name: "secrets reseal",
    arguments: [],
    options: {},
    meaning:
      "brings every secret of every customer under the first key of `secrets.keys`; tells those that no key opens",
    run: async (_words, carillon) => {
      const found = await carillon.run(Effect.flatMap(Resealing, (resealing) => resealing.walk))
      return { said: { ...found }, isWell: found.unreadable === 0 }
    },
  },
]

const people: ReadonlyArray<AdminCommand> = [
  {
    name: "people erase",
    arguments: ["ORGANIZATION", "NUMBER"],
    options: {},
    meaning:
      "erases whoever has the number from the organization's rows; tells what is under way still, and what others have",
    run: async (words, carillon) => {
      const asked = Effect.flatMap(Erasure, (erasure) => erasure.erase(words.argument(), words.argument(1)))
      const { elsewhere, under_way, ...report } = await carillon.run(asked)
      const said = { ...report, under_way: [...under_way], elsewhere: elsewhere.map((kept) => ({ ...kept })) }
      return { said, isWell: report.is_whole && under_way.length === 0 }
    },
  },
]

const missing = (what: string): Answer => ({ said: { found: false, why: `There is no such ${what}.` }, isWell: false })

const whys: ReadonlyArray<AdminCommand> = [
  {
    name: "calls why",
    arguments: ["EXECUTION"],
    options: {},
    meaning: "says what a call waits for",
    run: async (words, carillon) => {
      const asked = Effect.flatMap(Explainer, (explainer) => explainer.explainCall(words.argument()))
      const explanation = await carillon.run(asked)
      return explanation === null ? missing("call") : well(explanationShown(explanation))
    },
  },
  {
    name: "campaigns why",
    arguments: ["CAMPAIGN"],
    options: {},
    meaning: "says why a campaign dials nothing, or not more, now; `store_ms` is how long one read takes from here",
    run: async (words, carillon) => {
      const asked = Effect.gen(function* () {
        const campaigns = yield* CampaignStore
        const campaign = yield* campaigns.locate(words.argument())
        if (campaign === null) return null
        const explainer = yield* Explainer
        const explanation = yield* explainer.explain(campaign)
        const lines = heldLinesShown(yield* explainer.lines(campaign.organization_id))
        // One read, now that the connection stands: about a round trip.
        const [read] = yield* Effect.timed(campaigns.locate(words.argument()))
        return { explanation, lines, store_ms: Math.round(Duration.toMillis(read)) }
      })
      const found = await carillon.run(asked)
      if (found === null) return missing("campaign")
      const { explanation, lines, store_ms } = found
      const { blocking, campaign_id, dialable, in_flight, inactive_agents, status } = explanation
      const reasons = blocking.map(({ contacts, reason, until }) => ({
        reason,
        contacts,
        until: until === null ? null : Timestamp.formatUtc(until),
      }))
      const agents = inactive_agents.map(({ agent_id }) => agent_id)
      const standing = { campaign_id, status, in_flight, dialable, blocking: reasons, inactive_agents: agents, lines }
      return well({ ...standing, store_ms })
    },
  },
]

/** Every command but `migrate`, which needs no engine. */
export const adminCommands: ReadonlyArray<AdminCommand> = [
  ...organizations,
  ...moveCommands,
  ...keys,
  ...numberCommands,
  ...platform,
  ...dialling,
  ...secrets,
  ...people,
  ...rowCommands,
  ...whys,
  ...webhookCommands,
  ...trailCommands,
]
