import { Postgres } from "@carillon/postgres"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Redis } from "ioredis"
import type { Place } from "./Place.ts"

/** Something that goes wrong: how it begins, how it ends, and for how long it lasts. */
export interface Break {
  readonly name: string
  readonly seconds: number
  readonly begin: (place: Place) => void | Promise<void>
  readonly end: (place: Place) => void | Promise<void>
}

/** Runs statements on a connection of its own, which no line to the rows breaks. */
const onRows = ({ postgres }: Place, ...statements: ReadonlyArray<string>): Promise<void> => {
  const client = Postgres.layerClient({ url: Redacted.make(postgres.url()), maxConnections: 1 })
  const all = Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }),
  )
  return Effect.runPromise(Effect.provide(all, client))
}

const flush = async ({ redis }: Place): Promise<void> => {
  const client = new Redis(redis.url)
  await client.flushall()
  client.disconnect()
}

const minute = 60
/** Long enough for the rules that look at a minute or more. */
const minutes = 3 * minute

/** What an operator meets, one after the other. A full or a broken disk is not among them: that takes a disk of one's own. */
export const breaks: ReadonlyArray<Break> = [
  {
    name: "PostgreSQL killed",
    seconds: minute,
    begin: ({ postgres }) => postgres.kill(),
    end: ({ postgres }) => postgres.start(),
  },
  {
    name: "PostgreSQL answers nothing",
    seconds: minute,
    begin: ({ toRows }) => {
      toRows.swallowsAnswers = true
    },
    end: ({ toRows }) => {
      toRows.mend()
      toRows.breakAll()
    },
  },
  {
    name: "PostgreSQL 100 ms further away",
    seconds: minutes,
    begin: ({ toRows }) => {
      toRows.delayMs = 50
    },
    end: ({ toRows }) => toRows.mend(),
  },
  {
    name: "PostgreSQL read-only",
    seconds: minute,
    begin: (place) => onRows(place, "alter system set default_transaction_read_only = on", "select pg_reload_conf()"),
    end: (place) =>
      onRows(
        place,
        "set default_transaction_read_only = off",
        "alter system reset default_transaction_read_only",
        "select pg_reload_conf()",
      ),
  },
  { name: "Redis killed", seconds: minute, begin: ({ redis }) => redis.kill(), end: ({ redis }) => redis.start() },
  {
    name: "Redis answers nothing",
    seconds: minute,
    begin: ({ toCounters }) => {
      toCounters.swallowsAnswers = true
    },
    end: ({ toCounters }) => {
      toCounters.mend()
      toCounters.breakAll()
    },
  },
  { name: "Redis flushed", seconds: minute, begin: flush, end: () => undefined },
  {
    name: "Twilio cut off",
    seconds: minute,
    begin: ({ vendor }) => {
      vendor.weather = "away"
    },
    end: ({ vendor }) => {
      vendor.weather = "well"
    },
  },
  {
    name: "Twilio answers after six seconds",
    seconds: minute,
    begin: ({ vendor }) => {
      vendor.weather = "slow"
    },
    end: ({ vendor }) => {
      vendor.weather = "well"
    },
  },
  {
    name: "Twilio refuses the credentials (401)",
    seconds: minute,
    begin: ({ vendor }) => {
      vendor.weather = "revoked"
    },
    end: ({ vendor }) => {
      vendor.weather = "well"
    },
  },
  {
    name: "a proxy changes the address of Twilio's callbacks",
    seconds: minutes,
    begin: ({ vendor }) => {
      vendor.callbacks = "changed"
    },
    end: ({ vendor }) => {
      vendor.callbacks = "well"
    },
  },
  {
    name: "Twilio's callbacks do not arrive",
    seconds: minutes,
    begin: ({ vendor }) => {
      vendor.callbacks = "lost"
    },
    end: ({ vendor }) => {
      vendor.callbacks = "well"
    },
  },
  {
    name: "the endpoint of webhooks answers nothing",
    seconds: minutes,
    begin: ({ endpoint }) => {
      endpoint.hangs = true
    },
    end: ({ endpoint }) => {
      endpoint.hangs = false
    },
  },
  {
    name: "the clock of one process jumps ten minutes ahead",
    seconds: minute,
    begin: ({ engines }) => engines.signal(1, "SIGUSR2"),
    end: async ({ engines }) => {
      engines.signal(1, "SIGKILL")
      await engines.start(1)
    },
  },
  {
    name: "the process with the callbacks stopped",
    seconds: minute,
    begin: ({ engines }) => engines.signal(0, "SIGSTOP"),
    end: ({ engines }) => engines.signal(0, "SIGCONT"),
  },
  {
    name: "the process with the callbacks killed",
    seconds: minute,
    begin: ({ engines }) => engines.signal(0, "SIGKILL"),
    end: ({ engines }) => engines.start(0),
  },
  {
    name: "the other process killed",
    seconds: minute,
    begin: ({ engines }) => engines.signal(1, "SIGKILL"),
    end: ({ engines }) => engines.start(1),
  },
]
