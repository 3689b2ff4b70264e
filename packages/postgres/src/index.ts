export { clearContents, type Contents, readContents, type StoredEntry } from "./Contents.ts"
export * as Migrations from "./Migrations.ts"
export * as PostgresRates from "./PostgresRates.ts"
export * as Postgres from "./Postgres.ts"
