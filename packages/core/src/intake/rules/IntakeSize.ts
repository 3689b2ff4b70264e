import type { ContactEntry } from "../../contacts/rules/Contact.ts"
import { counted } from "../../Counted.ts"
import { limits } from "../../Limits.ts"
import { jsonText, textFits } from "../../Measure.ts"

/** What is too large: one contact, or all of them together. */
export type SizeFault = "contact" | "intake"

/** What a requester is told of it; completes "Invalid value for '<field>': <reason>." */
export const sizeReasons: { readonly [fault in SizeFault]: string } = {
  contact: `must take at most ${limits.contactBytes} bytes of JSON`,
  intake: `must take at most ${limits.intakeCharacters / 1024 ** 2} Mi characters of JSON and ${counted(limits.intakeVariables)} variables for all contacts together`,
}

/** What it takes to read a value, in characters that could be read instead. */
const charactersOfValue = 32

/**
 * How much the contacts of one request take so far. A file says the name of a column once and every contact carries it, so a small file can
 * describe more than any store could hold.
 */
export class IntakeSize {
  #characters = 0
  #variables = 0
  #sinceTurn = 0

  /** Counts a contact in, whose variables have so many values in them; says what is too large with it. */
  add({ variables }: ContactEntry, values: number): SizeFault | null {
    const text = jsonText(variables)
    this.#characters += text.length
    this.#sinceTurn += text.length + values * charactersOfValue
    this.#variables += Object.keys(variables).length
    if (!textFits(text, limits.contactBytes)) return "contact"
    return this.#characters > limits.intakeCharacters || this.#variables > limits.intakeVariables ? "intake" : null
  }

  /** Whether so much was counted since it was last true that others should have their turn. */
  isTurnOver(): boolean {
    if (this.#sinceTurn < limits.intakeTurnCharacters) return false
    this.#sinceTurn = 0
    return true
  }
}
