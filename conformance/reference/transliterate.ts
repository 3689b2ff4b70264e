/** Latin letters in other scripts, letter by letter: enough to show that a field was written anew. */
const scripts: Readonly<Record<string, string>> = {
  hi: "अबकदएफगहइजकलमनओपकरसतउववक्सयज",
  mr: "अबकदएफगहइजकलमनओपकरसतउववक्सयज",
  ru: "абкдефгхийклмнопкрстувшжыз",
  el: "αβκδεφγηιξκλμνοπκρστυβωχψζ",
}

const first = "a".charCodeAt(0)

/** A text in the script of a language; as it is where the language is not known here. */
export const transliterated = (text: string, language: string): string => {
  const letters = [...(scripts[language.toLowerCase().split("-", 1)[0] ?? ""] ?? "")]
  if (letters.length === 0) return text
  return text.toLowerCase().replace(/[a-z]/g, (letter) => letters[letter.charCodeAt(0) - first] ?? letter)
}
