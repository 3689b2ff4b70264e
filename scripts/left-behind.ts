import { afterAll, assert, beforeAll } from "vitest"

/** Test files share a process, so what one of them leaves there meets the others: a handler that ends the process, for example. */
const events = ["SIGTERM", "SIGINT", "SIGHUP", "uncaughtException", "unhandledRejection", "message", "disconnect"]

const standing = () => events.flatMap((event) => process.rawListeners(event).map((listener) => ({ event, listener })))

let before: ReturnType<typeof standing> = []

beforeAll(() => {
  before = standing()
})

afterAll(() => {
  const left = standing().filter(({ listener }) => !before.some((known) => known.listener === listener))
  assert.deepStrictEqual(
    left.map(({ event, listener }) => `${event}: ${listener.toString().slice(0, 200)}`),
    [],
    "A test file leaves a listener on the process that all test files share. Start what handles signals as a process of its own.",
  )
})
