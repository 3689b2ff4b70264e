import { limits } from "@carillon/core"

/** The worst texts and values that the bounds of a body allow. */

/** Bytes of a body that its field may fill; the rest is for what surrounds it. */
const room = limits.bodyBytes - 8 * 1024

const filled = (unit: string, bytes = room): string =>
  JSON.stringify(unit.repeat(Math.max(1, Math.floor(bytes / (JSON.stringify(unit).length - 2)))))

/** Texts as JSON, each as long as a body may be: what scanners and expressions like least. */
export const texts: Readonly<Record<string, string>> = {
  letters: filled("x"),
  quotes: filled('"'),
  backslashes: filled("\\"),
  controls: filled("\u0001"),
  blanks: filled(" "),
  "line ends": filled("\n"),
  "carriage returns": filled("\r"),
  digits: filled("7"),
  "half a number": filled("+1"),
  braces: filled("{"),
  placeholders: filled("{{a}}"),
  "open placeholders": filled("{{a "),
  devanagari: filled("\u0915\u094d"),
  emoji: filled("\u{1F600}"),
  "lone surrogates": `"${"\\ud83d".repeat(Math.floor(room / 6))}"`,
  slashes: filled("/"),
  dots: filled("a."),
  commas: filled("a,"),
  "a URL": JSON.stringify(`https://${"a.".repeat(room / 2 - 40)}test/`),
}

const list = (count: number, element: (nth: number) => string): string =>
  `[${Array.from({ length: count }, (_, nth) => element(nth)).join(",")}]`

const values = limits.jsonValues - 100
const names = limits.jsonNames - 100

const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`

/** Values as JSON: wide, deep and with long names, each at a bound of the body. */
export const structures: Readonly<Record<string, string>> = {
  "a wide list of lists": list(values, () => "[]"),
  "a wide list of texts": list(values, () => '""'),
  "a wide list of numbers": list(values, (nth) => String(nth)),
  "a wide list of objects": `{"a":${list(values, () => "{}")}}`,
  "a wide object": `{${Array.from({ length: names }, (_, nth) => `"k${nth}":0`).join(",")}}`,
  "many deep lists": `{"a":${list(Math.floor(values / 60), () => deep(limits.jsonDepth - 6))}}`,
  "long names": `{${Array.from({ length: 15 }, (_, nth) => `"${"n".repeat(64 * 1024)}${nth}":0`).join(",")}}`,
  "names with escapes": `{${Array.from({ length: names }, (_, nth) => `"\\u006b${nth}":0`).join(",")}}`,
  "a name that is a prototype": `{"__proto__":${list(values, () => "0")}}`,
  "more names than there may be": `{${Array.from({ length: 60_000 }, (_, nth) => `"k${nth}":0`).join(",")}}`,
  "more values than there may be": list(340_000, () => "{}"),
  "deeper than it may be": `${'{"a":'.repeat(100_000)}0${"}".repeat(100_000)}`,
}

/** Whole bodies that are no JSON, or hardly. */
export const bodies: Readonly<Record<string, string>> = {
  "a text that never ends behind an escaped key": `{"\\u0061":1,"b":"${'\\"'.repeat(room / 2)}`,
  "a key that never ends": `{"\\u0061":1,"${'\\"'.repeat(room / 2)}`,
  "brackets alone": "[".repeat(room),
  "commas alone": `{${",".repeat(room)}`,
  "quotes alone": `{"\\u0061":1,${'"'.repeat(room)}`,
  "blanks alone": " ".repeat(room),
  "a number without an end": `{"a":${"9".repeat(room)}}`,
  exponents: `{"a":[${"1e308,".repeat(3000)}1]}`,
  "empty lists under one name": `{${'"a":[],'.repeat(room / 8)}"a":[]}`,
  "escaped keys": `{${Array.from({ length: 19_000 }, (_, nth) => `"\\u0061${nth}":{}`).join(",")}}`,
  "escaped keys under one name": `{${'"\\u0061":{},'.repeat(19_000)}"b":0}`,
}
