import { chosen, informative } from "../Clause.ts"

export const decisionsPreamble = chosen("Decisions where the specification is silent", [
  informative("`public-api-v2.md` beside this file is the contract."),
  informative(
    'Where it says "not shown", or leaves two readings, this file decides, so that the engine, the OpenAPI document, the simulator and the conformance suite agree.',
  ),
  informative(
    "In code these choices live where a later, truer specification can replace them in one place, and the OpenAPI document marks them `x-origin: chosen` (everything the specification states is `x-origin: specified`).",
  ),
  informative("The conformance suite asserts chosen shapes only in its `profile` level, never in `required`."),
  informative(
    "Field words are reused from the specification first (snake_case, `*_id`, `{data, pagination}`), then from the field.",
  ),
])
