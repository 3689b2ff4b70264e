import type { CommitDraft, Expectation } from "../engine/Commit.ts"
import { callersFrom } from "../engine/Guards.ts"
import type { PhoneNumber } from "./PhoneNumber.ts"

type Registered = Pick<PhoneNumber, "phone_number_id" | "revision">

/** What a commit expects that rests on a number. */
export const stillRegistered = ({ phone_number_id, revision }: Registered): Expectation => ({
  kind: "phone_number",
  id: phone_number_id,
  revision,
})

/** The part of a commit by which something calls from a number by name: it must be registered still, and is not given up unseen. */
export const namedAsCallerId = ({ phone_number_id, revision }: Registered): Partial<CommitDraft> => ({
  expect: [stillRegistered({ phone_number_id, revision })],
  changes: [{ put: "guard", guard: callersFrom(phone_number_id) }],
})
