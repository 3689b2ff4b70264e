import type { SettlesBatch } from "./batches/rules/BatchErrand.ts"
import type { MeetsCallees } from "./callees/rules/CalleeErrand.ts"
import type { CompletesCampaign, MendsCampaign, TellsMended } from "./campaigns/rules/CampaignErrands.ts"
import type { HangsUp } from "./calls/rules/CallErrands.ts"
import type { StopReply } from "./calls/rules/CallReplies.ts"
import type { DiscardsContacts, OverwritesContact } from "./contacts/rules/ContactErrands.ts"
import type { ContactErased } from "./erasure/rules/Erased.ts"
import type { DialsCall } from "./calls/rules/DialErrand.ts"
import type { Dialled } from "./calls/rules/Dialled.ts"
import type { NotFound, StateConflict } from "./Errors.ts"
import type { RemovedKnowledge, RemovesChunks } from "./knowledge/rules/KnowledgeErrand.ts"
import type { DeclinesLine, GivesLineBack } from "./limits/rules/LineErrands.ts"
import type { AttemptEnd } from "./webhooks/rules/Delivery.ts"
import type { SendsDelivery } from "./webhooks/rules/DeliveryErrand.ts"

/** Every kind of errand there is: what a step has done once it is written. `operating/HandledErrands.ts` does them. */
export type Errand =
  | GivesLineBack
  | DeclinesLine
  | SettlesBatch
  | CompletesCampaign
  | MendsCampaign
  | TellsMended
  | MeetsCallees

/** An errand that asks, and how whoever took the step that named it is answered: what comes of it is the input of a step with such a reply. */
interface Asks<E, Reply, Refusal = never> {
  readonly errand: E
  readonly reply: Reply
  readonly refusal: Refusal
}

/** Every kind of errand that asks. It is done once: where it fails whoever waits for the answer is told. */
interface Asking {
  readonly "call.dial": Asks<DialsCall, Dialled>
  readonly "call.hang_up": Asks<HangsUp, StopReply, NotFound | StateConflict>
  readonly "delivery.send": Asks<SendsDelivery, AttemptEnd>
  readonly "knowledge.remove_chunks": Asks<RemovesChunks, RemovedKnowledge, NotFound>
  readonly "contacts.discard": Asks<DiscardsContacts, void>
  readonly "contacts.overwrite": Asks<OverwritesContact, ContactErased>
}

export type AskingKind = keyof Asking

/** An errand whose outcome somebody waits for. */
export type AskingErrand<K extends AskingKind = AskingKind> = {
  readonly [P in K]: Asking[P]["errand"] & { readonly errand: P }
}[K]

/** What is replied to whoever took the step that asked. */
export type ReplyTo<K extends AskingKind> = Asking[K]["reply"]

/** With what whoever took the step that asked may be refused. */
export type RefusalTo<K extends AskingKind> = Asking[K]["refusal"]

/** An errand as one text: what is done, and to what. */
export const errandName = ({ errand, subject }: Errand | AskingErrand): string => `${errand} ${subject}`
