/**
 * What is counted, and what tells that a lane has changed, lies in so many rows for each subject; a commit writes to one of them, so
 * that calls of one campaign that end together do not wait for one another. Readers take them together.
 */
const stripes = 8

/** The stripe of a commit. */
export const stripeOf = (commitId: string): number => {
  let hash = 0
  for (let index = 0; index < commitId.length; index++) hash = (hash * 31 + commitId.charCodeAt(index)) | 0
  return (hash >>> 0) % stripes
}
