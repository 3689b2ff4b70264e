import type { Report } from "../run/Report.ts"
import { escapeXml } from "./Xml.ts"

const charWidth = 6.6
const padding = 12

const colours = { holds: "#2d7d46", fails: "#b3261e", "nothing-ran": "#6b6b6b", "harness-fault": "#7a3e9d" } as const

/** What was held of the extensions: those that are not offered count as nothing held. */
const extensionText = ({ extensions }: Report): string => {
  if (extensions === undefined) return ""
  const sum = (field: "held" | "of") => extensions.reduce((all, each) => all + each[field], 0)
  return ` ext ${sum("held")}/${sum("of")}`
}

/** What a badge says: `v2-2026.1 L2 214/230`, and ` ext 80/95` where extensions were judged. */
export const badgeText = (report: Report): string => {
  const held = report.levels.reduce((sum, level) => sum + level.held, 0)
  const of = report.levels.reduce((sum, level) => sum + level.of, 0)
  return `${report.revision} ${report.reached === null ? "–" : `L${report.reached}`} ${held}/${of}${extensionText(report)}`
}

/** The result of a run as a small SVG image. */
export const badge = (report: Report): string => {
  const label = "conformance"
  const text = badgeText(report)
  const left = Math.round(label.length * charWidth + padding)
  const right = Math.round(text.length * charWidth + padding)
  const title = escapeXml(`${label}: ${text}`)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${title}">
<title>${title}</title>
<rect width="${left}" height="20" fill="#444"/>
<rect x="${left}" width="${right}" height="20" fill="${colours[report.outcome]}"/>
<g fill="#fff" font-family="Verdana,Geneva,sans-serif" font-size="11" text-anchor="middle">
<text x="${left / 2}" y="14">${escapeXml(label)}</text>
<text x="${left + right / 2}" y="14">${escapeXml(text)}</text>
</g>
</svg>
`
}
