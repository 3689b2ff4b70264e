import type { Report } from "../run/Report.ts"

/** One line for each extension that a run asked for: what was held of its page, or that nothing was judged, and why. */
export const extensionLines = ({ extensions = [] }: Pick<Report, "extensions">): ReadonlyArray<string> =>
  extensions.map(({ broken, extension, held, notJudged, of, reason }) =>
    reason === null
      ? `extension ${extension}: ${held}/${of} held, ${broken} broken, ${notJudged} not judged`
      : `extension ${extension}: SKIPPED, 0/${of} judged: ${reason}`,
  )
