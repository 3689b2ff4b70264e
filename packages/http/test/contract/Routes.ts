import { routes } from "@carillon/api"
import { statedRoutes, type StatedRoute } from "../../../api/test/StatedRoutes.ts"
import { type Scenario, scenarios } from "./Scenarios.ts"

/** A stated route with its name in the contract and the way to its success forms. */
export interface WalkedRoute extends StatedRoute {
  readonly label: string
  readonly name: (typeof routes)[number]["name"]
  readonly scenario: Scenario
}

const labelOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`

/** Every route that is stated. What has no route or no scenario fails here, by name. */
export const walkedRoutes: ReadonlyArray<WalkedRoute> = statedRoutes.map((stated) => {
  const label = labelOf(stated)
  const route = routes.find((candidate) => labelOf(candidate) === label)
  const scenario = scenarios[label]
  if (route === undefined) throw new Error(`${label} is stated and not served.`)
  if (scenario === undefined) throw new Error(`${label} is served and has no scenario.`)
  return { ...stated, label, name: route.name, scenario }
})

/** The placeholders of a path. */
export const placeholders = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name)
