import { informative, required, specified } from "../Clause.ts"

export const errorEnvelope = specified("Resources and their fields > Error envelope", [
  required("ENVELOPE-1", "http", '`{ "error": <integer code>, "message": <string> }`.'),
  informative("See Errors."),
])
