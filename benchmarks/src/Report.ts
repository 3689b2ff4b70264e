import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Figure, Measured, Result } from "./Harness.ts"
import type { Conditions } from "./Machine.ts"

const rounded = (value: number): string => Math.round(value).toLocaleString("en-US")

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`

/** What a figure is of, in its own unit. */
const shown = ({ bytesPerOperation, latency, operationsPerSecond }: Figure): string => {
  if (latency !== null) return `p50 ${ms(latency.p50)}, p99 ${ms(latency.p99)}`
  return bytesPerOperation === null ? `${rounded(operationsPerSecond)}/s` : `${rounded(bytesPerOperation)} bytes`
}

const warmUpOf = ({ warmUp: { operations, rounds, steady } }: Figure): string =>
  `${rounded(operations)} in ${rounds}${steady ? "" : ", not steady"}`

/** Rows under a header, each column as wide as its widest cell. */
export const columns = (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): ReadonlyArray<string> => {
  const widths = header.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)))
  return [header, ...rows].map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  )
}

/** The figures of one comparison as a table for the terminal. */
export const table = ({ title, reference, figures, notes, othersCores }: Result): string => {
  const header = ["", "", "per CPU second", `against ${reference}`, "by CPU", "spread", "warmed up by", ""]
  const rows = figures.map((figure) => [
    figure.contender,
    shown(figure),
    rounded(figure.operationsPerCpuSecond),
    `${figure.ratio.toFixed(2)} ×`,
    `${figure.cpuRatio.toFixed(2)} ×`,
    `${(figure.spread * 100).toFixed(0)} %`,
    warmUpOf(figure),
    figure.errors === 0 ? "" : `${figure.errors} errors`,
  ])
  const others = othersCores === null ? "unknown" : othersCores.toFixed(2)
  const lines = [...columns(header, rows), ...notes, `cores that others had meanwhile: ${others}`]
  return [title, ...lines.map((line) => `  ${line}`), ""].join("\n")
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const barHeight = 22
const left = 260
const width = 640

/** A bar chart of all comparisons of a scenario, each bar as a ratio against its reference. */
const chart = (scenario: string, results: ReadonlyArray<Result>): string => {
  const lines: Array<string> = []
  let y = 28
  for (const { figures, title } of results) {
    const most = Math.max(...figures.map(({ ratio }) => ratio))
    lines.push(`<text x="8" y="${y + 12}" font-weight="bold">${escaped(title)}</text>`)
    y += barHeight
    for (const figure of figures) {
      const { contender, ratio } = figure
      const length = Math.max(1, (ratio / most) * (width - left - 190))
      lines.push(
        `<text x="${left - 8}" y="${y + 13}" text-anchor="end">${escaped(contender)}</text>`,
        `<rect x="${left}" y="${y + 2}" width="${length.toFixed(1)}" height="14" rx="2" fill="#4c78a8"/>`,
        `<text x="${left + length + 6}" y="${y + 13}">${ratio.toFixed(2)} × (${escaped(shown(figure))})</text>`,
      )
      y += barHeight
    }
    y += 10
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    `<text x="8" y="18" font-size="14">${escaped(scenario)}</text>`,
    ...lines,
    `</svg>`,
    "",
  ].join("\n")
}

/** Writes what a run has shown as data and as a picture. */
export const writeRun = (directory: string, run: string, { data, picture }: Measured, conditions: Conditions) => {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, `${run}.json`), `${JSON.stringify({ conditions, ...data }, null, 2)}\n`)
  writeFileSync(join(directory, `${run}.svg`), picture)
}

/** A time that was measured several times. */
export interface Span {
  readonly name: string
  readonly median: number
  readonly p95: number
  readonly most: number
}

const spansLeft = 330

/** How the length of a span is written. */
const lengths = { s: (ms: number) => `${(ms / 1_000).toFixed(1)} s`, ms }

/** A bar for the median of each span, a thin one for its 95th percentile, and a mark at its longest. */
export const spansChart = (title: string, spans: ReadonlyArray<Span>, unit: keyof typeof lengths = "s"): string => {
  const most = Math.max(1, ...spans.map((span) => span.most).filter(Number.isFinite))
  const x = (ms: number) => (Math.min(ms, most) / most) * (width - spansLeft - 70)
  const rows = spans.flatMap(({ median, most: longest, name, p95 }, nth) => {
    const y = 28 + nth * barHeight
    const label = Number.isFinite(longest) ? lengths[unit](longest) : "never"
    return [
      `<text x="${spansLeft - 8}" y="${y + 13}" text-anchor="end">${escaped(name)}</text>`,
      `<rect x="${spansLeft}" y="${y + 7}" width="${x(p95).toFixed(1)}" height="4" fill="#9ecae9"/>`,
      `<rect x="${spansLeft}" y="${y + 2}" width="${x(median).toFixed(1)}" height="14" rx="2" fill="#4c78a8"/>`,
      `<rect x="${(spansLeft + x(longest)).toFixed(1)}" y="${y + 2}" width="2" height="14" fill="#4c78a8"/>`,
      `<text x="${(spansLeft + x(longest) + 6).toFixed(1)}" y="${y + 13}">${label}</text>`,
    ]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${34 + spans.length * barHeight}" font-family="system-ui, sans-serif" font-size="11">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    `<text x="8" y="18" font-size="14">${escaped(title)}</text>`,
    ...rows,
    `</svg>`,
    "",
  ].join("\n")
}

/** Writes a scenario's results as data and as a picture. */
export const write = (directory: string, scenario: string, results: ReadonlyArray<Result>, conditions: Conditions) => {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, `${scenario}.json`), `${JSON.stringify({ conditions, results }, null, 2)}\n`)
  writeFileSync(join(directory, `${scenario}.svg`), chart(scenario, results))
}
