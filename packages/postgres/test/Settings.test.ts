import { WrongSetting } from "@carillon/core/carrier"
import { Postgres } from "@carillon/postgres"
import { Redacted } from "effect"
import { assert, it } from "vitest"

const url = Redacted.make("postgres://nobody@127.0.0.1:1/none")

it.each([0, -1, 1.5, Number.NaN, Infinity, "5"])(
  "a pool of %o connections is refused, and nothing waits for it",
  (asked) => {
    const maxConnections = asked as number
    assert.throws(() => Postgres.layer({ url, maxConnections }), WrongSetting, "maxConnections")
    assert.throws(() => Postgres.layerClient({ url, maxConnections }), WrongSetting, "maxConnections")
  },
)

it("a pool of one is taken", () => {
  assert.doesNotThrow(() => Postgres.layer({ url, maxConnections: 1 }))
})
