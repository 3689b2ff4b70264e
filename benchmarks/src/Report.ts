import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Conditions, Result } from "./Harness.ts"

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

/** Writes what a run has shown as data. */
export const writeData = (directory: string, run: string, data: object, conditions: Conditions) => {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, `${run}.json`), `${JSON.stringify({ conditions, ...data }, null, 2)}\n`)
}

/** Writes a scenario's results as data and as a picture. */
export const write = (directory: string, scenario: string, results: ReadonlyArray<Result>, conditions: Conditions) => {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, `${scenario}.json`), `${JSON.stringify({ conditions, results }, null, 2)}\n`)
  writeFileSync(join(directory, `${scenario}.svg`), chart(scenario, results))
}
