import * as fc from "fast-check"
import type { Json, JsonObject } from "../Json.ts"
import { codePoint } from "./CodePoint.ts"

/** Names that some code takes for something else: for a prototype, a method, a place in a list, the end of a text, half a character. */
const name = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "then",
    "length",
    "0",
    "-1",
    "",
    " ",
    "a.b",
  ),
  fc.constantFrom(
    "~",
    "~a",
    "\\",
    '"',
    "\n",
    "\u0000",
    "a\u0000b",
    "\ud800",
    "\udc00x",
    "\u2028",
    "é",
    "e\u0301",
    "$ref",
    "{x}",
  ),
  fc.string({ unit: codePoint, maxLength: 5 }),
)

const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(name, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 4 }),
  ),
})).value

/** An object as customers write it into metadata and variables. */
export const chosenObject: fc.Arbitrary<JsonObject> = fc.dictionary(name, value, { maxKeys: 6 })
