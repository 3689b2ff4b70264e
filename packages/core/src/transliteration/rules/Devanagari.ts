/**
 * Names in Latin letters written in Devanagari. Romanised names are not a transcription: they do not show the length of `a` and `i`,
 * nor which `t`, `d` and `n` is meant. Common names are therefore looked up, and the rest follows how names are usually spelt.
 */

const names: ReadonlyMap<string, string> = new Map(
  `aarav आरव, abhishek अभिषेक, aditi अदिति, aditya आदित्य, agarwal अग्रवाल, agrawal अग्रवाल, ajay अजय, akash आकाश, alok आलोक,
  amit अमित, amitabh अमिताभ, anand आनंद, anil अनिल, anita अनीता, anjali अंजलि, ankit अंकित, anuj अनुज, anjana अंजना,
  arjun अर्जुन, arun अरुण, asha आशा, ashish आशीष, ashok अशोक, bharat भारत, bhatt भट्ट, chandra चंद्र, chauhan चौहान,
  chopra चोपड़ा, deepa दीपा, deepak दीपक, desai देसाई, dev देव, devi देवी, dinesh दिनेश, divya दिव्या, ganesh गणेश,
  gaurav गौरव, geeta गीता, gita गीता, gopal गोपाल, gupta गुप्ता, hari हरि, harish हरीश, jain जैन, jha झा, joshi जोशी,
  kapoor कपूर, karan करण, kavita कविता, khan खान, kiran किरण, krishna कृष्ण, krishnan कृष्णन, kumar कुमार, kumari कुमारी,
  lakshmi लक्ष्मी, lal लाल, madhu मधु, mahesh महेश, manish मनीष, manoj मनोज, meena मीना, mehta मेहता, mishra मिश्रा,
  mohan मोहन, mukesh मुकेश, nair नायर, naresh नरेश, neha नेहा, nikhil निखिल, nitin नितिन, pandey पांडेय, patel पटेल,
  patil पाटिल, pooja पूजा, puja पूजा, pradeep प्रदीप, prakash प्रकाश, pranav प्रणव, priya प्रिया, rahul राहुल, raj राज,
  raja राजा, rajesh राजेश, rakesh राकेश, ram राम, raman रमन, ramesh रमेश, rani रानी, rao राव, ravi रवि, reddy रेड्डी,
  rekha रेखा, ritu ऋतु, rohan रोहन, rohit रोहित, sachin सचिन, sahil साहिल, sandeep संदीप, sanjay संजय, saxena सक्सेना,
  shah शाह, sharma शर्मा, shiv शिव, shukla शुक्ला, singh सिंह, sita सीता, sneha स्नेहा, srivastava श्रीवास्तव, sunil सुनील,
  sunita सुनीता, suresh सुरेश, swati स्वाति, tiwari तिवारी, varma वर्मा, verma वर्मा, vijay विजय, vikas विकास, vikram विक्रम,
  vinod विनोद, vishal विशाल, vivek विवेक, yadav यादव, yash यश`
    .split(",")
    .map((pair) => {
      const [latin = "", written = ""] = pair.trim().split(" ")
      return [latin, written] as const
    }),
)

const consonants: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ksh: "क्ष",
    chh: "छ",
    shr: "श्र",
    kh: "ख",
    gh: "घ",
    ch: "च",
    jh: "झ",
    th: "थ",
    dh: "ध",
    ph: "फ",
    bh: "भ",
    sh: "श",
    gy: "ज्ञ",
    k: "क",
    g: "ग",
    c: "क",
    j: "ज",
    t: "त",
    d: "द",
    n: "न",
    p: "प",
    b: "ब",
    m: "म",
    y: "य",
    r: "र",
    l: "ल",
    v: "व",
    w: "व",
    s: "स",
    h: "ह",
    f: "फ़",
    q: "क़",
    x: "क्स",
    z: "ज़",
  }),
)

/** Each vowel as a letter of its own and as a sign after a consonant; a short `a` needs no sign. */
const vowels: ReadonlyMap<string, { readonly letter: string; readonly sign: string }> = new Map(
  Object.entries({
    aa: { letter: "आ", sign: "ा" },
    ai: { letter: "ऐ", sign: "ै" },
    au: { letter: "औ", sign: "ौ" },
    ee: { letter: "ई", sign: "ी" },
    ii: { letter: "ई", sign: "ी" },
    oo: { letter: "ऊ", sign: "ू" },
    ou: { letter: "औ", sign: "ौ" },
    uu: { letter: "ऊ", sign: "ू" },
    a: { letter: "अ", sign: "" },
    e: { letter: "ए", sign: "े" },
    i: { letter: "इ", sign: "ि" },
    o: { letter: "ओ", sign: "ो" },
    u: { letter: "उ", sign: "ु" },
  }),
)

const longestToken = 3
/** Joins two consonants, or ends one without a vowel. */
const virama = "्"

const tokenAt = <A>(table: ReadonlyMap<string, A>, word: string, at: number): readonly [string, A] | null => {
  for (let length = longestToken; length > 0; length--) {
    const token = word.slice(at, at + length)
    const found = token.length === length ? table.get(token) : undefined
    if (found !== undefined) return [token, found]
  }
  return null
}

/** A final `a`, `i` or `u` is long in a name, which romanisation does not show. */
const finalVowels: ReadonlyMap<string, string> = new Map([
  ["a", "aa"],
  ["i", "ee"],
  ["u", "uu"],
])

const spelt = (word: string): string => {
  let text = ""
  let joins = false
  for (let at = 0; at < word.length;) {
    const vowel = tokenAt(vowels, word, at)
    if (vowel !== null) {
      const [token, plain] = vowel
      const isFinal = at > 0 && at + token.length === word.length
      const shown = (isFinal ? vowels.get(finalVowels.get(token) ?? token) : undefined) ?? plain
      text += joins ? shown.sign : shown.letter
      joins = false
      at += token.length
      continue
    }
    const consonant = tokenAt(consonants, word, at)
    // Every letter is a vowel or a consonant.
    if (consonant === null) return word
    text += joins ? virama + consonant[1] : consonant[1]
    joins = true
    at += consonant[0].length
  }
  return text
}

/** A name has two letters and a vowel; initials, abbreviations and words with digits or other letters are none. */
const namePattern = /^(?=.*[aeiou])[a-z]{2,}$/

const wordInDevanagari = (word: string): string => {
  const latin = word.toLowerCase()
  if (!namePattern.test(latin)) return word
  return names.get(latin) ?? spelt(latin)
}

/** A text in Devanagari, composed (NFC). Only names in plain Latin letters change: other scripts, digits and marks stay. */
export const inDevanagari = (text: string): string =>
  text.replace(/[\p{L}\p{M}\p{N}]+/gu, wordInDevanagari).normalize("NFC")
