import { RateStoreSuite } from "@carillon/core/testing"
import { rates } from "./Counters.ts"
import { onRedis } from "./RedisServer.ts"

onRedis("the rate counters on Redis", () => RateStoreSuite.suite("RateStore on Redis", rates))
