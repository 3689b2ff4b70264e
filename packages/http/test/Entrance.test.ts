import { expect, it } from "vitest"
import { entrance } from "../src/Entrance.ts"

/** A door whose turns are ended by hand. */
const doorOf = (taken: number) => {
  let due: Array<() => void> = []
  const door = entrance(
    (turn) => void due.push(turn),
    { taken, ms: Infinity },
    () => 0,
  )
  const endTurn = () => {
    const now = due
    due = []
    // It never asks to be called twice, and not at all while there is nothing to wait for.
    expect(now.length).toBeLessThanOrEqual(1)
    for (const turn of now) turn()
    return now.length > 0
  }
  return { ...door, endTurn }
}

it("takes up whoever is known in turn, however many come of one, and of strangers as of one", () => {
  const { endTurn, enter, know } = doorOf(2)
  const done: Array<string> = []
  know("noisy", true)
  know("quiet", true)
  for (let nth = 0; nth < 100; nth++) enter("noisy", () => done.push("noisy"))
  for (let nth = 0; nth < 100; nth++) enter(`stranger ${nth}`, () => done.push("stranger"))
  enter("quiet", () => done.push("quiet"))
  // Two were taken at once; one more of each of the others at most comes before it.
  for (let turns = 0; turns < 3; turns++) endTurn()
  expect(done.indexOf("quiet")).toBeLessThan(5)
  expect(done.indexOf("quiet")).toBeGreaterThan(0)
  // Who is refused loses the place.
  know("noisy", false)
  while (endTurn());
  expect(done).toHaveLength(201)
})
