import { SlotStoreSuite } from "@carillon/core/testing"
import { slots } from "./Counters.ts"
import { onRedis } from "./RedisServer.ts"

onRedis("the gate on Redis", () => SlotStoreSuite.suite("SlotStore on Redis", slots))
