import { expect, test } from "vitest"
import { compare, type Contender, type Round, warmUp } from "../src/Harness.ts"
import { unfit } from "../src/Record.ts"

const round = (cpuMs: number, more: Partial<Round> = {}): Round => ({
  operations: 100,
  wallMs: 2 * cpuMs,
  cpuMs,
  errors: 0,
  ...more,
})

/** A contender whose rounds cost so much, the last of them for ever; it notes that it ran. */
const playing = (
  name: string,
  costs: ReadonlyArray<number>,
  ran: Array<string> = [],
  more: Partial<Contender> = {},
): Contender => {
  let nth = 0
  return {
    name,
    round: async () => {
      ran.push(name)
      return round(costs[Math.min(nth++, costs.length - 1)] ?? 0)
    },
    ...more,
  }
}

const scenario = "tried"
const taken = { node: "", platform: "", cpu: "", cores: 2, at: "", load: 0.1 }

test("each warms up until its figure stands, and no longer", async () => {
  const [quick, slow] = await warmUp([playing("quick", [10]), playing("slow", [80, 40, 30, 20, 16, 12, 10])], {
    rounds: 40,
    ms: 60_000,
  })
  expect(quick).toMatchObject({ rounds: 6, steady: true })
  expect(slow).toMatchObject({ rounds: 10, steady: true, operations: 1_000 })
})

test("what never stands is given up at the bound, and it is said", async () => {
  const costs = Array.from({ length: 100 }, (_, nth) => 2 ** (20 - nth))
  expect(await warmUp([playing("falling", costs)], { rounds: 12, ms: 60_000 })).toMatchObject([
    { rounds: 12, steady: false },
  ])
})

test("it is not warm before as many operations as it needs", async () => {
  const [warm] = await warmUp([playing("steady", [10], [], { coldOperations: 2_000 })], { rounds: 40, ms: 60_000 })
  expect(warm).toMatchObject({ rounds: 20, steady: true })
})

test("who comes as it is does not warm up", async () => {
  const ran: Array<string> = []
  const [warm] = await warmUp([playing("soak", [10], ran, { asItIs: true })], { rounds: 40, ms: 60_000 })
  expect(warm).toEqual({ rounds: 0, operations: 0, steady: true })
  expect(ran).toEqual([])
})

test("the order alternates from round to round, and ratios are of the same round", async () => {
  const ran: Array<string> = []
  const contenders = [playing("a", [10], ran), playing("b", [20], ran)]
  const { figures } = await compare(scenario, { title: "", reference: "a", contenders }, { rounds: 3, scale: "small" })
  expect(ran.slice(2)).toEqual(["a", "b", "b", "a", "a", "b"])
  expect(figures.map(({ contender, cpuRatio, ratio }) => [contender, ratio, cpuRatio])).toEqual([
    ["a", 1, 1],
    ["b", 0.5, 0.5],
  ])
})

test("errors, other processes, a load and a small scale keep a result from being recorded", async () => {
  const wrong = { name: "wrong", round: async () => round(10, { errors: 1 }) }
  const result = async (contenders: ReadonlyArray<Contender>) => ({
    ...(await compare(scenario, { title: "t", reference: "a", contenders }, { rounds: 1, scale: "small" })),
    othersCores: 0,
  })
  const sound = await result([playing("a", [10]), { ...wrong, mayErr: true }])
  expect(unfit([sound], "usual", taken)).toEqual([])
  expect(unfit([sound], "small", taken)).toHaveLength(1)
  expect(unfit([sound], "usual", { ...taken, load: 3 })).toHaveLength(1)
  expect(unfit([{ ...sound, othersCores: 0.5 }], "usual", taken)).toEqual([expect.stringContaining("0.50 cores")])
  expect(unfit([await result([wrong])], "usual", taken)).toEqual(["t: 1 errors of wrong"])
})
