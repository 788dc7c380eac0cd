import { expect, it } from 'vitest'
import { unknownPlaceholders } from '../../../src/modules/broadcasts/merge-fields.ts'

const names = (first: number, count: number) => Array.from({ length: count }, (_, index) => `{{{name${first + index}}}}`).join(' ')

it('says of each name once that it stands for nothing, in the order of the texts', () => {
  expect(unknownPlaceholders(['{{{b}}} {{{contact.email}}} {{{b}}}', null, '{{{a}}}'], [])).toEqual(
    ['b', 'a'].map(
      (name) =>
        `\`{{{${name}}}}\` is not a field or a property of your contacts: create the property with POST /contact-properties, or correct the name.`,
    ),
  )
})

it.each([
  ['in one text', [names(0, 30)]],
  ['of which the first text has all', [names(0, 20), names(20, 5)]],
  ['in several texts', [names(0, 15), names(10, 15), names(25, 15)]],
])('says so of 20 names at most: %s', (_where, texts) => expect(unknownPlaceholders(texts, [])).toHaveLength(20))
