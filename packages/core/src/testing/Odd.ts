import * as fc from "fast-check"
import type { JsonObject } from "../Json.ts"

/** What customers may call their variables and write into them, and what not every store can hold or read as it is. */
export const oddVariables: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject>(
  {},
  { name: "Ada" },
  { "~x": "begins with a mark" },
  { "~": "is a mark" },
  { 'customer\'s "name"': "has quotes" },
  { "a\tb": "has a tab" },
  { nul: "a\0b" },
  { half: "\ud800" },
  { spelled: "\\u0000" },
  { whole: "\u{1f600}" },
)

/** Texts that are the id of nothing, and what not every store can hold or tells apart from nothing. */
export const idsOfNothing = [
  "null",
  "undefined",
  "",
  " ",
  "7",
  "\0",
  "a\0b",
  "\ud800",
  "\\u0000",
  "x".repeat(10_000),
] as const
