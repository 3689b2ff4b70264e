export {
  clearContents,
  clearCounters,
  type Contents,
  readContents,
  type StoredEntry,
  type StoredGuard,
} from "./Contents.ts"
export * as Migrations from "./Migrations.ts"
export * as PostgresSlots from "./PostgresSlots.ts"
export * as PostgresRates from "./PostgresRates.ts"
export * as Postgres from "./Postgres.ts"
