import { SlotDifferentialSuite } from "@carillon/core/testing"
import { slots } from "./Counters.ts"
import { onRedis } from "./RedisServer.ts"

onRedis("one script in memory and on Redis", () =>
  SlotDifferentialSuite.suite("SlotStore on Redis", slots, { numRuns: 30 }),
)
