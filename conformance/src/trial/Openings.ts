/** Callee hours as cases set them. */
import type { Answer } from "../http/Answer.ts"
import type { Client } from "../http/Client.ts"
import { isObject } from "../http/Json.ts"
import type { Body } from "./Campaigns.ts"
import { dayMs, hourMs } from "./Duration.ts"
import type { Trial } from "./Trial.ts"

const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

/** The same openings on every day of the week. */
export const daily = (...openings: ReadonlyArray<readonly [start: string, end: string]>): Body =>
  Object.fromEntries(days.map((day) => [day, openings.map(([start, end]) => ({ start, end }))]))

/** Hours that bind numbers of which nothing is known as well, by the clock of UTC. */
export const everywhere = (elsewhere: Body | null): Body => ({ elsewhere, unknown_timezone: "UTC" })

/** Hours that never open. */
export const never: Body = everywhere({})

/** Sets the hours of a scope. */
export const setHours = async (
  trial: Trial,
  client: Client,
  body: Body,
  scope: Record<string, string> = {},
): Promise<Answer> => trial.made(await client.send("PUT", "/v2/callee-hours", { body, query: scope }), 200)

/** What the server says of one number at a moment. */
export const checkHours = async (client: Client, to_number: string, more: Body = {}): Promise<Body> => {
  const answer = await client.post("/v2/callee-hours/check", { to_numbers: [to_number], ...more })
  const [row] = answer.items().filter(isObject)
  return row ?? {}
}

/** An opening of two hours every day, by UTC, that is closed now, and when it opens next. */
export const laterOpening = (now: number) => {
  const midnight = Math.floor(now / dayMs) * dayMs
  const hour = Math.floor((now - midnight) / hourMs)
  const opening = hour < 20 ? hour + 2 : 1
  const text = (hours: number) => `${String(hours).padStart(2, "0")}:00`
  const opensAt = midnight + opening * hourMs + (hour < 20 ? 0 : dayMs)
  // Whose clock is so far ahead has the opening now.
  const ahead = (opening - hour + 24) % 24
  // It opens before the opening, and shares its first hour.
  const around = { start: text(opening - 1), end: text(opening + 1) }
  return {
    hours: everywhere(daily([text(opening), text(opening + 2)])),
    opensAt,
    openZone: `Etc/GMT-${ahead}`,
    around,
  }
}
