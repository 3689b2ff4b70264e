import type { DialCommand } from "@carillon/core"

/** Numbers that begin so go to these carriers, the first choice first. */
export interface Route {
  readonly beginning: string
  readonly carriers: ReadonlyArray<string>
}

/** Whether a text is a route to some of these carriers: `+49=german/global`. */
export const isRouteAmong =
  (carriers: ReadonlyArray<string>) =>
  (text: string): boolean => {
    const names = /^\+[0-9]{0,15}=(?<names>.+)$/.exec(text)?.groups?.["names"]
    return names !== undefined && names.split("/").every((name) => carriers.includes(name))
  }

/** The routes, those of the longest beginnings first. */
export const routesOf = (entries: ReadonlyArray<string>): ReadonlyArray<Route> =>
  entries
    .map((entry) => {
      const [beginning = "", carriers = ""] = entry.split("=")
      return { beginning, carriers: [...new Set(carriers.split("/"))] }
    })
    .toSorted((one, other) => other.beginning.length - one.beginning.length)

/** The carriers of a call: those of its number's longest route, else all in their order. */
export const chooser =
  (routes: ReadonlyArray<Route>, all: ReadonlyArray<string>) =>
  ({ to_number }: Pick<DialCommand, "to_number">): ReadonlyArray<string> =>
    routes.find(({ beginning }) => to_number.startsWith(beginning))?.carriers ?? all
