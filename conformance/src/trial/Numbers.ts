/** Phone numbers that ring nobody: the control contract's magic numbers, and numbers of an unassigned area. */

/** Two digits that choose how a magic number goes (Telephony of the control contract). */
export const magicOutcomes = {
  completed: "00",
  busy: "01",
  noAnswer: "02",
  voicemail: "03",
  failed: "04",
  error: "05",
  callDisconnected: "06",
  walletEmpty: "07",
  unconfirmedLive: "20",
  unconfirmedNeverDialled: "21",
  legReportedLate: "22",
  hangupRefused: "23",
  duplicateReports: "24",
  folds: "25",
  providerUnreachable: "30",
  providerError: "31",
  providerBusy: "32",
  invalidDestination: "33",
  analysisLate: "40",
  corrected: "41",
  noRecording: "42",
  plainTranscript: "43",
  holdsLine: "50",
  silent: "60",
} as const

/** The name of a magic outcome. */
export type MagicOutcome = keyof typeof magicOutcomes

const serials = 100_000_000

const digits = (value: number, length: number): string => String(value).padStart(length, "0")

/** Numbers of the area code 555, which nobody has, without the exchange in which magic numbers for people lie. */
const plainFrom = 6_000_000
const plainCount = 4_000_000

/** Hands out numbers that no other call of the same case has, and hardly one of another case or run. */
export class Numbers {
  #serial: number

  constructor(random: () => number) {
    this.#serial = Math.floor(random() * serials)
  }

  /** A magic number with this outcome and parameter (0–99). */
  magic(outcome: MagicOutcome, parameter = 0): string {
    return `+999${magicOutcomes[outcome]}${digits(parameter, 2)}${this.#next()}`
  }

  /** A number without a meaning of its own, for telephony rules to give it one. */
  plain(): string {
    return `+1555${plainFrom + (Number(this.#next()) % plainCount)}`
  }

  #next(): string {
    this.#serial = (this.#serial + 1) % serials
    return digits(this.#serial, 8)
  }
}
