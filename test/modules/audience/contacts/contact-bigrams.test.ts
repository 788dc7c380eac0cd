import fc from 'fast-check'
import { expect, it } from 'vitest'
import { contactBigramMask, type FieldText } from '../../../../src/modules/audience/contacts/merge-contacts.repository.ts'

const has = (texts: FieldText[], wanted: FieldText) =>
  (BigInt(contactBigramMask(texts)) & BigInt(contactBigramMask([wanted]))) === BigInt(contactBigramMask([wanted]))

/** Where languages fold letters in different ways, and what folds into ASCII from beyond. */
const letter = fc.constantFrom(...'abcABCiIkKsSßẞäÄıİĞğ\u212aſÌìσςΣ 0_%', '😀', 'i\u0307')
const text = fc.string({ unit: letter, maxLength: 8 })
const anyText = fc.oneof(text, fc.string({ unit: 'binary', maxLength: 8 }))
const folds = [undefined, 'tr', 'lt', 'el'].map((locale) => (folded: string) => folded.toLocaleLowerCase(locale))

it('finds every text in which the wanted one is, in whatever language case is disregarded', () => {
  fc.assert(
    fc.property(anyText, anyText, anyText, anyText, (before, wanted, after, other) => {
      for (const found of [before + wanted + after, before + wanted.toUpperCase() + after, before + wanted.toLowerCase() + after, before])
        for (const fold of folds)
          if (fold(found).includes(fold(wanted)))
            expect(
              has(
                [
                  ['name', found],
                  ['plan', other],
                ],
                ['name', wanted],
              ),
            ).toBe(true)
    }),
    { numRuns: 3_000 },
  )
})

it('rules out most contacts that have other texts', () => {
  const words = [
    'Ada Lovelace',
    'Edsger Dijkstra',
    'Analytical Engines Ltd.',
    'enterprise',
    'München',
    'newcomer',
    'Northern Mail & Sons',
    'quarterly',
  ]
  const contact: FieldText[] = words.slice(0, 4).map((word, index) => [`field ${index}`, word])
  const wanted = ['nothing 0', 'veteran', 'Gmbh', 'Zürich', 'Hopper', 'professional', 'yearly', 'Oxford', 'trial', 'Grace', 'south']
  const passed = wanted.filter((word) => has(contact, ['field 2', word]))
  expect(passed.length).toBeLessThanOrEqual(1)
})

it('takes the same word in another field for another', () => {
  expect(has([['plan', 'professional']], ['plan', 'PROFESS'])).toBe(true)
  expect(has([['plan', 'professional']], ['city', 'professional'])).toBe(false)
})

it.each(['', 'a', 'ä', 'éé', 'iii', '😀😀'])('knows nothing of %j', (word) => {
  expect(contactBigramMask([['name', word]])).toBe('0')
})

it('is a signed number of 64 bits', () => {
  const letters = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at))
  const everything = letters.flatMap((one) => letters.map((other) => one + other)).join('')
  expect(contactBigramMask([['name', everything]])).toBe('-1')
})
