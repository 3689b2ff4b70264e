import type { Report } from "../run/Report.ts"
import { badge } from "./Badge.ts"
import { coverage } from "./CoverageMap.ts"
import { html } from "./Html.ts"
import { junit } from "./JUnit.ts"
import { tap } from "./Tap.ts"

/** The forms in which a report can be written. */
export const formats = ["json", "junit", "tap", "html", "coverage", "badge"] as const

/** One of the forms. */
export type Format = (typeof formats)[number]

/** The report in one of its forms. */
export const render = (report: Report, format: Format): string => {
  switch (format) {
    case "json":
      return `${JSON.stringify(report, null, 2)}\n`
    case "junit":
      return junit(report)
    case "tap":
      return tap(report)
    case "html":
      return html(report)
    case "coverage":
      return coverage(report)
    case "badge":
      return badge(report)
  }
}
