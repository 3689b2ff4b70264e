import { expect } from "vitest"

/** CPU time of this thread and not the clock's: what else the machine does meanwhile, and who compiles or collects, does not count. */
const cpuMs = (work: () => void): number => {
  const before = process.threadCpuUsage()
  work()
  const { system, user } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Rounds in which the work may show that it is linear; what is not never does. */
const rounds = 5

/** Together they are as long as the large one, where the work is linear: a clock of whole milliseconds would take one of them alone for nothing. */
const smallTimes = 16

/** What is linear takes about as long as they do together, what is quadratic sixteen times as long. */
const muchMore = 3

/** Far above what a collection of garbage takes, far below what a quadratic look comes to at sixteen times the size. */
const slackMs = 50

/**
 * Fails where sixteen times the input takes much more than sixteen times as much work: a quadratic look takes 256 times. The work is
 * measured against itself, so the machine may be slow or busy.
 */
export const expectLinear = (size: number, work: (size: number) => () => void): void => {
  const [small, large] = [work(size), work(16 * size)]
  // The first time is compiled for.
  small()
  let [fewest, most] = [Infinity, Infinity]
  for (let round = 0; round < rounds; round++) {
    const each = Array.from({ length: smallTimes }, () => cpuMs(small))
    // One that took long says nothing of the others.
    const together = each.reduce((sum, ms) => sum + ms, 0) - Math.max(...each)
    fewest = Math.min(fewest, together)
    most = Math.min(most, cpuMs(large))
    if (most < muchMore * fewest + slackMs) return
  }
  expect(most, "CPU milliseconds for sixteen times the size").toBeLessThan(muchMore * fewest + slackMs)
}
