/** A picture of two measurements side by side. */
import type { Summary } from "./Summary.ts"

/** A measurement from before readings were judged has nothing of them. */
type Figures = Pick<Summary, "mutants" | "killed" | "other" | "survived" | "rate"> & Partial<Pick<Summary, "readings">>

const width = 720
const left = 150
const barHeight = 22
const gap = 10

const parts: ReadonlyArray<readonly [name: "killed" | "other" | "survived", color: string, says: string]> = [
  ["killed", "#4c78a8", "killed by a check of their own clause"],
  ["other", "#f2cf5b", "seen only by checks of other clauses"],
  ["survived", "#e45756", "not seen"],
]

/** Each measurement as one bar of a hundred per cent: killed, seen elsewhere, not seen. */
export const picture = (measured: ReadonlyArray<readonly [name: string, figures: Figures]>): string => {
  const whole = width - left - 20
  const bars = measured.flatMap(([name, figures], nth) => {
    const y = 34 + nth * (barHeight + gap)
    let x = left
    const segments = parts.map(([part, color]) => {
      const length = (figures[part] / figures.mutants) * whole
      const segment = `<rect x="${x.toFixed(1)}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" fill="${color}"/>`
      x += length
      return segment
    })
    return [
      `<text x="${left - 8}" y="${y + 15}" text-anchor="end">${name}</text>`,
      ...segments,
      `<text x="${left + 8}" y="${y + 15}" fill="white">${figures.rate} %</text>`,
    ]
  })
  const bottom = 34 + measured.length * (barHeight + gap)
  const legend = parts.map(([, color, says], nth) => {
    const x = 8 + nth * 240
    return `<rect x="${x}" y="${bottom + 6}" width="12" height="12" fill="${color}"/><text x="${x + 18}" y="${bottom + 16}">${says}</text>`
  })
  const readings = measured.at(-1)?.[1].readings ?? null
  const below =
    readings === null
      ? []
      : [
          `<text x="8" y="${bottom + 40}">readings judged without a profile: ${readings.judged}, false failures: ${readings.falseFailures.length}</text>`,
        ]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${bottom + 30 + 24 * below.length}" font-family="system-ui, sans-serif" font-size="11">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    `<text x="8" y="20" font-size="14">What the conformance suite sees of ${measured[0]?.[1].mutants ?? 0} mutants</text>`,
    ...bars,
    ...legend,
    ...below,
    `</svg>`,
    "",
  ].join("\n")
}
