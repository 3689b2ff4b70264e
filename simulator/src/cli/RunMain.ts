import { Runtime } from "effect"

/**
 * Runs an effect as the program of this process: an interrupt from the keyboard or a request to end interrupts it, and `teardown` says what the
 * process ends with.
 */
export const runMain = Runtime.makeRunMain(({ fiber, teardown }) => {
  let wasTold = false
  const interrupt = () => {
    wasTold = true
    fiber.interruptUnsafe(fiber.id)
  }
  const signals = ["SIGINT", "SIGTERM"] as const
  for (const signal of signals) process.on(signal, interrupt)
  fiber.addObserver((exit) => {
    for (const signal of signals) process.off(signal, interrupt)
    teardown(exit, (code) => {
      // Where nobody told it to end, what is still under way may end by itself.
      if (wasTold || code !== 0) process.exit(code)
    })
  })
})
