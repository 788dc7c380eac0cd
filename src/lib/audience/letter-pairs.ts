// Records in 64 bits which pairs of letters stand side by side in the texts and numbers of a contact. A searched text can only be where all its
// pairs are. Comparing bits costs far less than reading a value. (Superimposed coding, C. N. Mooers 1949; a Bloom filter with one hash.)

/** Some languages fold i differently (Turkish, Lithuanian), and a character beyond ASCII folds to k (U+212A). No pair has these letters. */
const FOLDED_OTHERWISE = new Set(['i', 'k'].map((letter) => letter.charCodeAt(0)))
const ASCII_MAX = 0x7f
const NONE = -1

const FOLDED = Int8Array.from({ length: ASCII_MAX + 1 }, (_, code) => {
  const folded = String.fromCharCode(code).toLowerCase().charCodeAt(0)
  return FOLDED_OTHERWISE.has(folded) ? NONE : folded
})

/** A text, with the field that it is a value of. */
export type FieldText = readonly [field: string, text: string]

/** A number in the form of letter pairs, so that a single digit has a pair too. */
export const textOfNumber = (value: number): string => `=${value}`

/**
 * A 64-bit signed integer, in decimal. If one text contains another without regard to case, it has all bits of the other, in whatever language the
 * database folds letters. The reverse need not hold.
 */
export function letterPairs(texts: Iterable<FieldText>): string {
  let [low, high] = [0, 0]
  for (const [field, text] of texts) {
    const seed = seedOf(field)
    let before = NONE
    for (let at = 0; at < text.length; at++) {
      const letter = FOLDED[text.charCodeAt(at)] ?? NONE
      if (before !== NONE && letter !== NONE) {
        const bit = Math.imul(seed + (before << 7) + letter, 0x9e3779b1) >>> 26
        if (bit < 32) low |= 1 << bit
        else high |= 1 << (bit - 32)
      }
      before = letter
    }
  }
  return ((BigInt(high) << 32n) | BigInt(low >>> 0)).toString()
}

function seedOf(field: string): number {
  let seed = 0
  for (let at = 0; at < field.length; at++) seed = Math.imul(seed, 31) + field.charCodeAt(at)
  return seed << 14
}
