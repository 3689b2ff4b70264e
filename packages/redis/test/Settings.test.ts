import { WrongSetting } from "@carillon/core/carrier"
import { RedisConnection } from "@carillon/redis"
import { assert, it } from "vitest"

it.each(["", "nope", "http://127.0.0.1:6379", "127.0.0.1:6379", undefined])("the address %o is refused", (asked) => {
  const url = asked as string
  assert.throws(() => RedisConnection.layer({ url }), WrongSetting, "url must be a redis:// or rediss:// address.")
})

it("an address is refused without the password in it", () => {
  const told = () => RedisConnection.layer({ url: "redi://user:hush@127.0.0.1" })
  assert.throws(told, WrongSetting)
  assert.throws(told, /^(?!.*hush)/)
})

it.each([0, -1, 0.5, Number.NaN, 60_001])("answers within %o ms are refused", (answerMs) => {
  assert.throws(() => RedisConnection.layer({ url: "rediss://cache:6380", answerMs }), WrongSetting, "answerMs")
})

it("what can be meant is taken", () => {
  assert.doesNotThrow(() => RedisConnection.layer({ url: "redis://user:hush@cache:6379/2", answerMs: 60_000 }))
})
