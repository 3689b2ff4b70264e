import type { DayHours } from "../../dispatch/rules/CallingWindow.ts"
import type { CountryHours } from "./CalleeHours.ts"
import type { Holiday } from "./Holidays.ts"

/** Where a rule was read. */
export interface Citation {
  /** The rule by its name, in its own language. */
  readonly rule: string
  /** The page on which it was read. */
  readonly url: string
  /** Whether that page is its authority's own; otherwise it quotes the rule. */
  readonly official: boolean
  /** The day on which a stored copy of the page was read, `YYYY-MM-DD`. */
  readonly retrieved: string
}

/** Hours of a country that can be named instead of written; they are copied when they are. */
export interface HoursPreset {
  readonly name: string
  /** The country (ISO 3166-1) for which they were read. */
  readonly country: string
  /** To which calls the source applies, and what it has beside hours. No legal advice. */
  readonly about: string
  readonly hours: CountryHours
  readonly sources: ReadonlyArray<Citation>
}

/** Holidays that can be named instead of written. */
export interface HolidayPreset {
  readonly name: string
  readonly about: string
  readonly holidays: ReadonlyArray<Holiday>
  readonly sources: ReadonlyArray<Citation>
}

const retrieved = "2026-11-24"

const hour = 60

const between = (start: number, end: number): DayHours => ({ start: start * hour, end: end * hour })

const weekOf = (
  weekday: ReadonlyArray<DayHours>,
  saturday: ReadonlyArray<DayHours>,
  sunday: ReadonlyArray<DayHours>,
): CountryHours["days"] => [weekday, weekday, weekday, weekday, weekday, saturday, sunday]

const yearly = (month: number, day: number): Holiday => ({ kind: "yearly", month, day })
const easter = (days: number): Holiday => ({ kind: "easter", days })
const observed = (month: number, day: number): Holiday => ({ kind: "yearly", month, day, observed: true })
const weekday = (month: number, day: number, nth: number): Holiday => ({ kind: "weekday", month, weekday: day, nth })

const [monday, thursday] = [0, 3]

/** All holiday calendars that can be named. Without a source that was really read there is none. */
export const holidayPresets: ReadonlyArray<HolidayPreset> = [
  {
    name: "FR",
    about:
      "The legal holidays of all of France; those of Alsace-Moselle and of overseas territories are not among them.",
    holidays: [
      yearly(1, 1),
      easter(1),
      yearly(5, 1),
      yearly(5, 8),
      easter(39),
      easter(50),
      yearly(7, 14),
      yearly(8, 15),
      yearly(11, 1),
      yearly(11, 11),
      yearly(12, 25),
    ],
    sources: [
      {
        rule: "Code du travail, article L3133-1",
        url: "https://www.legifrance.gouv.fr/codes/id/LEGISCTA000033008129/",
        official: true,
        retrieved,
      },
    ],
  },
  {
    name: "US-federal",
    about:
      "The legal public holidays of the federal government, with the Fridays and Mondays on which they are usually observed.",
    holidays: [
      observed(1, 1),
      weekday(1, monday, 3),
      weekday(2, monday, 3),
      weekday(5, monday, -1),
      observed(6, 19),
      observed(7, 4),
      weekday(9, monday, 1),
      weekday(10, monday, 2),
      observed(11, 11),
      weekday(11, thursday, 4),
      observed(12, 25),
    ],
    sources: [{ rule: "5 U.S.C. § 6103", url: "https://www.okwb.uscourts.gov/holidays", official: true, retrieved }],
  },
]

/** All hours of countries that can be named. Without a source that was really read there are none. */
export const hoursPresets: ReadonlyArray<HoursPreset> = [
  {
    name: "CA",
    country: "CA",
    about: "Telemarketing calls. Provinces may have narrower hours.",
    hours: { days: weekOf([between(9, 21.5)], [between(10, 18)], [between(10, 18)]), holidays: [] },
    sources: [
      {
        rule: "CRTC, Key Unsolicited Telecommunications Rules: calling curfews",
        url: "https://crtc.gc.ca/eng/phone/telemarketing/tobligations/rules-regles.htm",
        official: true,
        retrieved,
      },
    ],
  },
  {
    name: "US",
    country: "US",
    about:
      "Telephone solicitations to residential subscribers, by federal law. Many states have narrower hours, and days without calls.",
    hours: { days: weekOf([between(8, 21)], [between(8, 21)], [between(8, 21)]), holidays: [] },
    sources: [
      {
        rule: "47 CFR § 64.1200(c)(1)",
        url: "https://www.nwdebtresolution.com/post/telephone-consumer-protection-act-call-time-restrictions",
        official: false,
        retrieved,
      },
    ],
  },
]
