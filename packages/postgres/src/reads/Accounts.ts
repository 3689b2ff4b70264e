import type { ApiKey, Organization } from "@carillon/core"
import type {
  AccountStore,
  InboundAgent,
  KeyStore,
  NumberStore,
  PhoneNumber,
  Platform,
  Provider,
  ProviderStore,
  Purge,
} from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { rowOf, textOf, textsOf } from "../Documents.ts"
import { reading } from "../Failures.ts"
import { countOnNumbers } from "../queries/CountLines.ts"
import {
  apiKeys,
  calls,
  inboundAgents,
  organizations,
  phoneNumbers,
  platforms,
  providers,
  purges,
} from "../rows/Tables.ts"
import { detached } from "../Detached.ts"
import { gather } from "./Gather.ts"
import { newestFirst, pageOf, rowById, rowsAfter, rowWhere } from "./Rows.ts"
import { Where } from "./Where.ts"

const own = (organizationId: string): Where => new Where().is("organization_id", organizationId)

interface StoredOrganization {
  readonly id: string
  readonly row: Organization
  readonly revision: number
  readonly balance: number
}

const storedOrganization = "organization_id as id, row, revision, balance"

/** An organization as it stands after its debits. Those of an earlier release raised its revision, too, and left its document as it was. */
const standing = ({ balance, revision, row }: StoredOrganization): Organization => {
  const stored = rowOf(row)
  return { ...stored, revision, wallet: { ...stored.wallet, balance } }
}

const organizationIn = (sql: SqlClient.SqlClient) =>
  gather(detached(sql), textOf, (ids: ReadonlyArray<string>) =>
    reading(
      organizations.dependency,
      Effect.map(
        sql.unsafe<StoredOrganization>(
          `select ${storedOrganization} from carillon.organizations where organization_id = any($1::text[])`,
          [ids.map(textOf)],
        ),
        (found) => {
          const organizations = new Map(found.map((stored) => [stored.id, standing(stored)]))
          return (id: string): Organization | null => organizations.get(textOf(id)) ?? null
        },
      ),
    ),
  )

/** Organizations in the order of their ids. */
const organizationsAfter = (
  sql: SqlClient.SqlClient,
  after: string | null,
  limit: number,
): ReturnType<AccountStore["Service"]["organizations"]> => {
  const where = after === null ? new Where() : new Where().also("organization_id > ?", textOf(after))
  return reading(
    organizations.dependency,
    Effect.map(
      sql.unsafe<StoredOrganization>(
        `select ${storedOrganization} from carillon.organizations
         where ${where.text} order by organization_id limit ${Math.trunc(limit)}`,
        where.parameters,
      ),
      (found) => found.map(standing),
    ),
  )
}

/** The texts of the numbers of organizations in the order of their registration: those of one are one row. */
const numbersIn = (sql: SqlClient.SqlClient) =>
  gather(detached(sql), textOf, (ids: ReadonlyArray<string>) =>
    reading(
      phoneNumbers.dependency,
      Effect.map(
        sql.unsafe<{ readonly id: string; readonly texts: ReadonlyArray<string> }>(
          `select organization_id as id, json_agg(phone_number order by sequence) as texts
           from carillon.phone_numbers where organization_id = any($1::text[]) group by organization_id`,
          [ids.map(textOf)],
        ),
        (found) => {
          const numbers = new Map(found.map(({ id, texts }) => [id, texts]))
          return (id: string): ReadonlyArray<string> => numbers.get(textOf(id)) ?? []
        },
      ),
    ),
  )

/** How many numbers organizations have. */
const numberCountIn = (sql: SqlClient.SqlClient) =>
  gather(detached(sql), textOf, (ids: ReadonlyArray<string>) =>
    reading(
      phoneNumbers.dependency,
      Effect.map(
        sql.unsafe<{ readonly id: string; readonly count: number }>(
          "select organization_id as id, count(*)::integer as count from carillon.phone_numbers where organization_id = any($1::text[]) group by organization_id",
          [ids.map(textOf)],
        ),
        (found) => {
          const counts = new Map(found.map(({ count, id }) => [id, count]))
          return (id: string): number => counts.get(textOf(id)) ?? 0
        },
      ),
    ),
  )

interface NumbersFrom {
  readonly organizationId: string
  readonly first: number
  readonly limit: number
}

const numbersFromName = ({ first, limit, organizationId }: NumbersFrom): string =>
  `${first} ${limit} ${textOf(organizationId)}`

/** Some of the numbers of organizations, by the index of that order. */
const numbersFromIn = (sql: SqlClient.SqlClient) =>
  gather(detached(sql), numbersFromName, (asked: ReadonlyArray<NumbersFrom>) =>
    reading(
      phoneNumbers.dependency,
      Effect.map(
        sql.unsafe<{ readonly nth: number; readonly row: PhoneNumber }>(
          `select nth::integer as nth, row
           from unnest($1::text[], $2::integer[], $3::integer[]) with ordinality as r(id, first_row, most, nth)
           cross join lateral (
             select sequence, row from carillon.phone_numbers
             where organization_id = r.id order by sequence offset r.first_row limit r.most
           ) as numbers
           order by nth, sequence`,
          [
            asked.map(({ organizationId }) => textOf(organizationId)),
            asked.map(({ first }) => first),
            asked.map(({ limit }) => limit),
          ],
        ),
        (found) => {
          const rows = Map.groupBy(found, ({ nth }) => nth)
          const numbers = new Map(
            asked.map((one, index) => [
              numbersFromName(one),
              (rows.get(index + 1) ?? []).map(({ row }): PhoneNumber => rowOf(row)),
            ]),
          )
          return (one: NumbersFrom): ReadonlyArray<PhoneNumber> => numbers.get(numbersFromName(one)) ?? []
        },
      ),
    ),
  )

