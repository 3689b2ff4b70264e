export * as Migrations from "./Migrations.ts"
export * as Postgres from "./Postgres.ts"
