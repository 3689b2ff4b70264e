import * as Pglite from "@carillon/postgres/pglite"
import { Effect, Exit, Layer, Scope } from "effect"
import { afterAll } from "vitest"
import { everySuite } from "./Suites.ts"

// One database for all suites: starting it takes far longer than any of them.
const scope = Scope.makeUnsafe()
const ports = Effect.runPromise(Layer.buildWithScope(Pglite.layer("memory://"), scope))
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

everySuite("on PGlite", () => Layer.effectContext(Effect.promise(() => ports)))
