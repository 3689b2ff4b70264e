import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { CommitDraft } from "../rules/Commit.ts"

/** The transactional outbox: every commit passes through here on its way to the store (architecture, "A step is a decision"). */
export class Outbox extends Context.Service<
  Outbox,
  {
    /**
     * The draft with a frozen row, and a delivery to everyone who listens, for each of its events that somebody listens to or that is kept. Nothing
     * about subscriptions can make it fail: where they cannot be read, the event is kept and routed later.
     */
    readonly seal: (draft: CommitDraft) => Effect.Effect<CommitDraft, PortError>
  }
>()("@carillon/core/engine/Outbox") {}
