import type {
  AccountStore,
  ApiKey,
  InboundAgent,
  KeyStore,
  NumberStore,
  Organization,
  PhoneNumber,
  Platform,
  Provider,
  ProviderStore,
} from "@carillon/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { rowOf } from "../Documents.ts"
import { reading } from "../Failures.ts"
import { countOnNumbers } from "../queries/CountLines.ts"
import { apiKeys, inboundAgents, phoneNumbers, platforms, providers } from "../rows/Tables.ts"
import { newestFirst, pageOf, rowsOf, rowWhere } from "./Rows.ts"
import { Where } from "./Where.ts"

const own = (organizationId: string): Where => new Where().is("organization_id", organizationId)

/** An organization as it stands after its debits, which change its balance and its revision and nothing else. */
const organizationOf = (sql: SqlClient.SqlClient, organizationId: string) =>
  Effect.map(
    sql.unsafe<{ readonly row: Organization; readonly revision: number; readonly balance: number }>(
      "select row, revision, balance from carillon.organizations where organization_id = $1",
      [organizationId],
    ),
    ([found]): Organization | null => {
      if (found === undefined) return null
      const row = rowOf(found.row)
      return { ...row, revision: found.revision, wallet: { ...row.wallet, balance: found.balance } }
    },
  )

export const makeAccountStore = (sql: SqlClient.SqlClient): AccountStore["Service"] => ({
  organization: (organizationId) => reading("account_service", organizationOf(sql, organizationId)),
  platform: reading("account_service", rowWhere<Platform>(sql, platforms.name, new Where())),
  number: (organizationId, phoneNumber) =>
    reading(
      "account_service",
      rowWhere<PhoneNumber>(sql, phoneNumbers.name, own(organizationId).is("phone_number", phoneNumber)),
    ),
  numbers: (organizationId) =>
    reading("account_service", rowsOf<PhoneNumber>(sql, phoneNumbers.name, own(organizationId), "sequence")),
})

export const makeNumberStore = (sql: SqlClient.SqlClient): NumberStore["Service"] => ({
  find: (organizationId, phoneNumberId) =>
    reading(
      "account_service",
      rowWhere<PhoneNumber>(sql, phoneNumbers.name, own(organizationId).is("phone_number_id", phoneNumberId)),
    ),
  page: (organizationId, page) =>
    reading("account_service", pageOf<PhoneNumber>(sql, phoneNumbers.name, own(organizationId), newestFirst, page)),
  live: (organizationId, numbers) => reading("call_storage", countOnNumbers(sql, organizationId, numbers)),
  binding: (organizationId, inboundAgentId) =>
    reading(
      "account_service",
      rowWhere<InboundAgent>(sql, inboundAgents.name, own(organizationId).is("inbound_agent_id", inboundAgentId)),
    ),
  bindingOf: (organizationId, phoneNumberId) =>
    reading(
      "account_service",
      rowWhere<InboundAgent>(sql, inboundAgents.name, own(organizationId).is("phone_number_id", phoneNumberId)),
    ),
  bindings: (organizationId, page) =>
    reading("account_service", pageOf<InboundAgent>(sql, inboundAgents.name, own(organizationId), newestFirst, page)),
})

export const makeProviderStore = (sql: SqlClient.SqlClient): ProviderStore["Service"] => ({
  find: (organizationId, providerName) =>
    reading(
      "account_service",
      rowWhere<Provider>(sql, providers.name, own(organizationId).is("provider_name", providerName)),
    ),
  page: (organizationId, page) =>
    reading("account_service", pageOf<Provider>(sql, providers.name, own(organizationId), newestFirst, page)),
})

export const makeKeyStore = (sql: SqlClient.SqlClient): KeyStore["Service"] => ({
  findByHash: (hash) => reading("api_key_store", rowWhere<ApiKey>(sql, apiKeys.name, new Where().is("hash", hash))),
  find: (organizationId, keyId) =>
    reading("api_key_store", rowWhere<ApiKey>(sql, apiKeys.name, own(organizationId).is("key_id", keyId))),
  page: (organizationId, page) =>
    reading("api_key_store", pageOf<ApiKey>(sql, apiKeys.name, own(organizationId), newestFirst, page)),
})
