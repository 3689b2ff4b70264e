import { assert, describe, it } from "@effect/vitest"
import { limits } from "../../src/Limits.ts"
import { EmptyWallets } from "../../src/organizations/rules/EmptyWallets.ts"

const emptyAt = (now: number) => ({ since: now, lastAt: now, isTold: true })

describe("the empty wallets that a process remembers", () => {
  it("are bounded, and the one that was not asked for longest is forgotten first", () => {
    const wallets = new EmptyWallets()
    for (let nth = 0; nth < limits.emptyWallets; nth += 1) wallets.set(`o${nth}`, emptyAt(nth))
    wallets.set("o0", emptyAt(limits.emptyWallets))
    wallets.set("one more", emptyAt(limits.emptyWallets))
    assert.isNotNull(wallets.of("o0"))
    assert.isNull(wallets.of("o1"))
    assert.isNotNull(wallets.of("o2"))
  })

  it("count for a while after they were asked", () => {
    const wallets = new EmptyWallets()
    wallets.set("a", emptyAt(0))
    wallets.set("b", emptyAt(1_000))
    assert.strictEqual(wallets.lately(limits.emptyWalletKnownMs), 2)
    assert.strictEqual(wallets.lately(limits.emptyWalletKnownMs + 1), 1)
    wallets.forget("b")
    assert.strictEqual(wallets.lately(limits.emptyWalletKnownMs), 1)
  })
})
