/** Whether a case has the server under test to itself, or goes on `beside` others that must not notice it. */
export type Company = "alone" | "beside"

/** A case beside others came to something that they would notice, or that they may have caused: it has to be alone. */
export class WantsToBeAlone extends Error {
  override readonly name = "WantsToBeAlone"
}
