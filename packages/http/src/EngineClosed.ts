import { Data } from "effect"

/** Something was asked of an engine that its host has closed; nothing of it was done. */
export class EngineClosed extends Data.TaggedError("EngineClosed") {
  override readonly message = "This engine is closed: nothing is done by it any more."
}
