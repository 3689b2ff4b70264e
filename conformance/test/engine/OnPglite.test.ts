import { embeddedFolders, durableLimitMs } from "./Durable.ts"
import { describeEngineOn } from "./Judged.ts"

const world = { storage: "pglite:memory://", counters: "pglite:memory://" } as const

describeEngineOn("the engine with its rows and counters in PGlite", world, embeddedFolders, durableLimitMs)
