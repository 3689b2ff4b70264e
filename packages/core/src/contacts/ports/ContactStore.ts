import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { Contact, ContactEntry } from "../rules/Contact.ts"
import type { ContactRow, ContactPlace } from "../rules/PlacedContact.ts"
import type { ContactTimes } from "../rules/ContactTimes.ts"

/** At which moment contacts are asked for, and whether those that wait for the campaign's hours are meant too. */
export interface ContactMoment {
  readonly now: number
  readonly in_hours: boolean
  /** The marks of those that are open (`hours_of`, empty for none): of the others that wait nobody is due. Left out: all are. */
  readonly marks?: ReadonlyArray<string>
  /** Whether, of those that were never touched, the first of the highest priority is next, whatever batch it is in; in one batch they stand in that order. */
  readonly by_priority?: boolean
}

/** Whether all contacts are asked for, or only those that are not held back: `holds` is 0, or they were never touched. */
export type ContactChoice = "all" | "unheld"

/** What a lane's batches have to dial. */
export interface ContactLoad {
  /** Contacts that could be dialled at the moment. */
  readonly dialable: number
  /** When the next waiting one is due, hours aside; null when none is waiting for a time. */
  readonly next_due: number | null
  /** Whether others wait for a time: it has not come, or they wait for the campaign's hours, or their callee's, outside of them. They are not counted. */
  readonly waits: boolean
}

/**
 * Contacts: entries as they were handed in, in order, and a row for each that has been touched. They are their own queue, so nothing
 * is copied when they are dialled, and pausing or cancelling touches none of them. `moment.now` never goes back.
 */
export class ContactStore extends Context.Service<
  ContactStore,
  {
    /** Stores entries of a batch that is not visible yet, from the given row on. */
    readonly fill: (
      batchId: string,
      fromRow: number,
      entries: ReadonlyArray<ContactEntry>,
    ) => Effect.Effect<void, PortError>
    /** Stores something else in the place of an entry. Where none is there any more it changes nothing. */
    readonly replace: (batchId: string, row: number, entry: ContactEntry) => Effect.Effect<void, PortError>
    /** Forgets the entries of a batch that never became visible. */
    readonly discard: (batchId: string) => Effect.Effect<void, PortError>
    readonly find: (batchId: string, row: number) => Effect.Effect<ContactRow | null, PortError>
    /** Up to `limit` contacts of a batch in order, from the given row on. */
    readonly rows: (
      batchId: string,
      fromRow: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<ContactRow>, PortError>
    /**
     * The next contact to dial of the batches: the one that has been due the longest, else the first that was never touched. Of several it
     * is the one whose batch is given first, then the one that stands first in it. Those in `besides`, which were touched, are passed over.
     * Where only those are asked for that are not held back, it may look at each of the others that is due.
     */
    readonly next: (
      batchIds: ReadonlyArray<string>,
      moment: ContactMoment,
      besides: ReadonlyArray<ContactPlace>,
      choice: ContactChoice,
    ) => Effect.Effect<ContactRow | null, PortError>
    /** The marks of the contacts that wait for a time, each once, in order. */
    readonly marks: (batchIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, PortError>
    readonly load: (batchIds: ReadonlyArray<string>, moment: ContactMoment) => Effect.Effect<ContactLoad, PortError>
    /** The times of the batches' contacts. It may look at each of them that waits. */
    readonly times: (batchIds: ReadonlyArray<string>, now: number) => Effect.Effect<ContactTimes, PortError>
    /** Up to `limit` of the batches' contacts with a mark that wait for a time and for the campaign's hours, in no certain order. */
    readonly marked: (
      batchIds: ReadonlyArray<string>,
      mark: string,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Contact>, PortError>
    /**
     * Who is next of the lane's contacts that wait for this number: of each batch who has waited longest of those that do not wait for the campaign's
     * hours, too, and who has of those that do; of those that began at one time the first in the batch. They come by the ids of their batches.
     */
    readonly heirs: (laneId: string, toNumber: string) => Effect.Effect<ReadonlyArray<Contact>, PortError>
    /**
     * Up to `limit` of the lane's contacts that wait for their number, number by number, and those of one in the order of `heirs`, line by line; those
     * of some of its batches, where they are named. It may look at each of the others that waits.
     */
    readonly waitingIn: (
      laneId: string,
      limit: number,
      batchIds?: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<ContactRow>, PortError>
    /** Every contact that waits for its number, in pages after the given id, for repairs after a crash. */
    readonly waitingForNumbers: (
      after: string | null,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Contact>, PortError>
  }
>()("@carillon/core/contacts/ContactStore") {}
