import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hash128Hex, hash32, hashText, unit } from "../../src/engine/rules/Hash.ts"

const part = fc.oneof(fc.string({ maxLength: 12 }), fc.integer(), fc.double({ noNaN: true }))
const parts = fc.array(part, { maxLength: 5 })

/** How many standard deviations a chi-square sum lies above its mean. */
const deviation = (chiSquare: number, degrees: number): number => (chiSquare - degrees) / Math.sqrt(2 * degrees)

const uniformity = (counts: ReadonlyArray<number>): number => {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length
  const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  return deviation(chiSquare, counts.length - 1)
}

const tally = (size: number, samples: number, bucketOf: (sample: number) => number): Array<number> => {
  const counts = Array.from({ length: size }, () => 0)
  for (let sample = 0; sample < samples; sample++) counts[bucketOf(sample)]! += 1
  return counts
}

/** Ids and chances of every simulated world hang on these: they may never change. */
const golden = {
  words: [3337767450, 2191593350, 3569336900, 2536952687, 4208025091],
  hex: "3135b2c1075f3502f2c24e570ba979d4",
  text: "1pcbkr28dyn3qjk4csme",
  unit: 0.1922256203651167,
}

const sameTypes = (one: ReadonlyArray<string | number>, other: ReadonlyArray<string | number>): boolean =>
  one.length === other.length && one.every((value, index) => typeof value === typeof other[index])

describe("hash32", () => {
  it("gives the same words on every platform", () => {
    expect([hash32(), hash32(""), hash32("a"), hash32("exec_1", 42), hash32(0.1, "größe", -1)]).toEqual(golden.words)
    expect(hash128Hex("seed", 1)).toBe(golden.hex)
    expect(hashText(20, "seed", 1)).toBe(golden.text)
    expect(unit("seed", 1)).toBe(golden.unit)
  })

  it("is a uint32", () => {
    fc.assert(
      fc.property(parts, (key) => {
        const word = hash32(...key)
        expect(word).toBe(word >>> 0)
      }),
    )
  })

  it("takes the split into parts and their types into account", () => {
    const alike: ReadonlyArray<ReadonlyArray<string | number>> = [
      ["a", "bc"],
      ["ab", "c"],
      ["abc"],
      ["abc", ""],
      ["", "abc"],
      ["", "", "abc"],
      [1],
      ["1"],
      [1, 0],
      [0, 1],
      [10],
      [],
      [""],
      ["\u0000"],
      ["\u0000\u0000"],
      ["a\u0000"],
      ["a"],
    ]
    expect(new Set(alike.map((key) => hash32(...key))).size).toBe(alike.length)
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const same = JSON.stringify(one.map(String)) === JSON.stringify(other.map(String)) && sameTypes(one, other)
        expect(hash128Hex(...one) === hash128Hex(...other)).toBe(same)
      }),
      { numRuns: 2000 },
    )
  })

  it("does not tell 0 from -0", () => {
    expect(hash32(-0)).toBe(hash32(0))
  })

  it("flips every output bit with probability one half, whichever input bit changes", () => {
    const samples = 1500
    for (const length of [2, 3, 8, 21]) {
      const inputBits = length * 7
      const flips = Array.from({ length: inputBits * 32 }, () => 0)
      for (let sample = 0; sample < samples; sample++) {
        const codes = Array.from({ length }, (_, index) => hash32("input", length, sample, index) & 127)
        const base = hash32(String.fromCharCode(...codes))
        for (let bit = 0; bit < inputBits; bit += length > 8 ? 5 : 1) {
          const flipped = codes.map((code, index) => (index === Math.floor(bit / 7) ? code ^ (1 << (bit % 7)) : code))
          const difference = base ^ hash32(String.fromCharCode(...flipped))
          for (let out = 0; out < 32; out++) flips[bit * 32 + out]! += (difference >>> out) & 1
        }
      }
      const cells = flips.filter((count) => count > 0)
      const chiSquare = cells.reduce((sum, count) => sum + (count - samples / 2) ** 2 / (samples / 4), 0)
      expect(Math.abs(deviation(chiSquare, cells.length))).toBeLessThan(5)
      for (const count of cells) expect(Math.abs(count / samples - 0.5)).toBeLessThan(0.1)
    }
  })

  it("spreads counters and near-equal keys evenly over any number of buckets", () => {
    for (const size of [2, 7, 64, 1000, 10_000]) {
      const samples = size * 20
      expect(uniformity(tally(size, samples, (n) => hash32("exec", n) % size))).toBeLessThan(5)
      expect(uniformity(tally(size, samples, (n) => hash32(`exec_${n}`) % size))).toBeLessThan(5)
      expect(
        uniformity(tally(size, samples, (n) => hash32("ver", `+1555${String(n).padStart(7, "0")}`) % size)),
      ).toBeLessThan(5)
      expect(uniformity(tally(size, samples, (n) => hash32(n, "ver") % size))).toBeLessThan(5)
    }
  })

  it("has no more collisions than chance", () => {
    const samples = 200_000
    const seen = new Set<number>()
    for (let n = 0; n < samples; n++) seen.add(hash32("seed", n >> 8, n & 255))
    // 4.7 are expected; 20 would come by chance once in a hundred million keys.
    expect(samples - seen.size).toBeLessThan(20)
  })

  it("is uncorrelated between neighbouring keys", () => {
    const size = 32
    const counts = tally(size * size, 40_000, (n) => (hash32("n", n) % size) * size + (hash32("n", n + 1) % size))
    expect(uniformity(counts)).toBeLessThan(5)
  })
})

describe("unit", () => {
  it("lies in [0, 1) and fills it evenly", () => {
    const counts = tally(1000, 50_000, (n) => {
      const draw = unit("mix", 7, n)
      expect(draw >= 0 && draw < 1).toBe(true)
      return Math.floor(draw * 1000)
    })
    expect(uniformity(counts)).toBeLessThan(5)
  })

  it("carries more than 32 bits", () => {
    const fine = new Set(Array.from({ length: 2000 }, (_, n) => (unit(n) * 2 ** 53) % 2 ** 21))
    expect(fine.size).toBeGreaterThan(1980)
  })
})

describe("hashText", () => {
  it("is URL-safe lowercase text of the asked length, and a longer one begins with the shorter", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), parts, (length, key) => {
        const text = hashText(length, ...key)
        expect(text).toMatch(/^[0-9a-hjkmnp-tv-z]*$/)
        expect(text).toHaveLength(length)
        expect(hashText(length + 9, ...key).startsWith(text)).toBe(true)
      }),
    )
  })

  it("uses every character evenly at every place", () => {
    const texts = Array.from({ length: 6400 }, (_, n) => hashText(20, "seed", n))
    for (let place = 0; place < 20; place++) {
      const counts = new Map<string, number>()
      for (const text of texts) counts.set(text[place]!, (counts.get(text[place]!) ?? 0) + 1)
      expect(counts.size).toBe(32)
      expect(uniformity([...counts.values()])).toBeLessThan(5)
    }
  })

  it("does not repeat over many keys, and depends on the seed", () => {
    const one = Array.from({ length: 50_000 }, (_, n) => hashText(20, 1, "execution", n))
    const other = Array.from({ length: 50_000 }, (_, n) => hashText(20, 2, "execution", n))
    expect(new Set([...one, ...other]).size).toBe(100_000)
  })
})
