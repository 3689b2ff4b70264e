import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Conditions, Measured, Result } from "./Harness.ts"

const rounded = (value: number): string => Math.round(value).toLocaleString("en-US")

/** The figures of one comparison as a table for the terminal. */
export const table = ({ title, reference, figures, notes }: Result): string => {
  const rows = figures.map((figure) => [
    figure.contender,
    rounded(figure.operationsPerSecond),
    rounded(figure.operationsPerCpuSecond),
    figure.bytesPerOperation === null ? "" : rounded(figure.bytesPerOperation),
    `${figure.ratio.toFixed(2)} ×`,
    figure.errors === 0 ? "" : `${figure.errors} errors`,
  ])
  const header = ["", "per second", "per CPU second", "bytes each", `against ${reference}`, ""]
  const widths = header.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
  const lines = [header, ...rows].map((row) => `  ${line(row)}`.trimEnd())
  return [title, ...lines, ...notes.map((note) => `  ${note}`), ""].join("\n")
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
    for (const { bytesPerOperation, contender, operationsPerSecond, ratio } of figures) {
      const figure =
        bytesPerOperation === null ? `${rounded(operationsPerSecond)}/s` : `${rounded(bytesPerOperation)} bytes`
      const length = Math.max(1, (ratio / most) * (width - left - 150))
      lines.push(
        `<text x="${left - 8}" y="${y + 13}" text-anchor="end">${escaped(contender)}</text>`,
        `<rect x="${left}" y="${y + 2}" width="${length.toFixed(1)}" height="14" rx="2" fill="#4c78a8"/>`,
        `<text x="${left + length + 6}" y="${y + 13}">${ratio.toFixed(2)} × (${figure})</text>`,
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

/** A bar for the median of each span, a thin one for its 95th percentile, and a mark at its longest; in seconds. */
export const spansChart = (title: string, spans: ReadonlyArray<Span>): string => {
  const most = Math.max(1, ...spans.map((span) => span.most).filter(Number.isFinite))
  const x = (ms: number) => (Math.min(ms, most) / most) * (width - spansLeft - 70)
  const rows = spans.flatMap(({ median, most: longest, name, p95 }, nth) => {
    const y = 28 + nth * barHeight
    const label = Number.isFinite(longest) ? `${(longest / 1_000).toFixed(1)} s` : "never"
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
