import { expect } from "vitest"

const fastest = (work: () => void): number => {
  let ms = Infinity
  for (let run = 0; run < 3; run++) {
    const start = performance.now()
    work()
    ms = Math.min(ms, performance.now() - start)
  }
  return ms
}

/** Far above what a machine is late by, far below what a quadratic look comes to at sixteen times the size. */
const slackMs = 50

/**
 * Fails where sixteen times the input takes much more than sixteen times as long: a quadratic look takes 256 times. The work is
 * measured against itself, so the machine may be slow.
 */
export const expectLinear = (size: number, work: (size: number) => () => void): void => {
  const [small, large] = [work(size), work(16 * size)]
  expect(fastest(large)).toBeLessThan(48 * fastest(small) + slackMs)
}
