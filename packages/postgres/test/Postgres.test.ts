import { Postgres } from "@carillon/postgres"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { afterAll, it } from "vitest"
import { startServer } from "./Server.ts"
import { everySuite } from "./Suites.ts"

const server = await startServer()

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  const scope = Scope.makeUnsafe()
  const ports = Effect.runPromise(Layer.buildWithScope(Postgres.layer({ url: Redacted.make(server.url()) }), scope))
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await server.stop()
  })
  everySuite(`on ${server.version}`, () => Layer.effectContext(Effect.promise(() => ports)))
}
