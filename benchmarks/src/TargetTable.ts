import type { Result, Scale } from "./Harness.ts"
import { columns } from "./Report.ts"
import { type Target, targets } from "./Targets.ts"

const shown = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)))

/** How far a figure is: whether it has what is aimed at, or what must be, and the part of the latter that it has. */
export const reached = ({ aim, more, must }: Pick<Target, "aim" | "more" | "must">, measured: number): string => {
  const holds = (goal: number) => (more ? measured >= goal : measured <= goal)
  if (must === null) return ""
  if (aim !== null && holds(aim)) return "aim"
  return holds(must) ? "must" : `${(more ? measured / must : must / measured).toFixed(2)} × must`
}

/** What has to be said beside a figure of these results. */
const doubts = (results: ReadonlyArray<Result>): string => {
  const figures = results.flatMap((result) => result.figures)
  if (figures.some(({ errors, mayErr }) => errors > 0 && !mayErr)) return "with errors"
  return figures.some(({ warmUp }) => !warmUp.steady) ? "not all steady" : ""
}

/** All figures that we want to reach, of the scenarios that were measured. What a small run shows has reached nothing. */
export const targetTable = (
  measured: ReadonlyMap<string, ReadonlyArray<Result>>,
  scale: Scale = "usual",
): ReadonlyArray<string> => {
  const header = ["figure", "measured", "must", "aim", "", "reached", ""]
  const rows = targets.map((target) => {
    const { aim, figure, missing, must, scenario, unit } = target
    const results = measured.get(scenario) ?? []
    const value = target.measured(results)
    const goals = [must, aim].map((goal) => (goal === null ? "" : shown(goal)))
    if (value === null) return [figure, "–", ...goals, unit, "", missing ?? "not measured"]
    const [far, doubt] = scale === "small" ? ["", "small"] : [reached(target, value), doubts(results)]
    return [figure, shown(value), ...goals, unit, far, doubt]
  })
  return columns(header, rows)
}
