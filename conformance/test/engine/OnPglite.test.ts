import { afterAll } from "vitest"
import { newPglite } from "../../../scripts/servers/PgliteDirectory.ts"
import { embeddedFolders, durableLimitMs } from "./Durable.ts"
import { describeEngineOn } from "./Judged.ts"

const { directory, remove } = await newPglite()

afterAll(remove)

const world = { storage: `pglite:${directory}`, counters: `pglite:${directory}` } as const

describeEngineOn("the engine with its rows and counters in PGlite", world, embeddedFolders, durableLimitMs)
