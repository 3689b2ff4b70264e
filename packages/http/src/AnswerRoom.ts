import { limits } from "@carillon/core"
import { ByteRoom, type NoRoom } from "./ByteRoom.ts"
import type { EdgeRequest } from "./Edge.ts"
import { refusal } from "./Refusal.ts"

/** Answers that are so short are not counted: what stands before the process bounds how many connections there are. */
const briefCharacters = 16 * 1024

/** What a read is answered with whose answer there is no room for. */
export const withoutRoom = {
  crowded: refusal(
    1300,
    `Answers to this organization that are on their way come to more than ${limits.answeringCharacters.organization / 1024 ** 2} Mi characters at once.`,
    { retryAfterSeconds: limits.answeringRetryAfterSeconds },
  ),
  busy: refusal(1501, "The room for answers is temporarily taken.", {
    retryAfterSeconds: limits.answeringRetryAfterSeconds,
  }),
} as const

/** The memory for the answers of one process, from when they are written until the network has taken them: a client may read slowly, or not at all. */
export class AnswerRoom {
  readonly #room = new ByteRoom(limits.answeringCharacters)

  /**
   * Takes room for an answer until it was sent, or says why it may not be sent. What was written is written: only an answer that merely
   * reads can be refused. A mount that does not say when an answer was sent bounds them itself.
   */
  enter(organizationId: string, { method, whenSent }: EdgeRequest, characters: number): NoRoom | null {
    if (whenSent === undefined || characters <= briefCharacters) return null
    const refused = this.#room.take(organizationId, characters)
    if (refused !== null) return method === "GET" ? refused : null
    whenSent(() => this.#room.give(organizationId, characters))
    return null
  }
}
