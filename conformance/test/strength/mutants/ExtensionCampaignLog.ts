/** Mistakes in the log of a campaign. */
import type { JsonObject } from "../../../src/http/Json.ts"
import { cut, forgives, ignores, over, row, rows, set, where } from "../Defects.ts"
import { objectOf } from "../Mutant.ts"
import { c, m } from "../Table.ts"

const log = "GET /v2/campaigns/*/log"

const isOf =
  (event: string) =>
  (entry: JsonObject): boolean =>
    entry["event"] === event

/** Leaves out what the log tells of an event. */
const silentOf = (event: string) => rows(log, (all) => all.filter((entry) => !isOf(event)(entry)))

/** Servers that each break one promise of the log of a campaign. */
export const campaignLogMutants = [
  m(
    "LOG-E1",
    "A campaign has no log at first.",
    rows(log, (all) => (all.length > 2 ? all : [])),
  ),
  m(
    "LOG-E3",
    "The log is oldest first.",
    rows(log, (all) => all.toReversed()),
  ),
  c("LOG-E3", "The size of a page is not looked at.", ignores(log, "page_size")),
  m(
    "LOG-E4",
    "Entries are counted from 0.",
    row(
      log,
      over("number", (number) => Number(number) - 1),
    ),
  ),
  m("LOG-E5", "An entry is as old as the world.", row(log, set("at", "2020-01-05T15:00:00.000Z"))),
  m("LOG-E6", "Everything is a warning.", row(log, set("level", "warning"))),
  c("LOG-E6", "Nothing is a warning.", row(log, set("level", "info"))),
  m(
    "LOG-E8",
    "What happened is said in other words.",
    row(
      log,
      over("event", (event) => `campaign_${String(event)}`),
    ),
  ),
  m("LOG-E10", "Everything is the system's.", row(log, set("details.actor", { type: "system", key_id: null }))),
  c(
    "LOG-E10",
    "What the system did is somebody's.",
    row(
      log,
      where(({ event }) => event === "expired", set("details.actor.type", "api_key")),
    ),
  ),
  m("LOG-E11", "That a campaign was made is not told.", silentOf("created")),
  m("LOG-E12", "Batches are not told of.", silentOf("contacts_added")),
  c("LOG-E12", "How many contacts came is not told.", row(log, where(isOf("contacts_added"), cut("details.contacts")))),
  m("LOG-E13", "Edits are not told of.", silentOf("edited")),
  c(
    "LOG-E13",
    "Every field is said to be edited.",
    row(log, where(isOf("edited"), set("details.fields", ["name", "agent_id"]))),
  ),
  m("LOG-E14", "A pause is not told of.", silentOf("paused")),
  m("LOG-E15", "A resume is not told of.", silentOf("resumed")),
  m("LOG-E16", "A cancel is not told of.", silentOf("stopped")),
  m("LOG-E17", "A revive is not told of.", silentOf("revived")),
  m("LOG-E18", "A delete is not told of.", silentOf("archived")),
  m("LOG-E19", "That a campaign has completed is not told.", silentOf("completed")),
  c(
    "LOG-E19",
    "That a campaign has completed as it was resumed is not told.",
    rows(log, (all) => {
      const isOfResume = (nth: number) => all[nth + 1] !== undefined && isOf("resumed")(objectOf(all[nth + 1]))
      return all.filter((entry, nth) => !isOf("completed")(entry) || !isOfResume(nth))
    }),
  ),
  m("LOG-E20", "That a campaign has expired is not told.", silentOf("expired")),
  c(
    "LOG-E20",
    "How many batches ended is not told.",
    row(log, where(isOf("expired"), set("details.unfinished_batches", 0))),
  ),
  m(
    "LOG-E22",
    "The status before is the one after.",
    row(
      log,
      over("details", (details) => ({ ...objectOf(details), was: objectOf(details)["status"] })),
    ),
  ),
  m(
    "LOG-E24",
    "A pause of what is paused is told once more.",
    rows(log, (all) => (all[0] !== undefined && isOf("paused")(all[0]) ? [all[0], ...all] : all)),
  ),
  m(
    "LOG-E25",
    "Entries take the name of the last one.",
    rows(log, (all) => all.map((entry) => ({ ...entry, message: all[0]?.["message"] ?? null }))),
  ),
  m(
    "LOG-E28",
    "Reading needs no scope.",
    forgives(log, 1102, 200, () => ({ data: [] })),
  ),
]
