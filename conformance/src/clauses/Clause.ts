import type { Extension } from "../run/Capabilities.ts"

/** How a clause is graded: stated by the specification, chosen by our decisions, or left open and only recorded. */
export type Level = "required" | "profile" | "gap"

/**
 * The least capability with which a black box can observe a clause: plain HTTP with one key (L0), fixtures such as a
 * second organization, the key zoo, wallets and a receiver for webhooks (L1), the clock (L2), telephony scripts and
 * faults (L3), or none.
 */
export type Observable = "http" | "fixtures" | "clock" | "telephony" | "no"

/** The document that a quote is taken from: `docs/reference/specification.md` or `docs/reference/decisions.md`, without its notes. */
export type Source = "specification" | "decisions"

/** One checkable statement about `/v2`, tied to the words that make it. */
export interface Clause {
  /** Topic and number; `G` before the number marks a gap, `P` a profile clause: `CALL-STOP-3`, `CALL-LIST-G1`. */
  readonly id: string
  /** Heading path within the source, joined by ` > `. */
  readonly section: string
  /** The words of the source, verbatim; a line wrapped in the source reads as one line. */
  readonly quote: string
  readonly level: Level
  readonly source: Source
  readonly observable: Observable
  /** Why no black box can see it, or why it is recorded without being graded. */
  readonly why?: string
}

/** One promise of an extension: what its page says of those who offer it. The specification has none of it. */
export interface ExtensionClause extends Pick<Clause, "id" | "section" | "quote" | "observable" | "why"> {
  /** Which extension it is of, by the name of its routes. */
  readonly extension: Extension
  readonly level: "extension"
  /** The page and its heading: `docs/guides/call-caps.md#what-counts`. */
  readonly address: string
}

/** A clause of the specification, of our decisions, or of an extension. */
export type AnyClause = Clause | ExtensionClause

/** Words that state nothing a test could refute: purpose, glossary, advice. */
export interface Informative {
  readonly section: string
  readonly quote: string
  readonly source: Source
}

/** What one section of a source says, in the order of the document. */
export interface Section {
  readonly clauses: ReadonlyArray<Clause>
  readonly informative: ReadonlyArray<Informative>
}

type Grade = Pick<Clause, "id" | "level" | "observable" | "quote" | "why">

/** An entry of a section before the section gives it its place. */
export type Entry = Grade | { readonly quote: string }

const graded =
  (level: Level) =>
  (id: string, observable: Observable, quote: string, why?: string): Grade =>
    why === undefined ? { id, level, observable, quote } : { id, level, observable, quote, why }

/** A statement that every implementation has to keep. */
export const required = graded("required")

/** A choice of ours where the specification is silent. */
export const profile = graded("profile")

/** Something left open: recorded in the report and never graded. */
export const gap = graded("gap")

/** Why the text of a message is a gap although the specification shows it. */
export const wording = "The wording of a message may change (Errors): it is recorded and never graded."

/** Words that carry no obligation. */
export const informative = (quote: string): Entry => ({ quote })

const inSource =
  (source: Source) =>
  (section: string, entries: ReadonlyArray<Entry>): Section => {
    const clauses: Array<Clause> = []
    const remarks: Array<Informative> = []
    for (const entry of entries) {
      if ("id" in entry) clauses.push({ ...entry, section, source })
      else remarks.push({ ...entry, section, source })
    }
    return { clauses, informative: remarks }
  }

/** Something that a page promises of an extension; unseen where no black box can see it, with the reason. */
export const promised = (
  id: string,
  observable: Observable,
  quote: string,
  why?: string,
): Pick<ExtensionClause, "id" | "observable" | "quote" | "why"> =>
  why === undefined ? { id, observable, quote } : { id, observable, quote, why }

/** What one section of an extension's page says, in the order of the page. */
export interface ExtensionSection {
  readonly clauses: ReadonlyArray<ExtensionClause>
  readonly informative: ReadonlyArray<Pick<Informative, "section" | "quote">>
}

/** The anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, "")
    .replaceAll(" ", "-")

/** The sections of an extension's page; what stands above its first heading has the title for a section, and the page for an address. */
export const pageOf =
  (extension: Extension, page: string, title: string) =>
  (
    section: string,
    entries: ReadonlyArray<ReturnType<typeof promised> | { readonly quote: string }>,
  ): ExtensionSection => {
    const address = section === title ? page : `${page}#${anchorOf(section)}`
    return {
      clauses: entries.flatMap((entry) =>
        "id" in entry ? [{ ...entry, extension, section, address, level: "extension" as const }] : [],
      ),
      informative: entries.flatMap((entry) => ("id" in entry ? [] : [{ ...entry, section }])),
    }
  }

/** A section of the specification. */
export const specified = inSource("specification")

/** A section of the decisions. */
export const chosen = inSource("decisions")