interface NumberOf {
  readonly organizationId: string
  readonly phoneNumber: string
}

const numberName = ({ organizationId, phoneNumber }: NumberOf): string =>
  `${textOf(organizationId)} ${textOf(phoneNumber)}`

/** Numbers by their texts: a campaign may name thousands, and every dial rests on one. */
const numberIn = (sql: SqlClient.SqlClient) =>
  gather(detached(sql), numberName, (asked: ReadonlyArray<NumberOf>) =>
    reading(
      phoneNumbers.dependency,
      Effect.map(
        sql.unsafe<{ readonly organization_id: string; readonly phone_number: string; readonly row: PhoneNumber }>(
          `select organization_id, phone_number, row from carillon.phone_numbers
           join unnest($1::text[], $2::text[]) as r(organization_id, phone_number) using (organization_id, phone_number)`,
          [
            asked.map(({ organizationId }) => textOf(organizationId)),
            asked.map(({ phoneNumber }) => textOf(phoneNumber)),
          ],
        ),
        (found) => {
          const numbers = new Map(
            found.map(({ organization_id, phone_number, row }) => [`${organization_id} ${phone_number}`, rowOf(row)]),
          )
          return (one: NumberOf): PhoneNumber | null => numbers.get(numberName(one)) ?? null
        },
      ),
    ),
  )

export const makeAccountStore = (sql: SqlClient.SqlClient): AccountStore["Service"] => {
  const number = numberIn(sql)
  const numbersFrom = numbersFromIn(sql)
  return {
    organization: organizationIn(sql),
    organizations: (after, limit) => organizationsAfter(sql, after, limit),
    platform: reading(platforms.dependency, rowWhere<Platform>(sql, platforms.name, new Where())),
    purge: rowById<Purge>(sql, purges),
    number: (organizationId, phoneNumber) => number({ organizationId, phoneNumber }),
    numbers: numbersIn(sql),
    numberCount: numberCountIn(sql),
    numbersFrom: (organizationId, first, limit) => numbersFrom({ organizationId, first, limit }),
  }
}

export const makeNumberStore = (sql: SqlClient.SqlClient): NumberStore["Service"] => ({
  find: (organizationId, phoneNumberId) =>
    reading(
      phoneNumbers.dependency,
      rowWhere<PhoneNumber>(sql, phoneNumbers.name, own(organizationId).is("phone_number_id", phoneNumberId)),
    ),
  page: (organizationId, page) => pageOf<PhoneNumber>(sql, phoneNumbers, own(organizationId), newestFirst, page),
  holders: (numbers) =>
    reading(
      phoneNumbers.dependency,
      Effect.map(
        sql.unsafe<{ readonly organization_id: string; readonly phone_number: string }>(
          "select organization_id, phone_number from carillon.phone_numbers where phone_number = any($1::text[])",
          [textsOf(numbers)],
        ),
        (found) => {
          const holders = Map.groupBy(found, ({ phone_number }) => phone_number)
          return numbers.map((number) =>
            (holders.get(textOf(number)) ?? []).map(({ organization_id }) => organization_id),
          )
        },
      ),
    ),
  live: (organizationId, numbers) => reading(calls.dependency, countOnNumbers(sql, organizationId, numbers)),
  binding: (organizationId, inboundAgentId) =>
    reading(
      inboundAgents.dependency,
      rowWhere<InboundAgent>(sql, inboundAgents.name, own(organizationId).is("inbound_agent_id", inboundAgentId)),
    ),
  bindingOf: (organizationId, phoneNumberId) =>
    reading(
      inboundAgents.dependency,
      rowWhere<InboundAgent>(sql, inboundAgents.name, own(organizationId).is("phone_number_id", phoneNumberId)),
    ),
  bindings: (organizationId, page) => pageOf<InboundAgent>(sql, inboundAgents, own(organizationId), newestFirst, page),
})

export const makeProviderStore = (sql: SqlClient.SqlClient): ProviderStore["Service"] => ({
  find: (organizationId, providerName) =>
    reading(
      providers.dependency,
      rowWhere<Provider>(sql, providers.name, own(organizationId).is("provider_name", providerName)),
    ),
  page: (organizationId, page) => pageOf<Provider>(sql, providers, own(organizationId), newestFirst, page),
  after: (organizationId, after, limit) =>
    reading(
      providers.dependency,
      rowsAfter<Provider>(sql, providers, own(organizationId), after === null ? null : textOf(after), limit),
    ),
})

export const makeKeyStore = (sql: SqlClient.SqlClient): KeyStore["Service"] => ({
  // Anybody may name a key, so look-ups share statements: a flood of keys that nobody knows has the connections of two of them.
  findByHash: rowById<ApiKey>(sql, { ...apiKeys, id: "hash" }),
  find: (organizationId, keyId) =>
    reading(apiKeys.dependency, rowWhere<ApiKey>(sql, apiKeys.name, own(organizationId).is("key_id", keyId))),
  page: (organizationId, page) => pageOf<ApiKey>(sql, apiKeys, own(organizationId), newestFirst, page),
})
